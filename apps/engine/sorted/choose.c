/*
 * Whether ranks make the whole stream each, or a share of it and exchange edges.
 *
 * Both ways sort and write alike.  What differs is, for each look at all intervals,
 *
 *   none   passes * T / S                             S: edges of the stream that a rank makes and
 *   all    passes * T / (R S) + T w (R - 1) / (R R B)    tests per second; w: bytes of a key
 *
 * S is that of the slowest rank, measured with an interval (SORTED.md).  B is what a rank sends per
 * second while all send to all, by an exchange of the first edges with buffers as they are used
 * later: its time but for making the edges, so that sorting keys by owner counts too.  An exchange
 * takes its buffers from the memory for intervals, and so may need more passes.  Rank 0 decides.
 */
#include "apps/common/clock.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"

#include <math.h>
#include <stdlib.h>

enum { CPU_PILOT = 1 << 20, GPU_PILOT = 1 << 26 }; /* edges, for each thread of a CPU */
#define MEASURE_SECONDS 0.1
#define MOST_TRIES      4
#define MANY_DRAWS      16 /* for each edge of the graph */
#define PART            64 /* the tested edges' share of kept ones is 1 / PART, as with many intervals */

/* A stream of fewer edges is made before anything has been measured. */
#define FEW_EDGES ((double)(1 << 24))

typedef struct {
    double test, keep; /* seconds of the slowest rank, for an edge of the stream, and more for
                          one that is kept */
    double network;    /* bytes per second that a rank sends while all do */
} sorted_costs;

static int make_once(rmat_interval *b, const rmat_cell *first, const rmat_cell *end, bool unique,
                     uint64_t n, double *seconds)
{
    double start = clock_seconds();
    int status = rmat_interval_begin(b, first, end, unique);

    if (status == RMAT_OK) {
        status = rmat_interval_add(b, 0, n);
    }
    if (status == RMAT_OK) {
        status = rmat_interval_sort(b);
    }
    *seconds = clock_seconds() - start;
    return status;
}

/* Fill an interval from the stream's first n edges and sort it.  *seconds: of the fastest try, for
 * the first one also finds its memory, and others may want the processors.  Returns 0 or an
 * rmat_status. */
static int make_stream(rmat_interval *b, const rmat_cell *first, const rmat_cell *end, bool unique,
                       uint64_t n, double *seconds)
{
    double fastest, sum = 0;
    int status = make_once(b, first, end, unique, n, &fastest);

    for (int i = 1; status == RMAT_OK && (i == 1 || (i < MOST_TRIES && sum < MEASURE_SECONDS / 4));
         i++) {
        status = make_once(b, first, end, unique, n, seconds);
        fastest = fmin(fastest, *seconds);
        sum += *seconds;
    }
    *seconds = fastest;
    return status;
}

/* Where 1 / PART of a sorted interval's edges lie. */
static int middle_part(const rmat_interval *b, rmat_cell *first, rmat_cell *end)
{
    uint64_t n = rmat_interval_edges(b), src, dst;
    rmat_arrays to = {&src, &dst, NULL, 8};
    int status = rmat_interval_read(b, n / 2, 1, &to);

    *first = (rmat_cell){src, dst};
    if (status == RMAT_OK) {
        status = rmat_interval_read(b, n / 2 + n / PART, 1, &to);
    }
    *end = (rmat_cell){src, dst};
    return status;
}

