/* How fast a sorted graph is made: a pass over the stream makes and tests all of it, and keeps and
 * sorts a part.  Both are measured with intervals, on all ranks at once. */
#include "apps/common/clock.h"
#include "apps/engine/estimate/estimate.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CPU_PILOT = 1 << 20, GPU_PILOT = 1 << 26 }; /* edges, for each thread of a CPU */
#define MOST_TRIES 4
#define MANY_DRAWS 16 /* for each edge of the graph */
#define PART       64 /* the tested edges' share of kept ones is 1 / PART, as with many intervals */

/* Of one rank. */
typedef struct {
    uint64_t passes;
    double test, keep; /* seconds for an edge of the stream, and more for one that is kept */
} pilot;

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

/* About n edges in the middle of a stream that is in order: those at its beginning, of few
 * vertices, are faster made than most. */
static int measure_in_order(rmat_interval *b, const engine_job *o, const rmat_gen *gen, uint64_t n,
                            uint64_t stream, pilot *p)
{
    const uint64_t begin = (stream - n) / 2;
    rmat_cell first = {0, 0}, end = {o->model.rows, 0};
    uint64_t from, count = 0;
    double seconds = 0;
    int status = RMAT_OK;

    if (n < stream) {
        status = rmat_generate(gen, begin, 1, &first.src, &first.dst);
        if (status == RMAT_OK) {
            status = rmat_generate(gen, begin + n, 1, &end.src, &end.dst);
        }
    }
    if (status == RMAT_OK) {
        status = make_stream(b, &first, &end, o->unique, stream, &seconds);
    }
    if (status == RMAT_OK) {
        status = rmat_interval_range(b, stream, &from, &count);
    }
    p->test = seconds / (double)(count > 0 ? count : 1);
    return status == RMAT_ERR_FULL ? RMAT_OK : status;
}

/* In an interval for n edges. */
static int measure_interval(rmat_interval *b, const engine_job *o, uint64_t n, uint64_t most,
                            pilot *p)
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

static int measure_plan(const engine_job *o, const engine_backend *backend, const sorted_plan *plan,
                        pilot *p)
{
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    const rmat_gen *gen = gpu ? backend->gpu_gen : backend->cpu_gen;
    uint64_t n = gpu ? GPU_PILOT : CPU_PILOT * (uint64_t)o->threads, stream = plan->stream_edges;
    rmat_interval *interval;
    uint64_t bytes;
    int status;

    n = n < plan->interval_edges / 4 * 3 ? n : plan->interval_edges / 4 * 3;
    n = (n < stream ? n : stream) >> o->model.symmetrize << o->model.symmetrize;
    *p = (pilot){.passes = plan->passes};
    n = n > 0 ? n : 2; /* of no edges there would be no speed */
    status = rmat_interval_bytes(gen, n > 3072 ? n + n / 3 + 1 : RMAT_INTERVAL_LEAST_EDGES, &bytes);
    if (status == RMAT_OK) {
        status = rmat_interval_create(&interval, gen, bytes);
    }
    if (status == RMAT_OK) {
        status = plan->in_order ? measure_in_order(interval, o, gen, n, stream, p)
                                : measure_interval(interval, o, n, stream, p);
        rmat_interval_destroy(interval);
    }
    return status;
}

/* An exit code, after a line on stderr if it is not ENGINE_OK. */
static int make_plan(engine_estimate *e, const engine_backend *backend)
{
    const engine_job *o = e->job;
    uint64_t least = 0;
    int status;

    sorted_free_plan(&e->sorted);
    status = sorted_make_plan(&e->sorted, o, backend, &least);
    if (status == RMAT_ERR_FULL) {
        return engine_memory_error(o, backend->used, least);
    }
    if (status == RMAT_OK &&
        sorted_plan_buffers(&e->sorted, o, backend, o->io, e->sorted.share, &e->plan) != 0) {
        status = RMAT_ERR_NOMEM;
    }
    return status == RMAT_OK ? ENGINE_OK : engine_fail("%s", rmat_strerror(status));
}

