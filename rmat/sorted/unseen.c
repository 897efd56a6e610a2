/*
 * rmat_interval_unseen(): the first occurrences, in a range of the stream, of edges that a sorted
 * interval lacks, on either backend.
 *
 * The range is searched slice by slice, on the CPU.  The edges of a slice that lie in the interval
 * are gathered and sorted as those of an interval in host memory are, with their number in the
 * slice as a weight, so that of each cell the first remains.  The interval then says which of these
 * it has; others may have been found in slices before.  Where the interval has a bit map of its
 * keys, the others alone are gathered, from longer slices.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

/* Edges of a slice: this part of the interval's capacity, within bounds.  One takes about 48 bytes
 * of host memory. */
enum {
    SLICE_PART = 16,
    LEAST_BITS = 17,
    SEEN_BITS = 21,
    MOST_BITS = 24,
    MOST_BITS_BESIDE_GPU = 20
};

typedef struct {
    const rmat_interval *b;
    rmat_cpu_interval slice;
    rmat_first_seen *edges; /* of the slice, in order, with their numbers in it */
    bool *found;            /* of these: the interval or a slice before has it */
    uint32_t *which;        /* by number: 1 + the place among these, or 0 if it has been found */
    rmat_cell *cells;       /* found in slices before, in order */
    uint64_t n_cells;
    rmat_first_seen *list;
    uint64_t n, most;
} search;

/* The keys of the interval, above the bits of their numbers in the slice. */
static rmat_key_range slice_range(const rmat_interval *b, int *bits)
{
    const rmat_cpu_interval *s = b->gen->gpu == NULL ? b->state : NULL;
    const int least = s != NULL && s->seen != NULL ? SEEN_BITS : LEAST_BITS;
    const int most = s != NULL ? MOST_BITS : MOST_BITS_BESIDE_GPU;
    rmat_key_range in = rmat_key_range_of(b->gen, &b->first, &b->end);

    *bits = 0;
    while ((*bits < least || (uint64_t)SLICE_PART << *bits < b->capacity) && *bits < most &&
           in.bits + *bits < 128) {
        ++*bits;
    }
    in.weights = RMAT_WEIGHTS_INT;
    in.weight_bits = *bits;
    in.least = rmat_weight_order(RMAT_WEIGHTS_INT, 0);
    in.bits += *bits;
    in.all = false;
    return in;
}

/* Notes which edges of the slice slices before have found, and the others for the next ones. */
static int note_cells(search *f, uint64_t n)
{
    uint64_t k = 0, more = 0, to;
    rmat_cell *cells;

    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *c = &f->edges[i].cell;

        for (; k < f->n_cells && rmat_cell_below(&f->cells[k], c); k++) {
        }
        f->found[i] |= k < f->n_cells && !rmat_cell_below(c, &f->cells[k]);
        more += !f->found[i];
    }
    cells = realloc(f->cells, (f->n_cells + more + 1) * sizeof *cells);
    if (cells == NULL) {
        return RMAT_ERR_NOMEM;
    }
    f->cells = cells;
    k = f->n_cells;
    f->n_cells += more;
    to = f->n_cells;
    for (uint64_t i = n; i-- > 0;) { /* merges from the end */
        const rmat_cell *c = &f->edges[i].cell;

        if (f->found[i]) {
            continue;
        }
        while (k > 0 && rmat_cell_below(c, &cells[k - 1])) {
            cells[--to] = cells[--k];
        }
        cells[--to] = *c;
    }
    return RMAT_OK;
}

/* Appends the unseen ones of n edges of a slice of `count` to the list, by index. */
static int list_edges(search *f, uint64_t n, uint64_t first, uint64_t count)
{
    uint64_t more = 0;
    rmat_first_seen *list;

    memset(f->which, 0, count * sizeof *f->which);
    for (uint64_t i = 0; i < n; i++) {
        f->which[f->edges[i].index] = f->found[i] ? 0 : (uint32_t)i + 1;
        more += !f->found[i];
    }
    if (more > f->most - f->n) {
        return RMAT_ERR_FULL;
    }
    list = realloc(f->list, (f->n + more + 1) * sizeof *list);
    if (list == NULL) {
        return RMAT_ERR_NOMEM;
    }
    f->list = list;
    for (uint64_t i = 0; i < count; i++) {
        if (f->which[i] != 0) {
            list[f->n] = f->edges[f->which[i] - 1];
            list[f->n++].index += first;
        }
    }
    return RMAT_OK;
}

static int search_slice(search *f, const rmat_key_range *in, uint64_t first, uint64_t count,
                        bool only)
{
    uint64_t n;

    rmat_cpu_keys_begin(&f->slice, in);
    RMAT_OR_RETURN(rmat_cpu_gather(&f->slice, f->b->gen, first, count, true));
    RMAT_OR_RETURN(rmat_cpu_sort(&f->slice, true));
    n = f->slice.n;
    if (n == 0) {
        return RMAT_OK;
    }
    rmat_cpu_first_seen(&f->slice, f->edges);
    RMAT_OR_RETURN(f->b->ops->has(f->b, n, f->edges, f->found));
    if (!only) {
        RMAT_OR_RETURN(note_cells(f, n));
    }
    return list_edges(f, n, first, count);
}

static int search_all(search *f, uint64_t first, uint64_t count)
{
    int bits;
    const rmat_key_range in = slice_range(f->b, &bits);
    const uint64_t most = (uint64_t)1 << bits, room = count < most ? count : most;

    f->edges = malloc(room * sizeof *f->edges);
    f->found = malloc(room * sizeof *f->found);
    f->which = malloc(room * sizeof *f->which);
    if (f->edges == NULL || f->found == NULL || f->which == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_OR_RETURN(
        rmat_cpu_keys_create(&f->slice, f->b->gen, room, (int)rmat_key_ops_of(&in)->bytes));
    if (f->b->gen->gpu == NULL) {
        f->slice.seen = ((const rmat_cpu_interval *)f->b->state)->seen;
    }
    for (uint64_t at = 0; at < count; at += room) {
        RMAT_OR_RETURN(
            search_slice(f, &in, first + at, count - at < room ? count - at : room, room == count));
    }
    return RMAT_OK;
}

int rmat_search_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                       rmat_first_seen **list, uint64_t *n)
{
    search *f = calloc(1, sizeof *f);
    int st;

    if (f == NULL) {
        return RMAT_ERR_NOMEM;
    }
    f->b = b;
    f->most = most;
    st = search_all(f, first, count);
    if (st == RMAT_OK) {
        *list = f->list;
        *n = f->n;
    } else {
        free(f->list);
    }
    rmat_cpu_keys_destroy(&f->slice);
    free(f->edges);
    free(f->found);
    free(f->which);
    free(f->cells);
    free(f);
    return st;
}
