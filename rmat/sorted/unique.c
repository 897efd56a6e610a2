/*
 * unique.c - the search for the number of draws of a graph with exactly M distinct edges.
 *
 * The sample gives a window of draws (low, high] that probably holds the answer.  Intervals of the
 * first `low` draws, made unique, show how many edges are distinct, and which edges of the window
 * are new.  The answer is the draw of one of these new edges.  If it lies elsewhere, the counts
 * give a better window.
 *
 * If each rank has all its edges in one interval, the intervals are kept.  New edges are inserted,
 * and nothing is made twice.  Such a window can also be searched in steps.
 *
 * With symmetrize, pairs of vertices count, each by its edge with src >= dst.
 */
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_interval.h"
#include "rmat/sorted/cpu/interval.h"
#include "rmat/try.h"

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
    rmat_interval *b;
    rmat_cpu_interval slice;
    rmat_first_seen *edges; /* of the slice, in the order of cells, with their numbers in it */
    bool *found;            /* of these: the interval or a slice before has it */
    rmat_first_list *list;
    uint64_t begin; /* where this interval's edges begin in the list */
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
    return in;
}

/* Merges those of the slice's n edges that have not been found into the list. */
static int merge_edges(slices *f, uint64_t n, uint64_t first)
{
    rmat_first_seen *all = f->list->edges;
    uint64_t k = f->begin, more = 0, to;

    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell *c = &f->edges[i].cell;

        for (; k < f->list->n && rmat_cell_below(&all[k].cell, c); k++) {
        }
        f->found[i] |= k < f->list->n && !rmat_cell_below(c, &all[k].cell);
        more += !f->found[i];
    }
    if (more > f->list->most - f->list->n) {
        return RMAT_ERR_FULL;
    }
    all = realloc(all, (f->list->n + more + 1) * sizeof *all);
    if (all == NULL) {
        return RMAT_ERR_NOMEM;
    }
    k = f->list->n;
    to = k + more;
    *f->list = (rmat_first_list){all, to, f->list->most};
    for (uint64_t i = n; i-- > 0;) { /* from the end */
        if (!f->found[i]) {
            while (k > f->begin && rmat_cell_below(&f->edges[i].cell, &all[k - 1].cell)) {
                all[--to] = all[--k];
            }
            all[--to] = f->edges[i];
            all[to].index += first;
        }
    }
    return RMAT_OK;
}

static int search_slice(slices *f, const rmat_key_range *in, uint64_t first, uint64_t count)
{
    const uint64_t start = rmat_stream_first(f->b->gen);

    rmat_cpu_keys_begin(&f->slice, in, true);
    RMAT_OR_RETURN(rmat_cpu_gather(&f->slice, start + first, count, true));
    RMAT_OR_RETURN(rmat_cpu_sort(&f->slice));
    if (f->slice.n == 0) {
        return RMAT_OK;
    }
    rmat_cpu_first_seen(&f->slice, f->edges);
    RMAT_OR_RETURN(f->b->ops->has(f->b, f->slice.n, f->edges, f->found));
    return merge_edges(f, f->slice.n, first);
}

