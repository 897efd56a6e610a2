/*
 * search.c - finds the number of draws of the graph, and the number of edges of each rank.
 *
 * If the number of draws is given, the parts are made or, if there are many, counted.
 *
 * Otherwise the search finds the number of draws with exactly the requested number of distinct
 * edges.  The sample gives a window of draws (low, high] that probably holds the answer.  Intervals
 * of the first `low` draws, made unique, show how many edges are distinct, and which edges of the
 * window are new.  The answer is the draw of one of these new edges.
 *
 * If each rank has all its edges in one interval, the intervals are kept.  New edges are inserted,
 * and the edges need not be made again.  Such a window can also be searched in steps.
 *
 * With symmetrize, pairs of vertices count, each by its edge with src >= dst.
 */
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include <stdlib.h>
#include <string.h>

/* Of those: r->starts and r->edges from what this rank has.  Collective. */
static void add_up(sorted_run *r, uint64_t mine)
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

/* At the end of what all ranks did: the sums of values.  Collective. */
static int sum_up(sorted_run *r, int status, uint64_t *values, size_t n)
{
    status = sorted_end(r, status);
    if (status == ENGINE_OK) {
        dist_sum(values, n);
    }
    return status;
}

/* --- A number of draws that is given --- */

/* Makes all parts.  One that is all that a rank has is kept. */
static int make_all(sorted_run *r, uint64_t stream)
{
    uint64_t edges = 0, unused = 0;
    int status = RMAT_OK;

    for (uint64_t i = 0; i < r->parts && status == RMAT_OK; i++) {
        status = sorted_make(r, r->intervals[0], i, stream);
        edges += status == RMAT_OK ? rmat_interval_edges(r->intervals[0]) : 0;
    }
    r->only_part_made = r->parts == 1;
    status = sum_up(r, status, &unused, 1);
    if (status == ENGINE_OK) {
        add_up(r, edges);
    }
    return status;
}

typedef struct {
    sorted_run *run;
    uint64_t *counts, *more; /* of the ranks */
} counting;

static int count_piece(void *state, uint64_t first, uint64_t count)
{
    counting *c = state;
    const uint64_t ranks = (uint64_t)dist_size();
    const int status =
        rmat_count_cells(c->run->gen, first, count, ranks + 1, c->run->bounds, c->more);

    for (uint64_t k = 0; k < ranks && status == RMAT_OK; k++) {
        c->counts[k] += c->more[k];
    }
    return status;
}

/* Counts the edges of each rank in an additional pass over the stream.  Each rank makes a part of
 * the stream.  A stream in order is counted without making edges. */
static int count_all(sorted_run *r, uint64_t stream)
{
    const uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank();
    const uint64_t first = (uint64_t)((unsigned __int128)stream * rank / ranks);
    const uint64_t end = (uint64_t)((unsigned __int128)stream * (rank + 1) / ranks);
    counting c = {r, calloc(2 * ranks, sizeof *c.counts), NULL};
    int status = RMAT_ERR_NOMEM;

    if (c.counts != NULL) {
        c.more = c.counts + ranks;
        r->pass++;
        status = sorted_pieces(r, first, end, count_piece, &c);
    }
    status = sum_up(r, status, c.counts, ranks);
    if (status == ENGINE_OK) {
        add_up(r, c.counts[rank]);
    }
    free(c.counts);
    return status;
}

/* --- A number of distinct edges --- */

/* So many draws for each edge that is wanted are nearly all copies. */
enum { MANY_DRAWS = 16 };

typedef struct {
    sorted_run *run;
    rmat_window window;
    uint64_t end;      /* draws [window.low, end) are searched, */
    uint64_t step;     /* at most `step` at a time */
    bool in_memory;    /* each rank has all its edges in one interval, which stays in memory */
    uint64_t at;       /* the number of draws in that interval */
    uint64_t distinct; /* distinct edges or pairs of all ranks among these draws */

    /* Of this rank: its edges before the window, and the n new ones among the draws looked at. */
    uint64_t edges;
    rmat_first_seen *list;
    uint64_t n;
    bool full; /* there was too little room for the new ones */
} search;

static bool counts(const sorted_run *r, const rmat_cell *c)
{
    return !r->goal->job.model.symmetrize || c->src >= c->dst;
}

