/*
 * How many draws have exactly the number of distinct edges that is wanted.
 *
 * A window of draws (low, high] in which the answer lies is known, but for bad luck, from the
 * sample.  Intervals of the first `low` draws, made unique, tell how many are distinct, and which
 * of the window's are new; the answer is the wanted one of these.  Where each rank holds all that
 * it has in one interval, the intervals are kept: what is new is put into its place, and the edges
 * need not be made again.  Such a window can also be gone through bit by bit.
 *
 * With symmetrize pairs of vertices count, each by its edge with src >= dst.
 *
 * Where copies are only dropped (dedup) the number of draws is given, and what is left is counted.
 */
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include <stdlib.h>

enum { TRIALS = 4096 };

/* So many draws for each edge that is wanted are nearly all copies. */
enum { MANY_DRAWS = 16 };

/* New edges of this rank, by the stream's numbers of their edges and of their draws. */
typedef struct {
    uint64_t *edges, *draws;
    uint64_t n, n_draws, room;
} numbers;

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

static int append(sorted_run *r, numbers *x, const rmat_first_seen *list, uint64_t n)
{
    uint64_t room = x->n + n > x->room ? x->n + n : x->room, *edges, *draws;

    if (room > x->room) {
        edges = realloc(x->edges, room * sizeof *edges);
        x->edges = edges != NULL ? edges : x->edges;
        draws = realloc(x->draws, room * sizeof *draws);
        x->draws = draws != NULL ? draws : x->draws;
        if (edges == NULL || draws == NULL) {
            return RMAT_ERR_NOMEM;
        }
        x->room = room;
    }
    for (uint64_t i = 0; i < n; i++) {
        x->edges[x->n++] = list[i].index;
        if (counts(r, &list[i].cell)) {
            x->draws[x->n_draws++] = list[i].index >> r->goal->job.model.symmetrize;
        }
    }
    return RMAT_OK;
}

static int compare_draws(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
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
    uint64_t below[TRIALS];

    while (high - low > 1) {
        uint64_t step = (high - low + TRIALS - 1) / TRIALS, i = 0;

        for (uint64_t t = 0; t < TRIALS; t++) {
            below[t] = count_below(x, n, low + (t + 1) * step);
        }
        dist_sum(below, TRIALS);
        while (below[i] < k) {
            i++;
        }
        low += i * step;
        high = high - low < step ? high : low + step;
    }
    return low;
}

/* Of all ranks, whether any has failed: collective; an exit code. */
static int sum_up(sorted_run *r, int status, uint64_t *values, size_t n)
{
    status = sorted_end(r, sorted_failed(r, status));
    if (status == ENGINE_OK) {
        dist_sum(values, n);
    }
    return status;
}

/* Rank 0's, for all to do the same.  Collective. */
static int agree_on_window(sorted_run *r, int status, rmat_window *w)
{
    dist_broadcast(w, sizeof *w);
    return sorted_end(r, sorted_failed(r, status));
}

static uint64_t most_new(const sorted_run *r)
{
    return sorted_most_new(&r->plan);
}

/* --- One interval per rank --- */

typedef struct {
    uint64_t distinct; /* of the draws before `at`, which the intervals have */
    uint64_t at, step;
    bool crowded; /* some interval has no room: it takes more of them */
} position;

/* The intervals of so many draws.  Collective. */
static int make_kept(sorted_run *r, uint64_t draws, position *p)
{
    rmat_interval *b = r->slots[0].interval;
    uint64_t sums[2] = {0, 0};
    int status;

    r->pass++;
    status = sorted_make_interval(r, b, 0, sorted_stream(r, draws), sorted_work_tick);
    sums[0] = r->cuts.n > 1;
    if (status == RMAT_OK) {
        status = distinct_in(r, b, &sums[1]);
    }
    status = sum_up(r, status, sums, 2);
    p->crowded = sums[0] > 0;
    p->distinct = sums[1];
    p->at = draws;
    return status;
}

/* Of the list, which is in the order of draws, those before `draws`; all ranks'.  Collective. */
static int insert_until(sorted_run *r, position *p, rmat_first_seen *list, uint64_t n,
                        uint64_t draws)
{
    uint64_t take = 0, full;
    int status;

    while (take < n && list[take].index < sorted_stream(r, draws)) {
        take++;
    }
    status = rmat_interval_insert(r->slots[0].interval, take, list);
    full = status == RMAT_ERR_FULL;
    status = sum_up(r, full ? RMAT_OK : status, &full, 1);
    p->crowded = full > 0;
    p->at = draws;
    return status;
}

