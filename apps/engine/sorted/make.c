/* The making of an interval, and how many edges each rank has of the graph. */
#include "apps/common/system.h"
#include "apps/engine/sorted/fill.h"
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"

#include <stdlib.h>
#include <string.h>

/*
 * One interval of the sorted order from one pass over the stream.
 *
 * The stream is made in slices of about 50 ms, so that the caller can be asked whether to go on.
 * An interval with more edges than there is room for is cut in two at its middle, and the first
 * part is made again.
 */

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
    cuts->cells = more;
    memmove(more + i + 2, more + i + 1, (cuts->n - i) * sizeof *more);
    more[i + 1] = *cell;
    cuts->n++;
    return RMAT_OK;
}

/* Calls work(state, first, count) for all of the stream's edges [first, end), piece by piece, and
 * tick as sorted_fill() does. */
static int each_piece(uint64_t first, uint64_t end,
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

static int add_to_interval(void *interval, uint64_t first, uint64_t count)
{
    return rmat_interval_add(interval, first, count);
}

/* Which of the stream's first `edges` edges can be in the interval: where the stream is in order, a
 * range of them. */
static int range_of(const rmat_gen *gen, const rmat_cell *bounds, uint64_t edges, uint64_t *first,
                    uint64_t *count)
{
    const rmat_cell cells[] = {{0, 0}, bounds[0], bounds[1]};
    uint64_t counts[2];

    *first = 0;
    *count = edges;
    if (rmat_stream_in_order(gen)) {
        const int status = rmat_count_cells(gen, 0, edges, 3, cells, counts);

        if (status != RMAT_OK) {
            return status;
        }
        *first = counts[0];
        *count = counts[1];
    }
    return RMAT_OK;
}

int sorted_fill(const rmat_gen *gen, rmat_interval *b, sorted_cuts *cuts, uint64_t i,
                uint64_t edges, bool unique, sorted_tick tick, void *argument)
{
    uint64_t first, count;
    rmat_cell middle;
    int status;

    while (true) {
        status = rmat_interval_begin(b, &cuts->cells[i], &cuts->cells[i + 1], unique);
        if (status == RMAT_OK) {
            status = range_of(gen, &cuts->cells[i], edges, &first, &count);
        }
        if (status == RMAT_OK) {
            status = each_piece(first, first + count, add_to_interval, b, tick, argument);
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

/*
 * Where in the file each rank's part begins, when edges are not made unique: on several ranks, or
 * where loops are left out, it takes a look at the edges.
 *
 * Ranks of one interval each make it and tell.  Else the stream is made once more beforehand, of
 * which each rank makes a part, to count who gets how many; where it is in order, that takes no
 * edges.
 */

void sorted_add_up(sorted_run *r, uint64_t mine)
{
    uint64_t sum = 0;

    dist_gather(&mine, sizeof mine, r->starts);
    for (int k = 0; k <= dist_size(); k++) {
        uint64_t count = k < dist_size() ? r->starts[k] : 0;

        r->starts[k] = sum;
        sum += count;
    }
    r->edges = sum;
}

typedef struct {
    sorted_run *run;
    uint64_t *counts, *more; /* of the ranks */
} counting;

static int count_piece(void *state, uint64_t first, uint64_t count)
{
    counting *c = state;
    int ranks = dist_size();
    int status =
        rmat_count_cells(c->run->gen, first, count, (uint64_t)ranks + 1, c->run->bounds, c->more);

    for (int k = 0; k < ranks && status == RMAT_OK; k++) {
        c->counts[k] += c->more[k];
    }
    return status;
}

/* Item k of n equal parts begins there. */
static uint64_t part_start(uint64_t items, int k, int n)
{
    return (uint64_t)((unsigned __int128)items * (unsigned)k / (unsigned)n);
}

static int count_all(sorted_run *r)
{
    int ranks = dist_size(), rank = dist_rank(), status = RMAT_OK;
    counting c = {r, calloc((size_t)ranks, sizeof *c.counts),
                  calloc((size_t)ranks, sizeof *c.more)};
    uint64_t stream = sorted_stream(r, r->draws);

    if (c.counts == NULL || c.more == NULL) {
        status = sorted_failed(r, RMAT_ERR_NOMEM);
    } else {
        r->pass++;
        status = each_piece(part_start(stream, rank, ranks), part_start(stream, rank + 1, ranks),
                            count_piece, &c, sorted_work_tick, r);
        sorted_failed(r, status);
    }
    status = sorted_end(r, status);
    if (status == ENGINE_OK) {
        dist_sum(c.counts, (size_t)ranks);
        sorted_add_up(r, c.counts[rank]);
    }
    free(c.counts);
    free(c.more);
    return status;
}

int sorted_count(sorted_run *r)
{
    uint64_t cut = 0;
    int status;

    r->draws = r->goal->job.edges;
    r->edges = sorted_stream(r, r->draws);
    if (dist_size() == 1 && !r->goal->drops_loops) {
        r->starts[0] = 0;
        r->starts[1] = r->edges;
        return ENGINE_OK;
    }
    if (r->plan.passes > 1 || r->plan.in_order) {
        return count_all(r);
    }
    r->pass++;
    status = sorted_make_interval(r, r->slots[0].interval, 0, r->edges, sorted_work_tick);
    status = sorted_end(r, sorted_failed(r, status));
    if (status != ENGINE_OK) {
        return status;
    }
    r->kept = true;
    cut = r->cuts.n > 1; /* no room after all */
    dist_sum(&cut, 1);
    if (cut > 0) {
        return count_all(r);
    }
    sorted_add_up(r, rmat_interval_edges(r->slots[0].interval));
    return ENGINE_OK;
}