/* What is distinct in an interval, as it counts. */
static int distinct_in(const sorted_run *r, const rmat_interval *b, uint64_t *n)
{
    *n = rmat_interval_edges(b);
    return r->goal->job.model.symmetrize ? rmat_interval_lower(b, n) : RMAT_OK;
}

/* Adds the edges that part i has before the window, how many of them are distinct, as they count,
 * and what is new to it in the window. */
static int look_at(search *s, uint64_t i, uint64_t *distinct)
{
    sorted_run *r = s->run;
    rmat_interval *b = r->intervals[0];
    const uint64_t first = sorted_stream(r, s->window.low);
    const uint64_t count = sorted_stream(r, s->end) - first;
    const uint64_t most = sorted_most_new(&r->plan);
    rmat_first_seen *list = NULL, *all;
    uint64_t n = 0, here = 0;
    int status = RMAT_OK;

    if (!s->in_memory || s->at != s->window.low) {
        status = sorted_make(r, b, i, first);
        if (status == RMAT_OK) {
            status = distinct_in(r, b, &here);
            *distinct += here;
        }
    }
    if (status == RMAT_OK) {
        s->edges += rmat_interval_edges(b);
        status = rmat_interval_unseen(b, first, count, most > s->n ? most - s->n : 0, &list, &n);
        r->made += count;
        s->full = status == RMAT_ERR_FULL;
        status = s->full ? RMAT_OK : status;
    }
    if (n > 0) {
        all = realloc(s->list, (s->n + n) * sizeof *all);
        if (all != NULL) {
            memcpy(all + s->n, list, n * sizeof *all);
            s->list = all;
            s->n += n;
        } else {
            status = RMAT_ERR_NOMEM;
        }
    }
    free(list);
    return status;
}

/* Looks at all parts of all ranks.  sums: how many ranks had too little room, and how many have
 * several parts; how many edges are distinct before the window, and how many more are new in it.
 * Collective. */
static int look_at_all(search *s, uint64_t sums[4])
{
    sorted_run *r = s->run;
    const bool known = s->in_memory && s->at == s->window.low;
    uint64_t distinct = 0, counted = 0;
    int status = RMAT_OK;

    s->edges = s->n = 0;
    s->full = false;
    for (uint64_t i = 0; i < r->parts && status == RMAT_OK && !s->full; i++) {
        status = look_at(s, i, &distinct);
    }
    for (uint64_t i = 0; i < s->n; i++) {
        counted += counts(r, &s->list[i].cell);
    }
    sums[0] = s->full;
    sums[1] = r->parts > 1;
    sums[2] = distinct;
    sums[3] = counted;
    status = sum_up(r, status, sums, 4);
    sums[2] = known ? s->distinct : sums[2];
    return status;
}