/* Draws of [first, first + draws) that the interval lacks. */
static int find_unseen(sorted_run *r, const rmat_interval *b, uint64_t first, uint64_t draws,
                       uint64_t most, rmat_first_seen **list, uint64_t *n)
{
    int status;

    sorted_calls(sorted_work_tick, r);
    status = rmat_interval_unseen(b, first, sorted_stream(r, draws), most, list, n);
    sorted_calls(NULL, NULL);
    r->made += sorted_stream(r, draws);
    return status == RMAT_ERR_STOPPED ? SORTED_STOPPED : status;
}

/* One step through the window; r->draws is set when it has the answer.  Collective. */
static int step_kept(sorted_run *r, uint64_t wanted, uint64_t high, position *p)
{
    uint64_t first = sorted_stream(r, p->at), n = 0;
    uint64_t draws = high - p->at < p->step ? high - p->at : p->step;
    uint64_t sums[2] = {0, 0}; /* too many new ones; those that count */
    numbers x = {0};
    rmat_first_seen *list = NULL;
    int status = find_unseen(r, r->slots[0].interval, first, draws, most_new(r), &list, &n);

    sums[0] = status == RMAT_ERR_FULL;
    if (status == RMAT_OK) {
        status = append(r, &x, list, n);
    }
    sums[1] = x.n_draws;
    status = sum_up(r, sums[0] > 0 ? RMAT_OK : status, sums, 2);
    if (status == ENGINE_OK && sums[0] > 0) {
        p->step = draws / 2;
        status = p->step > 0 ? ENGINE_OK : sum_up(r, RMAT_ERR_NOMEM, sums, 0);
    } else if (status == ENGINE_OK) {
        uint64_t end = p->at + draws;

        if (p->distinct + sums[1] >= wanted) {
            end = 1 + find_kth(x.draws, x.n_draws, p->at, end, wanted - p->distinct);
            r->draws = end;
        }
        p->distinct += sums[1];
        status = insert_until(r, p, list, n, end);
    }
    free(list);
    free(x.edges);
    free(x.draws);
    return status;
}

/* With r->draws still 0 afterwards, ranks need several intervals. */
static int search_kept(sorted_run *r, uint64_t wanted, rmat_window *w)
{
    /* Where the last edges take most of the draws a window is wide, and the answer may be at its
     * beginning. */
    const uint64_t part = (w->high - w->low) / MANY_DRAWS, least = MANY_DRAWS * wanted;
    position p = {.step = part > least ? part : least};
    int status = make_kept(r, w->low, &p);
    uint64_t low = p.distinct;

    while (status == ENGINE_OK && r->draws == 0 && !p.crowded) {
        if (p.at < w->high && p.distinct < wanted) {
            status = step_kept(r, wanted, w->high, &p);
            continue;
        }
        status = agree_on_window(
            r, dist_rank() == 0 ? rmat_window_next(r->plan.sample, low, p.distinct, w) : RMAT_OK,
            w);
        low = p.distinct;
        if (status == ENGINE_OK &&
            (low >= wanted || (w->low - p.at > p.at / 16 && p.at / MANY_DRAWS < wanted))) {
            status = make_kept(r, w->low, &p);
            low = p.distinct;
        }
    }
    if (status == ENGINE_OK && p.crowded) {
        r->draws = 0;
    }
    r->kept = r->draws > 0;
    return status;
}

/* --- Several intervals --- */

/* What the interval has of the first w->low draws, and what of the window is new to it; *full:
 * there is too little room for that. */
static int look_at(sorted_run *r, rmat_interval *b, uint64_t i, const rmat_window *w,
                   uint64_t *edges, uint64_t *distinct, numbers *x, bool *full)
{
    uint64_t first = sorted_stream(r, w->low), n = 0, most = most_new(r), here = 0;
    rmat_first_seen *list = NULL;
    int status = sorted_make_interval(r, b, i, first, sorted_work_tick);

    if (status == RMAT_OK) {
        *edges += rmat_interval_edges(b);
        status = distinct_in(r, b, &here);
        *distinct += here;
    }
    if (status == RMAT_OK) {
        status =
            find_unseen(r, b, first, w->high - w->low, most > x->n ? most - x->n : 0, &list, &n);
        *full = status == RMAT_ERR_FULL;
        status = *full ? RMAT_OK : status;
    }
    if (status == RMAT_OK) {
        status = append(r, x, list, n);
    }
    free(list);
    return status;
}

