/*
 * unique.c - the search for M distinct edges. rmat_interval_unseen() finds the first occurrences,
 * in a range of the stream, of edges that a sorted interval lacks. rmat_unique_edges() is the whole
 * search in the memory of one process.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/sorted/cpu/interval.h"
#include "rmat/try.h"

#include <stddef.h>
#include <stdlib.h>

/*
 * rmat_interval_unseen() on either backend.
 *
 * The range is searched slice by slice, on the CPU.  The edges of a slice that lie in the interval
 * are gathered and sorted as those of an interval in host memory are, with their number in the
 * slice as a weight, so that of each cell the first remains.  The interval then says which of these
 * it has; others may have been found in slices before.  Where the interval has a bit map of its
 * keys, the others alone are gathered, from longer slices.
 */

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
    rmat_first_seen *edges; /* of the slice, in the order of cells, with their numbers in it */
    bool *found;            /* of these: the interval or a slice before has it */
    rmat_first_seen *list;  /* what has been found in slices before, in the same order */
    uint64_t n, most;       /* of the list: how many, and at most */
} slices;

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

/* Merges those of the slice's n edges that have not been found into the list. */
static int merge_edges(slices *f, uint64_t n, uint64_t first)
{
    uint64_t k = 0, more = 0, to;
    rmat_first_seen *list;

    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *c = &f->edges[i].cell;

        for (; k < f->n && rmat_cell_below(&f->list[k].cell, c); k++) {
        }
        f->found[i] |= k < f->n && !rmat_cell_below(c, &f->list[k].cell);
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
    k = f->n;
    f->n += more;
    to = f->n;
    for (uint64_t i = n; i-- > 0;) { /* from the end */
        if (!f->found[i]) {
            while (k > 0 && rmat_cell_below(&f->edges[i].cell, &list[k - 1].cell)) {
                list[--to] = list[--k];
            }
            list[--to] = f->edges[i];
            list[to].index += first;
        }
    }
    return RMAT_OK;
}

static int search_slice(slices *f, const rmat_key_range *in, uint64_t first, uint64_t count)
{
    const uint64_t start = rmat_stream_first(f->b->gen);
    uint64_t n;

    rmat_cpu_keys_begin(&f->slice, in);
    RMAT_OR_RETURN(rmat_cpu_gather(&f->slice, f->b->gen, start + first, count, true));
    RMAT_OR_RETURN(rmat_cpu_sort(&f->slice, true));
    n = f->slice.n;
    if (n == 0) {
        return RMAT_OK;
    }
    rmat_cpu_first_seen(&f->slice, f->edges);
    if (f->b->counted) {
        f->found[0] = f->b->edges > 0;
    } else {
        RMAT_OR_RETURN(f->b->ops->has(f->b, n, f->edges, f->found));
    }
    return merge_edges(f, n, first);
}

static int search_slices(slices *f, uint64_t first, uint64_t count)
{
    int bits;
    const rmat_key_range in = slice_range(f->b, &bits);
    const uint64_t most = (uint64_t)1 << bits, room = count < most ? count : most;

    f->edges = malloc(room * sizeof *f->edges);
    f->found = malloc(room * sizeof *f->found);
    if (f->edges == NULL || f->found == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_OR_RETURN(
        rmat_cpu_keys_create(&f->slice, f->b->gen, room, (int)rmat_key_ops_of(&in)->bytes));
    if (f->b->gen->gpu == NULL) {
        f->slice.seen = ((const rmat_cpu_interval *)f->b->state)->seen;
    }
    for (uint64_t at = 0; at < count; at += room) {
        RMAT_OR_RETURN(search_slice(f, &in, first + at, count - at < room ? count - at : room));
    }
    return RMAT_OK;
}

int rmat_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                         rmat_first_seen **list, uint64_t *n)
{
    const uint64_t edges = b != NULL ? rmat_stream_edges(b->gen) : 0;
    slices *f;
    int st;

    if (b == NULL || !b->sorted || !b->unique || list == NULL || n == NULL ||
        rmat_own_weights(b->gen)) {
        return RMAT_ERR_ARG;
    }
    if (first > edges || count > edges - first) {
        return RMAT_ERR_RANGE;
    }
    *list = NULL;
    *n = 0;
    if (!count || !rmat_cell_below(&b->first, &b->end)) {
        return RMAT_OK;
    }
    f = calloc(1, sizeof *f);
    if (f == NULL) {
        return RMAT_ERR_NOMEM;
    }
    f->b = b;
    f->most = most;
    st = search_slices(f, first, count);
    if (st == RMAT_OK && f->n > 0) {
        qsort(f->list, f->n, sizeof *f->list, rmat_compare_first_seen);
        *list = f->list;
        *n = f->n;
    } else {
        free(f->list);
    }
    rmat_cpu_keys_destroy(&f->slice);
    free(f->edges);
    free(f->found);
    free(f);
    return st;
}

/*
 * rmat_unique_edges(): interval by interval of the sorted order, the distinct edges among the draws
 * before a window are counted, and the draws of the window that are first occurrences are listed.
 * If the two numbers enclose M, the answer is the draw at which the count becomes M; else they make
 * a better window.
 */
typedef struct {
    rmat_interval *interval;
    rmat_window window;
    uint64_t distinct; /* edges among the draws before the window */
    uint64_t *unseen;  /* the draws of the window that are first occurrences, n of them */
    uint64_t n, most;  /* most: the capacity of `unseen` */
} unique_search;