/* How many of the numbers, in order, are below. */
static uint64_t count_below(const uint64_t *x, uint64_t n, uint64_t limit)
{
    uint64_t low = 0, high = n;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (x[middle] < limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The k-th, from 1 on, of all ranks' numbers, which are in order on each; it lies in [low, high).
 * Collective. */
static uint64_t find_kth(const uint64_t *x, uint64_t n, uint64_t low, uint64_t high, uint64_t k)
{
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2, below = count_below(x, n, middle);

        dist_sum(&below, 1);
        if (below < k) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Inserts the first n new edges into the interval, which then has `draws` draws.  Collective. */
static int insert(search *s, uint64_t n, uint64_t draws)
{
    sorted_run *r = s->run;
    int status = rmat_interval_insert(r->intervals[0], n, s->list);
    uint64_t full = status == RMAT_ERR_FULL;

    status = sum_up(r, full ? RMAT_OK : status, &full, 1);
    s->in_memory = full == 0;
    s->at = draws;
    return status;
}

/* The answer is the k-th draw that counts among the new edges.  Collective. */
static int answer(search *s, uint64_t k)
{
    sorted_run *r = s->run;
    uint64_t *draws = malloc((s->n + 1) * sizeof *draws), n = 0, take = 0;
    int status = sorted_end(r, draws != NULL ? RMAT_OK : RMAT_ERR_NOMEM);

    if (status == ENGINE_OK) {
        if (r->parts > 1 && s->n > 0) {
            qsort(s->list, s->n, sizeof *s->list, rmat_compare_first_seen);
        }
        for (uint64_t i = 0; i < s->n; i++) {
            if (counts(r, &s->list[i].cell)) {
                draws[n++] = s->list[i].index >> r->goal->job.model.symmetrize;
            }
        }
        r->draws = 1 + find_kth(draws, n, s->window.low, s->end, k);
        while (take < s->n && s->list[take].index < sorted_stream(r, r->draws)) {
            take++;
        }
        add_up(r, s->edges + take);
        status = s->in_memory ? insert(s, take, r->draws) : ENGINE_OK;
        r->only_part_made = s->in_memory;
    }
    free(draws);
    return status;
}

/* Looks at the window's beginning.  r->draws is set when that has the answer; else s is ready for
 * the next step.  Collective. */
static int search_step(search *s, uint64_t wanted)
{
    sorted_run *r = s->run;
    rmat_window *w = &s->window;
    const uint64_t room = s->in_memory ? UINT64_MAX : sorted_most_draws(&r->plan, r->goal);
    const uint64_t most = s->step < room ? s->step : room;
    uint64_t sums[4];
    int status;

    s->end = w->high - w->low < most ? w->high : w->low + most;
    dist_broadcast(w, sizeof *w); /* rank 0's, for all to do the same */
    dist_broadcast(&s->end, sizeof s->end);
    if (!s->in_memory) {
        r->plan.counting = atomic_load(&r->pass) + r->parts; /* with this look */
    }
    status = look_at_all(s, sums);
    if (status != ENGINE_OK) {
        return status;
    }
    s->in_memory = s->in_memory && sums[1] == 0;
    s->at = w->low;
    s->distinct = sums[2];
    if (sums[0] > 0) {
        s->step = (s->end - w->low + 1) / 2;
        return ENGINE_OK;
    }
    if (sums[2] < wanted && sums[2] + sums[3] >= wanted) {
        return answer(s, wanted - sums[2]);
    }
    if (s->in_memory && sums[2] < wanted) {
        status = insert(s, s->n, s->end);
        s->distinct += sums[3];
    }
    if (status == ENGINE_OK && s->in_memory && sums[2] < wanted && s->end < w->high) {
        w->low = s->end;
        return ENGINE_OK;
    }
    w->high = s->end;
    if (status == ENGINE_OK && dist_rank() == 0) {
        status = sorted_end(r, rmat_window_next(r->plan.sample, sums[2], sums[2] + sums[3], w));
    }
    /* An interval that lacks little of the next window's draws has them inserted. */
    if (s->in_memory && w->low >= s->at &&
        (w->low - s->at <= s->at / 16 || s->at / MANY_DRAWS >= wanted)) {
        w->low = s->at;
    }
    return status;
}

static int search_draws(sorted_run *r, uint64_t wanted)
{
    search s = {
        .run = r, .window = r->plan.window, .in_memory = r->plan.passes == 1, .at = UINT64_MAX};
    /* Where the last edges take most of the draws a window is wide, and the answer may be at its
     * beginning. */
    const uint64_t part = (s.window.high - s.window.low) / MANY_DRAWS, least = MANY_DRAWS * wanted;
    int status = ENGINE_OK;

    s.step = s.in_memory ? (part > least ? part : least) : UINT64_MAX;
    while (status == ENGINE_OK && r->draws == 0) {
        status = search_step(&s, wanted);
    }
    free(s.list);
    return status;
}

int sorted_count(sorted_run *r)
{
    const engine_job *o = &r->goal->job;

    if (o->unique && !o->dedup && o->edges > 0) {
        return search_draws(r, o->edges);
    }
    r->draws = o->edges;
    r->edges = sorted_stream(r, r->draws);
    if (o->unique ||
        ((dist_size() > 1 || r->goal->drops_loops) && r->plan.passes == 1 && !r->plan.in_order)) {
        return make_all(r, r->edges);
    }
    if (dist_size() > 1 || r->goal->drops_loops) {
        return count_all(r, r->edges);
    }
    r->starts[0] = 0;
    r->starts[1] = r->edges;
    return ENGINE_OK;
}