/* One pass over all intervals.  Collective.  r->draws is set, and what each rank has, when it has
 * the answer; else sums tells what rmat_window_next() has to know, or that `full` of ranks had too
 * little room for what is new. */
static int look_at_all(sorted_run *r, uint64_t wanted, const rmat_window *w, uint64_t sums[3])
{
    uint64_t edges = 0, distinct = 0;
    numbers x = {0};
    bool full = false;
    int status = RMAT_OK;

    for (uint64_t i = 0; i < r->cuts.n && status == RMAT_OK && !full; i++) {
        r->pass++;
        status = look_at(r, r->slots[0].interval, i, w, &edges, &distinct, &x, &full);
    }
    sums[0] = full;
    sums[1] = distinct;
    sums[2] = distinct + x.n_draws;
    status = sum_up(r, status, sums, 3);
    if (status == ENGINE_OK && sums[0] == 0 && sums[1] < wanted && sums[2] >= wanted) {
        if (x.n > 0) {
            qsort(x.edges, x.n, sizeof *x.edges, compare_draws);
            qsort(x.draws, x.n_draws, sizeof *x.draws, compare_draws);
        }
        r->draws = 1 + find_kth(x.draws, x.n_draws, w->low, w->high, wanted - sums[1]);
        sorted_add_up(r, edges + count_below(x.edges, x.n, sorted_stream(r, r->draws)));
    }
    free(x.edges);
    free(x.draws);
    return status;
}

/* No more of the window than there is room for what is new in it. */
static void narrow(const sorted_run *r, rmat_window *w)
{
    uint64_t most = sorted_most_draws(&r->plan, r->goal);

    if (w->high - w->low > most) {
        w->high = w->low + most;
    }
}

static int search_intervals(sorted_run *r, uint64_t wanted, rmat_window *w)
{
    int status = ENGINE_OK;

    while (status == ENGINE_OK && r->draws == 0) {
        uint64_t sums[3];

        narrow(r, w);
        r->plan.counting = atomic_load(&r->pass) + r->cuts.n; /* with this look */
        status = agree_on_window(r, RMAT_OK, w);
        if (status == ENGINE_OK) {
            status = look_at_all(r, wanted, w, sums);
        }
        if (status == ENGINE_OK && r->draws == 0 && sums[0] > 0) {
            w->high = w->low + (w->high - w->low + 1) / 2;
        } else if (status == ENGINE_OK && r->draws == 0) {
            status = agree_on_window(
                r,
                dist_rank() == 0 ? rmat_window_next(r->plan.sample, sums[1], sums[2], w) : RMAT_OK,
                w);
        }
    }
    return status;
}

/* --- A number of draws that is given --- */

/* What each rank has of the distinct ones among them.  One interval that has all is kept. */
static int count_distinct(sorted_run *r)
{
    uint64_t edges = 0, unused = 0;
    int status = RMAT_OK;

    r->draws = r->goal->job.edges;
    for (uint64_t i = 0; i < r->cuts.n && status == RMAT_OK; i++) {
        r->pass++;
        status = sorted_make_interval(r, r->slots[0].interval, i, sorted_stream(r, r->draws),
                                      sorted_work_tick);
        edges += status == RMAT_OK ? rmat_interval_edges(r->slots[0].interval) : 0;
    }
    r->kept = r->cuts.n == 1;
    status = sum_up(r, status, &unused, 1);
    if (status == ENGINE_OK) {
        sorted_add_up(r, edges);
    }
    return status;
}

int sorted_search(sorted_run *r)
{
    uint64_t wanted = r->goal->job.edges;
    rmat_window w = r->plan.window;
    int status;

    if (r->goal->job.dedup) {
        return count_distinct(r);
    }
    if (wanted == 0) {
        r->draws = 0;
        sorted_add_up(r, 0);
        return ENGINE_OK;
    }
    status = agree_on_window(r, RMAT_OK, &w);
    if (status == ENGINE_OK && r->plan.passes == 1) {
        status = search_kept(r, wanted, &w);
    }
    if (status == ENGINE_OK && r->kept) {
        sorted_add_up(r, rmat_interval_edges(r->slots[0].interval));
    } else if (status == ENGINE_OK) {
        status = search_intervals(r, wanted, &w);
    }
    return status;
}
