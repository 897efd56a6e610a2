/*
 * rmat_interval_unseen() on the CPU: the first occurrences, in a range of the stream, of edges that
 * a sorted interval lacks.
 *
 * The range is searched slice by slice.  The edges of a slice are gathered and sorted as those of
 * an interval are, with their number in the slice as a weight, so that of each cell the first
 * remains; it is unseen if the interval lacks it.  Where the interval has a bit map of its keys,
 * the others alone are gathered, from longer slices.  Cells found in several slices lose their
 * copies at the end.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

/* Edges of a slice: this part of the interval's capacity, within bounds. */
enum { SLICE_PART = 16, LEAST_SLICE_BITS = 17, SEEN_SLICE_BITS = 21, MOST_SLICE_BITS = 25 };

typedef struct {
    const rmat_interval *b;
    rmat_cpu_interval *slice;
    uint32_t *which; /* by number in the slice: 1 + the place of the key, if it is unseen, or 0 */
    rmat_first_seen *list;
    uint64_t n, most;
} search;

static int by_cell(const void *a, const void *b)
{
    const rmat_first_seen *x = a, *y = b;

    if (rmat_cell_below(&x->cell, &y->cell) || rmat_cell_below(&y->cell, &x->cell)) {
        return rmat_cell_below(&x->cell, &y->cell) ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
    const rmat_first_seen *x = a, *y = b;

    return (x->index > y->index) - (x->index < y->index);
}

static void drop_copies(search *f)
{
    uint64_t kept = 0;

    qsort(f->list, f->n, sizeof *f->list, by_cell);
    for (uint64_t i = 0; i < f->n; i++) {
        if (kept == 0 || rmat_cell_below(&f->list[kept - 1].cell, &f->list[i].cell)) {
            f->list[kept++] = f->list[i];
        }
    }
    f->n = kept;
    qsort(f->list, f->n, sizeof *f->list, by_index);
}

/* Marks the unseen keys of the slice in f->which.  Returns how many there are. */
static uint64_t mark_unseen(search *f, uint64_t count)
{
    const rmat_cpu_interval *s = f->slice, *interval = f->b->state;
    const int bits = s->in.weight_bits;
    uint64_t found = 0;

    memset(f->which, 0, count * sizeof *f->which);
#pragma omp parallel for schedule(static) num_threads(rmat_chunks_team(&s->chunks, s->n))           \
    reduction(+ : found)
    for (uint32_t c = 0; c < s->chunks_used; c++) {
        const void *keys = rmat_chunk(&s->chunks, s->order[c]);
        uint32_t at = 0;

        for (uint64_t i = 0; i < s->before[c + 1] - s->before[c]; i++) {
            const rmat_key key = s->ops->at(keys, i);

            if (!rmat_cpu_has(interval, &at, key >> bits)) {
                f->which[key & (((rmat_key)1 << bits) - 1)] = (uint32_t)(s->before[c] + i + 1);
                found++;
            }
        }
    }
    return found;
}

/* Appends the unseen edges of a slice to the list, by index. */
static int list_slice(search *f, uint64_t first, uint64_t count)
{
    const uint64_t found = mark_unseen(f, count);
    rmat_first_seen *list = realloc(f->list, (f->n + found + 1) * sizeof *list);

    if (list == NULL) {
        return RMAT_ERR_NOMEM;
    }
    f->list = list;
    for (uint64_t i = 0; i < count && found; i++) {
        if (f->which[i]) {
            const rmat_key key = rmat_cpu_key(f->slice, f->which[i] - 1);

            list[f->n++] = (rmat_first_seen){
                rmat_cell_of(&f->slice->in, key >> f->slice->in.weight_bits), first + i};
        }
    }
    return RMAT_OK;
}

/* The keys of the interval, above the bits of their numbers in the slice. */
static rmat_key_range slice_range(const rmat_cpu_interval *s, int bits)
{
    rmat_key_range in = s->in;

    in.weights = RMAT_WEIGHTS_INT;
    in.weight_bits = bits;
    in.least = rmat_weight_order(RMAT_WEIGHTS_INT, 0);
    in.bits += bits;
    in.all = false;
    return in;
}

static int search_slices(search *f, uint64_t first, uint64_t count, const rmat_key_range *in)
{
    const uint64_t capacity = f->slice->capacity;
    bool several = false;

    for (uint64_t some; count; first += some, count -= some) {
        some = count < capacity ? count : capacity;
        rmat_cpu_keys_begin(f->slice, in);
        RMAT_OR_RETURN(rmat_cpu_gather(f->slice, f->b->gen, first, some, true));
        RMAT_OR_RETURN(rmat_cpu_sort(f->slice, true));
        RMAT_OR_RETURN(list_slice(f, first, some));
        if (several && (f->n > f->most || some == count)) {
            drop_copies(f);
        }
        if (f->n > f->most) {
            return RMAT_ERR_FULL;
        }
        several = true;
    }
    return RMAT_OK;
}

int rmat_cpu_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                             rmat_first_seen **list, uint64_t *n)
{
    const rmat_cpu_interval *s = b->state;
    search f = {.b = b, .most = most};
    const int least = s->seen != NULL ? SEEN_SLICE_BITS : LEAST_SLICE_BITS;
    rmat_key_range in;
    int bits = 0, st;

    while ((bits < least || (uint64_t)SLICE_PART << bits < s->capacity) && bits < MOST_SLICE_BITS &&
           s->in.bits + bits < 128 && (uint64_t)1 << bits < count) {
        bits++;
    }
    in = slice_range(s, bits);
    f.slice = calloc(1, sizeof *f.slice);
    f.which = malloc(sizeof *f.which << bits);
    if (f.slice == NULL || f.which == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    RMAT_TRY(rmat_cpu_keys_create(f.slice, b->gen, (uint64_t)1 << bits,
                                  (int)rmat_key_ops_of(&in)->bytes));
    f.slice->seen = s->seen;
    RMAT_TRY(search_slices(&f, first, count, &in));
    *list = f.list;
    *n = f.n;
    f.list = NULL;
done:
    if (f.slice != NULL) {
        rmat_cpu_keys_destroy(f.slice);
    }
    free(f.slice);
    free(f.which);
    free(f.list);
    return st;
}