int rmat_interval_unseen(rmat_interval *b, uint64_t first, uint64_t count, rmat_first_list *list)
{
    slices f = {.b = b, .list = list, .begin = list->n};
    rmat_key_range in;
    uint64_t room;
    int bits, st;

    if (first > rmat_stream_edges(b->gen) || count > rmat_stream_edges(b->gen) - first) {
        return RMAT_ERR_RANGE;
    }
    if (!count || !rmat_cell_below(&b->first, &b->end)) {
        return RMAT_OK;
    }
    in = slice_range(b, &bits);
    room = count >> bits ? (uint64_t)1 << bits : count;
    f.edges = malloc(room * sizeof *f.edges);
    f.found = malloc(room * sizeof *f.found);
    RMAT_TRY(f.edges != NULL && f.found != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_TRY(rmat_cpu_keys_create(&f.slice, b->gen, room, (int)rmat_key_ops_of(&in)->bytes));
    if (b->gen->gpu == NULL) {
        f.slice.seen = ((const rmat_cpu_interval *)b->state)->seen;
    }
    for (uint64_t at = 0; at < count; at += room) {
        RMAT_TRY(search_slice(&f, &in, first + at, count - at < room ? count - at : room));
    }
done:
    b->edges_made += count;
    rmat_cpu_keys_destroy(&f.slice);
    free(f.edges);
    free(f.found);
    return st;
}

/* --- The search --- */

/* So many draws for each edge that is wanted are nearly all copies. */
enum { MANY_DRAWS = 16 };

typedef struct {
    rmat_search *to;   /* what the caller gave and receives */
    int symmetric;     /* 1: the stream has two edges of each draw */
    uint64_t low, end; /* draws [low, end) are searched, */
    uint64_t step;     /* at most `step` at a time */
    bool in_memory;    /* each rank has all its edges in one interval, which stays in memory */
    uint64_t at;       /* the number of draws in that interval */
    uint64_t distinct; /* distinct edges or pairs of all ranks among these draws */
    uint64_t edges;    /* of this rank before the window */
    rmat_first_list list;
} search;

/* What the ranks add up after they looked at their parts: the ranks with too little room and with
 * several parts, and the edges that are distinct before the window and new in it. */
enum { FULL, SEVERAL, DISTINCT, NEW, SUMS };

/* At the end of what all ranks did: agrees on the status, and adds up values. */
static int sum(const search *s, int status, uint64_t *values, size_t n)
{
    return s->to->sum != NULL ? s->to->sum(s->to->state, status, values, n) : status;
}

static bool counts(const search *s, const rmat_cell *c)
{
    return !s->symmetric || c->src >= c->dst;
}

/* Looks at this rank's parts. */
static int look_at_parts(search *s, uint64_t sums[SUMS])
{
    const uint64_t first = s->low << s->symmetric, count = (s->end << s->symmetric) - first;
    const bool ready = s->in_memory && s->at == s->low;
    rmat_parts *parts = s->to->parts;
    rmat_interval *b = s->to->interval;
    int st = RMAT_OK;

    s->edges = s->list.n = 0;
    for (uint64_t i = 0; i < parts->n && st == RMAT_OK; i++) {
        uint64_t distinct = 0;

        if (!ready) {
            RMAT_OR_RETURN(rmat_interval_make_part(b, parts, i, first, 1));
            distinct = b->edges;
            RMAT_OR_RETURN(s->symmetric ? b->ops->lower(b, &distinct) : RMAT_OK);
        }
        sums[DISTINCT] += distinct;
        s->edges += b->edges;
        st = rmat_interval_unseen(b, first, count, &s->list);
    }
    for (uint64_t i = 0; i < s->list.n; i++) {
        sums[NEW] += counts(s, &s->list.edges[i].cell);
    }
    sums[FULL] = st == RMAT_ERR_FULL;
    sums[SEVERAL] = parts->n > 1;
    return sums[FULL] ? RMAT_OK : st;
}

/* The number of new edges that count among the first `draws` draws. */
static uint64_t new_before(const search *s, uint64_t draws)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < s->list.n; i++) {
        const rmat_first_seen *e = &s->list.edges[i];

        n += e->index >> s->symmetric < draws && counts(s, &e->cell);
    }
    return n;
}

/* Inserts the new edges into the interval, which then has `draws` draws. */
static int insert(search *s, uint64_t draws)
{
    const int st = rmat_interval_insert(s->to->interval, s->list.n, s->list.edges);
    uint64_t full = st == RMAT_ERR_FULL;

    RMAT_OR_RETURN(sum(s, full ? RMAT_OK : st, &full, 1));
    s->in_memory = full == 0;
    s->at = draws;
    return RMAT_OK;
}

/* The answer is the k-th draw that counts among the new edges of all ranks.  Drops the new edges
 * after it. */
