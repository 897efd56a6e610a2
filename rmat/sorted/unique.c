/*
 * unique.c - the search for the number of draws of a graph with exactly M distinct edges.
 *
 * The sample gives a window of draws (low, high] that probably holds the answer.  Intervals of the
 * first `low` draws, made unique, show how many edges are distinct, and which edges of the window
 * are new.  The answer is the draw of one of these new edges.  If it lies elsewhere, the counts
 * give a better window.
 *
 * If all edges of a rank are in one interval, those up to the answer are inserted into it, and
 * nothing is made twice.
 *
 * With symmetrize, pairs of vertices count, each by its edge with src >= dst.
 */
#include "rmat/rmat_csr.h"
#include "rmat/rmat_interval.h"
#include "rmat/sorted/cpu/interval.h"
#include "rmat/try.h"

#include <stdlib.h>

/* --- First occurrences --- */

enum { PIECE = 1 << 20 /* edges that are looked up at a time */ };

static int compare_first_seen(const void *a, const void *b)
{
    const rmat_first_seen *x = a, *y = b;
    const int cells = rmat_cell_below(&y->cell, &x->cell) - rmat_cell_below(&x->cell, &y->cell);

    return cells != 0 ? cells : (x->index > y->index) - (x->index < y->index);
}

/* Sorts the list from edge `begin` on, and keeps the first occurrence of each. */
static void keep_first(rmat_first_list *list, uint64_t begin)
{
    rmat_first_seen *edges = list->edges;
    uint64_t n = begin;

    if (list->n - begin > 1) {
        qsort(edges + begin, list->n - begin, sizeof *edges, compare_first_seen);
    }
    for (uint64_t i = begin; i < list->n; i++) {
        if (n == begin || rmat_cell_below(&edges[n - 1].cell, &edges[i].cell)) {
            edges[n++] = edges[i];
        }
    }
    list->n = n;
}

/* A piece of the stream: first its edges, then those of them that belong to the interval. */
typedef struct {
    uint64_t src[PIECE], dst[PIECE];
    rmat_first_seen edges[PIECE];
    bool found[PIECE]; /* the interval has it */
} piece;

/* Appends the edges of the piece that the interval lacks; the list may have them already. */
static int append_unseen(const rmat_interval *b, piece *p, uint64_t first, uint64_t count,
                         rmat_first_list *list)
{
    rmat_first_list in = {p->edges, 0, PIECE};
    rmat_first_seen *edges;

    RMAT_OR_RETURN(
        rmat_generate_arrays(b->gen, first, count, &(rmat_arrays){p->src, p->dst, NULL, 8}));
    for (uint64_t i = 0; i < count; i++) {
        const rmat_cell c = {p->src[i], p->dst[i]};

        if (!rmat_cell_below(&c, &b->first) && rmat_cell_below(&c, &b->end)) {
            p->edges[in.n++] = (rmat_first_seen){c, first + i};
        }
    }
    if (in.n == 0) {
        return RMAT_OK;
    }
    if (b->gen->gpu == NULL && b->edges > in.n) { /* a CPU finds them faster in their order */
        keep_first(&in, 0);
    }
    RMAT_OR_RETURN(b->ops->has(b, in.n, p->edges, p->found));
    edges = realloc(list->edges, (list->n + in.n) * sizeof *edges);
    if (edges == NULL) {
        return RMAT_ERR_NOMEM;
    }
    list->edges = edges;
    for (uint64_t i = 0; i < in.n; i++) {
        if (!p->found[i]) {
            edges[list->n++] = p->edges[i];
        }
    }
    return RMAT_OK;
}

int rmat_interval_unseen(rmat_interval *b, uint64_t first, uint64_t count, uint64_t enough,
                         rmat_first_list *list)
{
    uint64_t begin, end = first + count, n;
    piece *p;
    int st = RMAT_OK;

    if (b == NULL || !b->sorted || !b->unique || list == NULL || rmat_has_source(b->gen)) {
        return RMAT_ERR_ARG;
    }
    if (!rmat_cell_below(&b->first, &b->end)) {
        return RMAT_OK;
    }
    p = malloc(sizeof *p);
    if (p == NULL) {
        return RMAT_ERR_NOMEM;
    }
    begin = list->n;
    for (; first < end && list->n < enough && st == RMAT_OK; first += n) {
        n = end - first < PIECE ? end - first : PIECE;
        st = append_unseen(b, p, first, n, list);
        b->edges_made += n;
        if (list->n > list->most || list->n >= enough || first + n == end) {
            keep_first(list, begin);
        }
        st = st == RMAT_OK && list->n > list->most ? RMAT_ERR_FULL : st;
    }
    free(p);
    return st;
}

