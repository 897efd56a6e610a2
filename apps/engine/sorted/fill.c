/*
 * One interval of the sorted order from one pass over the stream.
 *
 * The stream is made in slices of about 50 ms, so that the caller can be asked whether to go on.
 * An interval with more edges than there is room for is cut in two at its middle, and the first
 * part is made again.
 */
#include "apps/engine/sorted/fill.h"
#include "apps/common/clock.h"
#include <stdlib.h>
#include <string.h>

/* Edges from one question to the next: more and more, until they take so long. */
enum { FIRST_SLICE = 1 << 20, MAX_SLICE = 1 << 30 };
#define SLICE_SECONDS 0.05

/* Interval i ends at the cell, and one more begins there. */
static int cut_at(sorted_cuts *cuts, uint64_t i, const rmat_cell *cell)
{
    rmat_cell *more = realloc(cuts->cells, (cuts->n + 2) * sizeof *more);

    if (more == NULL) {
        return RMAT_ERR_NOMEM;
    }
    memmove(more + i + 2, more + i + 1, (cuts->n - i) * sizeof *more);
    more[i + 1] = *cell;
    cuts->cells = more;
    cuts->n++;
    return RMAT_OK;
}

int sorted_each_piece(uint64_t first, uint64_t end,
                      int (*work)(void *state, uint64_t first, uint64_t count), void *state,
                      sorted_tick tick, void *argument)
{
    uint64_t slice = FIRST_SLICE, made = 0;
    int status = RMAT_OK;

    for (uint64_t at = first; status == RMAT_OK && at < end; at += made) {
        double start = clock_seconds();

        if (tick(argument, made)) {
            return SORTED_STOPPED;
        }
        made = end - at < slice ? end - at : slice;
        status = work(state, at, made);
        if (slice < MAX_SLICE && clock_seconds() - start < SLICE_SECONDS) {
            slice *= 2;
        }
    }
    if (status != RMAT_OK) {
        return status;
    }
    return tick(argument, made) ? SORTED_STOPPED : RMAT_OK;
}

static int add(void *interval, uint64_t first, uint64_t count)
{
    return rmat_interval_add(interval, first, count);
}

int sorted_fill(rmat_interval *b, sorted_cuts *cuts, uint64_t i, uint64_t edges, bool unique,
                sorted_tick tick, void *argument)
{
    rmat_cell middle;
    int status;

    while (true) {
        status = rmat_interval_begin(b, &cuts->cells[i], &cuts->cells[i + 1], unique);
        if (status == RMAT_OK) {
            status = sorted_each_piece(0, edges, add, b, tick, argument);
        }
        if (status == RMAT_OK) {
            status = rmat_interval_sort(b);
        }
        if (status != RMAT_ERR_FULL) {
            return status;
        }
        status = rmat_interval_middle(b, &middle);
        if (status == RMAT_OK) {
            status = cut_at(cuts, i, &middle);
        }
        if (status != RMAT_OK) {
            return status;
        }
    }
}