static int answer(search *s, uint64_t k)
{
    uint64_t low = s->low, high = s->end, kept = 0;

    while (high - low > 1) { /* k or more count before `high`, but fewer before `low` */
        const uint64_t middle = low + (high - low) / 2;
        uint64_t below = new_before(s, middle);

        RMAT_OR_RETURN(sum(s, RMAT_OK, &below, 1));
        if (below < k) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (uint64_t i = 0; i < s->list.n; i++) {
        s->list.edges[kept] = s->list.edges[i];
        kept += s->list.edges[i].index >> s->symmetric < high;
    }
    s->list.n = kept;
    s->to->draws = high;
    s->to->edges = s->edges + kept;
    RMAT_OR_RETURN(s->in_memory ? insert(s, high) : RMAT_OK);
    s->to->made = s->in_memory;
    return RMAT_OK;
}

/* The leader's choice of draws to search: all of the window, if there is room for what is new in
 * it; else its middle.  Intervals that stay in memory take it in steps from its beginning. */
static void choose_draws(const search *s, uint64_t *low, uint64_t *end)
{
    const rmat_window *w = &s->to->window;
    const uint64_t width = w->high - w->low;
    uint64_t draws = width;

    if (!s->in_memory) {
        const double room = (double)(s->to->most / 4 * 3 * s->to->ranks >> s->symmetric);
        const double expected = rmat_sample_distinct(s->to->sample, (double)w->high, NULL) -
                                rmat_sample_distinct(s->to->sample, (double)w->low, NULL);

        draws = expected > room ? (uint64_t)((double)width * room / expected) : width;
    }
    draws = draws < s->step ? draws : s->step;
    *low = s->in_memory ? w->low : w->low + (width - draws) / 2;
    *end = *low + draws;
}

/* Agrees on the leader's window, after its status, and on the draws to search. */
static int agree(search *s, int status)
{
    rmat_window *w = &s->to->window;
    uint64_t window[3] = {0};

    if (s->to->sample != NULL) {
        choose_draws(s, &window[0], &window[1]);
        window[2] = w->high;
    }
    RMAT_OR_RETURN(sum(s, status, window, 3));
    s->low = window[0];
    s->end = window[1];
    w->high = window[2];
    return RMAT_OK;
}

/* Looks at these draws.  to->draws is set if they have the answer; else the next window is. *status
 * is the leader's for that window. */
static int search_step(search *s, int *status)
{
    const uint64_t wanted = s->to->window.edges;
    rmat_window *w = &s->to->window;
    uint64_t sums[SUMS] = {0}, distinct;
    const int st = look_at_parts(s, sums);

    RMAT_OR_RETURN(sum(s, st, sums, SUMS));
    distinct = s->in_memory && s->at == s->low ? s->distinct : sums[DISTINCT];
    if (s->in_memory && sums[SEVERAL] > 0) {
        s->in_memory = false;
        s->step = UINT64_MAX;
    }
    s->at = s->low;
    s->distinct = distinct;
    if (sums[FULL] > 0) {
        if (s->end - s->low <= 1) {
            return RMAT_ERR_FULL;
        }
        s->step = (s->end - s->low + 1) / 2;
        return RMAT_OK;
    }
    if (distinct < wanted && distinct + sums[NEW] >= wanted) {
        return answer(s, wanted - distinct);
    }
    if (s->in_memory && distinct < wanted) {
        RMAT_OR_RETURN(insert(s, s->end));
        s->distinct += sums[NEW];
        if (s->in_memory && s->end < w->high) {
            w->low = s->end;
            return RMAT_OK;
        }
    }
    w->low = s->low;
    w->high = s->end;
    if (s->to->sample != NULL) {
        *status = rmat_window_next(s->to->sample, distinct, distinct + sums[NEW], w);
    }
    /* An interval that lacks little of the next window's draws has them inserted. */
    if (s->in_memory && w->low >= s->at &&
        (w->low - s->at <= s->at / 16 || s->at / MANY_DRAWS >= wanted)) {
        w->low = s->at;
    }
    return RMAT_OK;
}

int rmat_search_unique(rmat_search *to)
{
    search s = {.to = to,
                .symmetric = to->interval->gen->config.symmetrize,
                .in_memory = to->parts->n == 1,
                .at = UINT64_MAX,
                .list.most = to->most};
    /* Where the last edges take most of the draws a window is wide, and the answer may be at its
     * beginning. */
    const uint64_t part = (to->window.high - to->window.low) / MANY_DRAWS;
    const uint64_t least = MANY_DRAWS * to->window.edges;
    int st = RMAT_OK, status = RMAT_OK;

    s.step = !s.in_memory ? UINT64_MAX : part > least ? part : least;
    to->draws = 0;
    while (st == RMAT_OK && to->draws == 0) {
        st = agree(&s, status);
        st = st == RMAT_OK ? search_step(&s, &status) : st;
    }
    free(s.list.edges);
    return st;
}

int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges)
{
    rmat_parts parts = {NULL, 1};
    rmat_search s = {.parts = &parts, .most = bytes / 4 / 32, .ranks = 1};
    rmat_sample *sample = NULL;
    double capacity, draws;
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
    s.most = s.most > RMAT_INTERVAL_LEAST_EDGES ? s.most : RMAT_INTERVAL_LEAST_EDGES;
    RMAT_TRY(rmat_sample_create_from(&sample, gen, 0));
    s.sample = sample;
    RMAT_TRY(rmat_window_first(sample, distinct, &s.window));
    RMAT_TRY(rmat_interval_create(&s.interval, gen, bytes));
    capacity = (double)(s.interval->capacity >> gen->config.symmetrize);
    draws = (double)s.window.high;
    if ((double)s.window.low > capacity) {
        parts.n += (uint64_t)(rmat_sample_distinct(sample, draws, NULL) / (capacity / 2));
    }
    parts.cells = malloc((parts.n + 1) * sizeof *parts.cells);
    RMAT_TRY(parts.cells != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_TRY(rmat_sample_cut(sample, draws, 1, parts.n, parts.cells));
    RMAT_TRY(rmat_search_unique(&s));
    *edges = s.draws << gen->config.symmetrize;
done:
    free(parts.cells);
    rmat_interval_destroy(s.interval);
    rmat_sample_destroy(sample);
    return st;
}