/* In an interval for n edges. */
static int measure_interval(rmat_interval *b, const engine_job *o, uint64_t n, uint64_t most,
                            sorted_costs *p)
{
    rmat_cell first = {0, 0}, end = {o->model.rows, 0};
    double whole, part, kept;
    int status = make_stream(b, &first, &end, o->unique, n, &whole);

    /* Copies need no room: where they are nearly all, an interval takes the stream in long pieces.
     */
    while (status == RMAT_OK && o->unique && most / MANY_DRAWS > o->graph_edges &&
           whole < MEASURE_SECONDS / 4 && 2 * n <= most) {
        n *= 2;
        status = make_stream(b, &first, &end, o->unique, n, &whole);
    }
    whole /= (double)n;
    if (status == RMAT_OK) {
        status = middle_part(b, &first, &end);
    }
    p->test = whole;
    p->keep = 0;
    if (status != RMAT_OK || rmat_interval_edges(b) < PART ||
        (first.src == end.src && first.dst == end.dst)) {
        return status; /* so small that it is all the same */
    }
    for (uint64_t tested = n; status == RMAT_OK; tested *= 2) {
        status = make_stream(b, &first, &end, o->unique, tested, &part);
        if (status == RMAT_OK) {
            kept = (double)rmat_interval_edges(b) / (double)tested;
            part /= (double)tested;
            /* whole = test + keep, part = test + kept keep, but for noise */
            p->test = fmax((part - kept * whole) / (1 - kept), part / 2);
            p->keep = fmax(whole - p->test, 0);
        }
        if (part * (double)tested >= MEASURE_SECONDS / 4 || tested >= most) {
            break;
        }
    }
    return status == RMAT_ERR_FULL ? RMAT_OK : status;
}

/* Measures what this rank takes for an edge, with an interval of the plan.  Returns 0 or an
 * rmat_status. */
static int measure_rank(const engine_job *o, const engine_backend *backend, const sorted_plan *plan,
                        sorted_costs *p)
{
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    const rmat_gen *gen = gpu ? backend->gpu_gen : backend->cpu_gen;
    uint64_t n = gpu ? GPU_PILOT : CPU_PILOT * (uint64_t)o->threads, stream = plan->stream_edges;
    rmat_interval *interval;
    uint64_t bytes;
    int status;

    n = n < plan->interval_edges / 4 * 3 ? n : plan->interval_edges / 4 * 3;
    n = (n < stream ? n : stream) >> o->model.symmetrize << o->model.symmetrize;
    p->test = p->keep = 0;
    n = n > 0 ? n : 2; /* of no edges there would be no speed */
    status = rmat_interval_bytes(gen, n > 3072 ? n + n / 3 + 1 : RMAT_INTERVAL_LEAST_EDGES, &bytes);
    if (status == RMAT_OK) {
        status = rmat_interval_create(&interval, gen, bytes);
    }
    if (status == RMAT_OK) {
        status = measure_interval(interval, o, n, stream, p);
        rmat_interval_destroy(interval);
    }
    return status;
}

/* Of the ranks' values, to all: the largest of each. */
static int largest(double *values, int n)
{
    const size_t bytes = (size_t)n * sizeof *values;
    double *all = malloc((size_t)dist_size() * bytes);
    int status = engine_agree(all == NULL ? engine_fail("memory is exhausted") : ENGINE_OK);

    if (status == ENGINE_OK) {
        dist_gather(values, bytes, all);
        for (int i = 0; i < n * dist_size(); i++) {
            values[i % n] = fmax(values[i % n], all[i]);
        }
    }
    free(all);
    return status;
}

int sorted_join_passes(sorted_plan *plan, const engine_job *o)
{
    double passes = (double)plan->passes;
    const int status = largest(&passes, 1);

    if (status == ENGINE_OK) {
        sorted_plan_passes(plan, o, (uint64_t)passes);
    }
    return status;
}

static int measure_network(const engine_job *o, const engine_backend *b, const sorted_plan *plan,
                           uint64_t bytes, sorted_costs *costs)
{
    const bool gpu = b->used == RMAT_BACKEND_GPU;
    const rmat_gen *gen = gpu ? b->gpu_gen : b->cpu_gen;
    const rmat_ranks ranks = rank_exchange();
    const size_t size = ((size_t)dist_size() + 1) * sizeof(rmat_cell);
    uint64_t n = (gpu ? GPU_PILOT : CPU_PILOT * (uint64_t)o->threads) * (uint64_t)dist_size();
    rmat_cell *cells = malloc(size);
    rmat_exchange *x = NULL;
    double seconds = 0, each;
    int status = cells == NULL ? RMAT_ERR_NOMEM : rmat_exchange_create(&x, gen, &ranks, bytes);

    dist_broadcast(&n, sizeof n);
    n = n < plan->stream_edges ? n : plan->stream_edges;
    n = n >> o->model.symmetrize << o->model.symmetrize;
    if (status == RMAT_OK && dist_rank() == 0) {
        status = rmat_sample_cut(plan->sample, (double)(n >> o->model.symmetrize) + 1, o->unique,
                                 (uint64_t)dist_size(), cells);
    }
    status = engine_agree(sorted_fail(b, status));
    if (status == ENGINE_OK) {
        dist_broadcast(cells, size);
        status = rmat_exchange_measure(x, &cells[dist_rank()], &cells[dist_rank() + 1], o->unique,
                                       n, &seconds);
        status = engine_agree(sorted_fail(b, status == RMAT_ERR_RANKS ? RMAT_OK : status));
    }
    each = seconds / (double)(n > 0 ? n : 1);
    each = fmax(each - costs->test / dist_size(), each / 16);
    costs->network =
        rmat_exchange_key_bytes(gen) * (dist_size() - 1.0) / dist_size() / dist_size() / each;
    rmat_exchange_destroy(x);
    free(cells);
    return status;
}