/* --- The search --- */

typedef struct {
    rmat_search *to;   /* what the caller gave and receives */
    int symmetric;     /* 1: the stream has two edges of each draw */
    uint64_t low, end; /* draws [low, end) are searched, */
    uint64_t step;     /* at most `step` at a time */
    uint64_t edges;    /* of this rank before the window */
    rmat_first_list list;
} search;

/* What the ranks add up after they looked at their parts: the ranks with too little room, and the
 * edges that are distinct before the window and new in it. */
enum { FULL, DISTINCT, NEW, SUMS };

/* At the end of what all ranks did: agrees on the status, and adds up values. */
static int sum(const search *s, int status, uint64_t *values, size_t n)
{
    return s->to->sum != NULL ? s->to->sum(s->to->state, status, values, n) : status;
}

/* The number of new edges among the first `draws` draws, or of those of them that count. */
static uint64_t new_before(const search *s, uint64_t draws, bool all)
{
    const int threads = rmat_team(rmat_cpu_threads(s->to->interval->gen), s->list.n);
    const rmat_first_seen *edges = s->list.edges;
    uint64_t n = 0;

#pragma omp parallel for num_threads(threads) reduction(+ : n)
    for (uint64_t i = 0; i < s->list.n; i++) {
        n += edges[i].index >> s->symmetric < draws &&
             (all || !s->symmetric || edges[i].cell.src >= edges[i].cell.dst);
    }
    return n;
}

/* Looks at this rank's parts. */
static int look_at_parts(search *s, uint64_t sums[SUMS])
{
    const uint64_t first = s->low << s->symmetric, count = (s->end << s->symmetric) - first;
    const uint64_t wanted = s->to->window.edges;
    rmat_parts *parts = s->to->parts;
    rmat_interval *b = s->to->interval;
    int st = RMAT_OK;

    s->edges = s->list.n = 0;
    for (uint64_t i = 0; i < parts->n && st == RMAT_OK; i++) {
        uint64_t distinct, enough = UINT64_MAX;

        RMAT_OR_RETURN(rmat_interval_make_part(b, parts, i, first, 1));
        distinct = b->edges;
        RMAT_OR_RETURN(s->symmetric ? rmat_interval_lower(b, &distinct) : RMAT_OK);
        sums[DISTINCT] += distinct;
        s->edges += b->edges;
        if (parts->n == 1 && s->to->ranks == 1) { /* the answer may come early in a wide window */
            enough = distinct < wanted ? (wanted - distinct) << s->symmetric : 0;
        }
        st = rmat_interval_unseen(b, first, count, enough, &s->list);
    }
    sums[NEW] = new_before(s, s->end, false);
    sums[FULL] = st == RMAT_ERR_FULL;
    return sums[FULL] ? RMAT_OK : st;
}

/* Inserts the new edges among the first `draws` draws into the interval, if it has all edges of
 * this rank before them. */
static int insert(search *s, uint64_t draws)
{
    rmat_first_seen *edges = s->list.edges;
    uint64_t n = 0;
    int st;

    if (s->to->parts->n > 1) {
        return RMAT_OK;
    }
    for (uint64_t i = 0; i < s->list.n; i++) {
        if (edges[i].index >> s->symmetric < draws) {
            edges[n++] = edges[i];
        }
    }
    st = rmat_interval_insert(s->to->interval, n, edges);
    s->to->made = st == RMAT_OK;
    return st == RMAT_ERR_FULL ? RMAT_OK : st;
}