/* Likewise. */
static int measure(engine_estimate *e, engine_backend *backend, pilot *p)
{
    const engine_job *o = e->job;
    int status = measure_plan(o, backend, &e->sorted, p);
    const char *cuda = status == RMAT_ERR_CUDA ? rmat_gpu_error() : "";

    if (status == RMAT_OK) {
        return ENGINE_OK;
    }
    if (backend->used == RMAT_BACKEND_CPU || !o->fall_back) {
        return engine_fail("%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
    }
    snprintf(backend->gpu_failed, sizeof backend->gpu_failed, "intervals: %s%s%s",
             rmat_strerror(status), *cuda ? ": " : "", cuda);
    engine_backend_without_gpu(backend);
    status = make_plan(e, backend);
    return status == ENGINE_OK ? measure(e, backend, p) : status;
}

/* What the slowest rank takes for an edge, and as many passes as the one that needs most. */
static int gather(engine_estimate *e, const pilot *mine, pilot *worst)
{
    pilot *all = malloc((size_t)dist_size() * sizeof *all);
    int status = all == NULL ? engine_fail("memory is exhausted") : ENGINE_OK;

    status = engine_agree(status);
    if (status == ENGINE_OK) {
        dist_gather(mine, sizeof *mine, all);
        *worst = *mine;
        for (int r = 0; r < dist_size(); r++) {
            worst->passes = all[r].passes > worst->passes ? all[r].passes : worst->passes;
            worst->test = fmax(worst->test, all[r].test);
            worst->keep = fmax(worst->keep, all[r].keep);
        }
        sorted_plan_passes(&e->sorted, e->job, worst->passes);
    }
    free(all);
    return status;
}

static void add_up(engine_estimate *e, const engine_backend *backend)
{
    const sorted_plan *plan = &e->sorted;
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    uint64_t intervals = (uint64_t)plan->intervals * plan->interval_bytes;
    uint64_t sums[] = {pipeline_buffer_bytes(&e->plan) + (gpu ? 0 : intervals),
                       gpu ? pipeline_gpu_bytes(&e->plan) + intervals : 0,
                       gpu ? 0 : (uint64_t)e->job->threads, gpu};

    e->my_device_bytes = sums[1];
    dist_sum(sums, 4);
    e->buffer_bytes = sums[0];
    e->device_bytes = sums[1];
    e->threads = dist_size() == 1 ? (uint64_t)e->job->threads : sums[2];
    e->gpu_ranks = sums[3];
}

void engine_estimate_writing(engine_estimate *e, double seconds)
{
    e->writing = seconds;
    e->seconds = e->counting +
                 (e->sorted.intervals > 1 ? fmax(e->generating, seconds) : e->generating + seconds);
}

int engine_estimate_sorted(engine_estimate *e, engine_backend *backend)
{
    pilot mine, worst;
    double pass, keep, ranks = dist_size();
    int status = engine_agree(make_plan(e, backend));

    if (status == ENGINE_OK) { /* no rank looks for memory while others have some for this */
        status = engine_agree(measure(e, backend, &mine));
    }
    if (status == ENGINE_OK) {
        status = gather(e, &mine, &worst);
    }
    sorted_free_plan(&e->sorted);
    if (status != ENGINE_OK) {
        return status;
    }
    add_up(e, backend);
    e->rate = 1 / worst.test;
    e->sort_rate = 1 / worst.keep;
    pass = e->sorted.expected_edges * worst.test * sorted_pass_share(&e->sorted);
    keep = e->sorted.expected_edges / ranks * worst.keep;
    e->counting = e->sorted.counting == 0 ? 0
                  : e->job->unique        ? (double)e->sorted.counting * pass + keep
                                          : pass / ranks; /* each counts in its part */
    e->generating = (double)e->sorted.passes * pass + keep;
    engine_estimate_writing(e, (double)e->bytes / ASSUMED_WRITE_RATE);
    return ENGINE_OK;
}