/* Seconds to make the graph by the plan, without writing. */
static double seconds_of(const sorted_plan *plan, const engine_job *o, const engine_backend *b,
                         const sorted_costs *costs)
{
    const rmat_gen *gen = b->used == RMAT_BACKEND_GPU ? b->gpu_gen : b->cpu_gen;
    const double ranks = dist_size(), edges = plan->expected_edges,
                 keep = edges / ranks * costs->keep;
    const double sent = edges * rmat_exchange_key_bytes(gen) * (ranks - 1) / ranks / ranks;
    const double pass = edges * costs->test * sorted_pass_share(plan);
    const double look = (double)plan->passes * pass + (plan->exchange ? sent / costs->network : 0);
    const double counting = plan->counting == 0 ? 0
                            : o->unique ? (double)(plan->counting / plan->passes) * look + keep
                                        : edges * costs->test / ranks; /* each in its part */

    return counting + look + keep;
}

/* Is the plan with exchanges faster? */
static int compare(const sorted_plan *plan, const sorted_plan *other, const engine_job *o,
                   const engine_backend *b, bool *faster)
{
    sorted_costs costs = {0};
    double slowest[2];
    int status = engine_agree(sorted_fail(b, measure_rank(o, b, plan, &costs)));

    slowest[0] = costs.test;
    slowest[1] = costs.keep;
    if (status == ENGINE_OK) {
        status = largest(slowest, 2);
    }
    costs.test = slowest[0];
    costs.keep = slowest[1];
    if (status == ENGINE_OK) {
        status = measure_network(o, b, plan, other->exchange_bytes, &costs);
    }
    if (status == ENGINE_OK) {
        *faster = seconds_of(other, o, b, &costs) < seconds_of(plan, o, b, &costs);
        dist_broadcast(faster, sizeof *faster);
    }
    return status;
}

int sorted_choose(sorted_plan *plan, const engine_job *o, engine_backend *b)
{
    const rmat_exchange_way how = o->exchange;
    sorted_plan other = *plan;
    double bytes;
    uint64_t lacking;
    bool exchange = how == RMAT_EXCHANGE_ALL;
    int status = sorted_join_passes(plan, o);

    if (status != ENGINE_OK || dist_size() == 1 || plan->in_order || how == RMAT_EXCHANGE_NONE ||
        (how == RMAT_EXCHANGE_AUTO && plan->expected_edges < FEW_EDGES)) {
        return status;
    }
    bytes = -(double)sorted_exchange_bytes(plan, o, b); /* the least that a rank would have */
    status = largest(&bytes, 1);
    if (status != ENGINE_OK) {
        return status;
    }
    lacking = sorted_plan_exchange(&other, o, b, (uint64_t)-bytes) != RMAT_OK;
    if (how == RMAT_EXCHANGE_ALL) {
        status = engine_agree(
            lacking ? engine_memory_error(o, b->used, plan->least + (uint64_t)-bytes) : ENGINE_OK);
    }
    dist_sum(&lacking, 1);
    if (status != ENGINE_OK || lacking > 0) {
        return status;
    }
    status = sorted_join_passes(&other, o);
    if (status == ENGINE_OK && how == RMAT_EXCHANGE_AUTO) {
        status = compare(plan, &other, o, b, &exchange);
    }
    if (status == ENGINE_OK && exchange) {
        *plan = other;
    }
    return status;
}