static int compare_first_seen(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Appends the first occurrences in the interval. */
static int list_unseen(unique_search *s)
{
    rmat_first_seen *list;
    uint64_t n;

    RMAT_OR_RETURN(rmat_interval_unseen(s->interval, s->window.low, s->window.high - s->window.low,
                                        s->most - s->n, &list, &n));
    for (uint64_t i = 0; i < n; i++) {
        s->unseen[s->n++] = list[i].index;
    }
    free(list);
    return RMAT_OK;
}

/* Counts and lists the interval from *first to *end, in parts if it does not fit.  RMAT_ERR_FULL if
 * there is no room for its first occurrences. */
static int search_interval(unique_search *s, const rmat_cell *first, const rmat_cell *end)
{
    rmat_cell middle;
    int st = rmat_interval_begin(s->interval, first, end, 1);

    if (st == RMAT_OK) {
        st = rmat_interval_add(s->interval, 0, s->window.low);
    }
    if (st == RMAT_OK) {
        st = rmat_interval_sort(s->interval);
    }
    if (st == RMAT_ERR_FULL) {
        RMAT_OR_RETURN(rmat_interval_middle(s->interval, &middle));
        RMAT_OR_RETURN(search_interval(s, first, &middle));
        RMAT_OR_RETURN(search_interval(s, &middle, end));
    } else {
        RMAT_OR_RETURN(st);
        s->distinct += rmat_interval_edges(s->interval);
        RMAT_OR_RETURN(list_unseen(s));
    }
    return RMAT_OK;
}

/* Counts the distinct edges before the window, s->distinct, and lists the s->n first occurrences in
 * it, in no order. */
static int search_window(unique_search *s, const rmat_sample *sample, uint64_t capacity)
{
    const double expected = rmat_sample_distinct(sample, (double)s->window.high, NULL);
    const uint64_t parts =
        s->window.low <= capacity ? 1 : (uint64_t)(expected / ((double)capacity / 2)) + 1;
    rmat_cell *cells = malloc((parts + 1) * sizeof *cells);
    int st;

    s->distinct = s->n = 0;
    if (cells == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_TRY(rmat_sample_cut(sample, (double)s->window.high, 1, parts, cells));
    for (uint64_t i = 0; i < parts; i++) {
        RMAT_TRY(search_interval(s, &cells[i], &cells[i + 1]));
    }
done:
    free(cells);
    return st;
}

static int search_windows(unique_search *s, const rmat_sample *sample, uint64_t distinct,
                          uint64_t capacity, uint64_t *draws)
{
    int st;

    RMAT_OR_RETURN(rmat_window_first(sample, distinct, &s->window));
    for (;;) {
        st = search_window(s, sample, capacity);
        if (st == RMAT_ERR_FULL) { /* too many first occurrences: only count, at the middle */
            s->window.low += (s->window.high - s->window.low) / 2;
            s->window.high = s->window.low;
            st = search_window(s, sample, capacity);
        }
        RMAT_OR_RETURN(st);
        if (s->distinct < distinct && s->distinct + s->n >= distinct) {
            qsort(s->unseen, s->n, sizeof *s->unseen, compare_first_seen);
            *draws = s->unseen[distinct - s->distinct - 1] + 1;
            return RMAT_OK;
        }
        RMAT_OR_RETURN(rmat_window_next(sample, s->distinct, s->distinct + s->n, &s->window));
    }
}

int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges)
{
    unique_search s = {.most = bytes / 4 / (sizeof(rmat_first_seen) + sizeof *s.unseen)};
    rmat_sample *sample = NULL;
    rmat_gen *base = NULL;
    rmat_config config;
    uint64_t capacity;
    int st;

    if (gen == NULL || edges == NULL) {
        return RMAT_ERR_ARG;
    }
    *edges = 0;
    if (distinct == 0) {
        return RMAT_OK;
    }
    if (rmat_has_source(gen)) {
        return RMAT_ERR_ARG; /* its edges are what they are: none is drawn at random */
    }
    /* The pairs of vertices of a symmetric graph are the edges of its lower half. */
    config = gen->config;
    config.levels = gen->levels;
    config.noise = 0;
    config.backend = rmat_used_backend(gen);
    config.device = rmat_used_device(gen);
    config.symmetrize = 0;
    config.direction = gen->config.symmetrize ? RMAT_LOWER : gen->config.direction;
    RMAT_TRY(rmat_create(&base, &config));
    RMAT_TRY(rmat_sample_create_from(&sample, base, 0));
    RMAT_TRY(rmat_interval_create(&s.interval, base, bytes));
    s.most = s.most > RMAT_INTERVAL_LEAST_EDGES ? s.most : RMAT_INTERVAL_LEAST_EDGES;
    s.unseen = malloc(s.most * sizeof *s.unseen);
    if (s.unseen == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    RMAT_TRY(rmat_interval_capacity(base, bytes, &capacity));
    RMAT_TRY(search_windows(&s, sample, distinct, capacity, edges));
    if (gen->config.symmetrize) {
        *edges *= 2;
    }
done:
    free(s.unseen);
    rmat_interval_destroy(s.interval);
    rmat_sample_destroy(sample);
    rmat_destroy(base);
    return st;
}