/* The answer is the k-th draw that counts among the new edges of all ranks. */
static int answer(search *s, uint64_t k)
{
    uint64_t low = s->low, high = s->end, none = 0;

    while (high - low > 1) { /* k or more count before `high`, but fewer before `low` */
        const uint64_t middle = low + (high - low) / 2;
        uint64_t below = new_before(s, middle, false);

        RMAT_OR_RETURN(sum(s, RMAT_OK, &below, 1));
        if (below < k) {
            low = middle;
        } else {
            high = middle;
        }
    }
    s->to->draws = high;
    s->to->edges = s->edges + new_before(s, high, true);
    return sum(s, insert(s, high), &none, 1);
}

/* Agrees on the leader's window, after its status, and on the draws to search: all of the window,
 * if there is room for what is new in it; else its middle. */
static int agree(search *s, int status)
{
    rmat_window *w = &s->to->window;
    uint64_t window[3] = {0};

    if (s->to->sample != NULL) {
        const uint64_t width = w->high - w->low;
        const double room = (double)(s->to->most / 4 * 3 * s->to->ranks >> s->symmetric);
        const double expected = rmat_sample_distinct(s->to->sample, (double)w->high, NULL) -
                                rmat_sample_distinct(s->to->sample, (double)w->low, NULL);
        uint64_t draws = expected > room ? (uint64_t)((double)width * room / expected) : width;

        draws = draws < s->step ? draws : s->step;
        window[0] = w->low + (width - draws) / 2;
        window[1] = window[0] + draws;
        window[2] = w->high;
    }
    RMAT_OR_RETURN(sum(s, status, window, 3));
    s->low = window[0];
    s->end = window[1];
    w->high = window[2];
    return RMAT_OK;
}

/* Looks at these draws.  to->draws is set if they have the answer; else the next window is. *status
 * is that of the search for it, the leader's or that of all ranks. */
static int search_step(search *s, int *status)
{
    rmat_window *w = &s->to->window;
    uint64_t sums[SUMS] = {0};
    const int st = look_at_parts(s, sums);

    RMAT_OR_RETURN(sum(s, st, sums, SUMS));
    if (sums[FULL] > 0) {
        s->step = (s->end - s->low + 1) / 2;
        *status = s->end - s->low <= 1 ? RMAT_ERR_FULL : RMAT_OK;
        return RMAT_OK;
    }
    if (sums[DISTINCT] < w->edges && sums[DISTINCT] + sums[NEW] >= w->edges) {
        return answer(s, w->edges - sums[DISTINCT]);
    }
    w->low = s->low;
    w->high = s->end;
    if (s->to->sample != NULL) {
        *status = rmat_window_next(s->to->sample, sums[DISTINCT], sums[DISTINCT] + sums[NEW], w);
    }
    return RMAT_OK;
}

int rmat_search_unique(rmat_search *to)
{
    search s = {.to = to,
                .symmetric = to->interval->gen->config.symmetrize,
                .step = UINT64_MAX,
                .list.most = to->most};
    int st = RMAT_OK, status = RMAT_OK;

    to->draws = 0;
    to->made = 0;
    while (st == RMAT_OK && to->draws == 0) {
        st = agree(&s, status);
        st = st == RMAT_OK ? search_step(&s, &status) : st;
    }
    free(s.list.edges);
    return st;
}

/* Cells of a sample: no work beside the graph's. */
enum { LEAST_SAMPLE = 1 << 16, MOST_SAMPLE = 1 << 20 };

int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges)
{
    rmat_parts parts = {NULL, 1};
    rmat_search s = {.parts = &parts, .most = bytes / 4 / 32, .ranks = 1};
    rmat_sample *sample = NULL;
    uint64_t capacity, size = distinct / 64;
    double draws;
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
    size = size < LEAST_SAMPLE ? LEAST_SAMPLE : size < MOST_SAMPLE ? size : MOST_SAMPLE;
    RMAT_TRY(rmat_sample_create_from(&sample, gen, size));
    s.sample = sample;
    RMAT_TRY(rmat_window_first(sample, distinct, &s.window));
    RMAT_TRY(rmat_interval_create(&s.interval, gen, bytes));
    RMAT_TRY(rmat_interval_capacity(gen, bytes, &capacity));
    draws = (double)s.window.high;
    if (s.window.low << gen->config.symmetrize > capacity) {
        parts.n += (uint64_t)((1 + gen->config.symmetrize) *
                              rmat_sample_distinct(sample, draws, NULL) / ((double)capacity / 2));
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
