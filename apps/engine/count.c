/*
 * Counts over the edges of a job, which are made and forgotten, on all ranks; or over the rows of a
 * graph by rows, whose edges are not even made.
 *
 * The levels of the recursion are those of edges as they are drawn, so where the graph has them
 * permuted, turned round or in both directions, a second generator makes them without.  Ranks share
 * the edges out as they do for a list, and each takes its span in pieces that are short enough for
 * progress and stops.
 */
#include "apps/common/clock.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define GPU_EDGES     ((uint64_t)1 << 26) /* of a host, from which on a GPU is sooner done */
#define UNIT          ((uint64_t)1 << 16)
#define FIRST_PIECE   ((uint64_t)1 << 20)
#define PIECE_SECONDS 0.1

typedef struct {
    const engine_job *job;
    rmat_tally_request graph_request, drawn_request;
    rmat_gen *graph, *drawn; /* the same where nothing is done to edges after they are drawn */
    rmat_rows *rows;         /* in place of these, or NULL */
    bool on_gpu;
    rmat_tally tally;
    rmat_rows_counts row_counts;
    uint64_t done, piece; /* drawn edges; how many at a time */
    engine_meter meter;
} counting;

rmat_backend engine_count_backend(const engine_job *job)
{
    return job->edges / (uint64_t)dist_host_count() >= GPU_EDGES && rmat_gpu_count() > 0
               ? RMAT_BACKEND_GPU
               : RMAT_BACKEND_CPU;
}

static int failed(int status)
{
    const char *cuda = rmat_gpu_error();

    return status == RMAT_OK
               ? ENGINE_OK
               : engine_fail("%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
}

static int open_generators(counting *c, const engine_backend *backend)
{
    rmat_config config = c->job->model;
    int status;

    config.backend = backend->used;
    config.device = backend->used == RMAT_BACKEND_GPU ? backend->device : -1;
    config.threads = c->job->threads;
    config.weights = RMAT_NO_WEIGHTS;
    if (config.stream == RMAT_STREAM_ROWS && !config.symmetrize &&
        config.direction == RMAT_DIRECTED) {
        c->on_gpu = backend->used == RMAT_BACKEND_GPU;
        return failed(rmat_rows_create(&c->rows, &config, config.edges));
    }
    status = failed(rmat_create(&c->graph, &config));
    c->drawn = c->graph;
    if (status == ENGINE_OK && !rmat_is_as_drawn(&config)) {
        config = rmat_as_drawn(&config);
        status = failed(rmat_create(&c->drawn, &config));
    }
    return status;
}

static void close_generators(counting *c)
{
    if (c->drawn != c->graph) {
        rmat_destroy(c->drawn);
    }
    rmat_destroy(c->graph);
    rmat_rows_destroy(c->rows);
}

static int report_count(counting *c)
{
    uint64_t all = c->done;

    dist_work_report(c->done);
    if (dist_size() > 1) {
        all = dist_rank() == 0 ? dist_work_done() : 0;
    }
    return engine_pass_on(engine_meter_tick(&c->meter, (double)all, all));
}

/* Drawn edges [first, first + count). */
static int count_piece(counting *c, uint64_t first, uint64_t count)
{
    const int twice = c->job->model.symmetrize != 0;
    int status;

    if (c->rows != NULL) {
        return failed((c->on_gpu ? rmat_rows_count_device : rmat_rows_count)(c->rows, first, count,
                                                                             &c->row_counts));
    }
    status =
        rmat_tally_stream(c->graph, first << twice, count << twice, &c->graph_request, &c->tally);

    if (status == RMAT_OK && c->drawn != c->graph) {
        status = rmat_tally_stream(c->drawn, first, count, &c->drawn_request, &c->tally);
    }
    return failed(status);
}

static int count_span(counting *c, uint64_t first, uint64_t count)
{
    int status = ENGINE_OK;

    for (uint64_t at = 0, n; at < count && status == ENGINE_OK && report_count(c) == 0; at += n) {
        const double start = clock_seconds();

        n = count - at < c->piece ? count - at : c->piece;
        status = count_piece(c, first + at, n);
        c->done += n;
        if (n == c->piece && clock_seconds() - start < PIECE_SECONDS) {
            c->piece *= 2;
        }
    }
    return status;
}

static int begin_work(const engine_job *job)
{
    const uint64_t ranks = (uint64_t)dist_size();
    uint64_t *starts = malloc((ranks + 1) * sizeof *starts);
    int status = engine_agree(starts != NULL ? ENGINE_OK : engine_fail("memory is exhausted"));

    if (status == ENGINE_OK) {
        for (uint64_t r = 0; r <= ranks; r++) {
            starts[r] = (uint64_t)((unsigned __int128)job->edges * r / ranks);
        }
        dist_work_begin(starts, UNIT, 1);
    }
    free(starts);
    return status;
}

/* What all ranks have counted, and the out-degrees that were asked for. */
static int sum_rows(counting *c, engine_counts *counts)
{
    rmat_rows_counts *r = &counts->rows;
    uint64_t *largest = malloc((size_t)dist_size() * sizeof *largest);
    int status = engine_agree(largest != NULL ? ENGINE_OK : engine_fail("memory is exhausted"));

    *r = c->row_counts;
    counts->by_rows = true;
    if (status == ENGINE_OK) {
        dist_gather(&r->largest, sizeof r->largest, largest);
        dist_sum((uint64_t *)r, offsetof(rmat_rows_counts, largest) / sizeof(uint64_t));
        for (int k = 0; k < dist_size(); k++) {
            r->largest = largest[k] > r->largest ? largest[k] : r->largest;
        }
        counts->tally.graph_edges = r->edges;
        status = failed(rmat_rows_degrees(c->rows, (uint64_t)c->graph_request.vertices,
                                          c->graph_request.vertex, counts->tally.out, NULL));
    }
    free(largest);
    return status;
}

/* The spans of this rank, then the sums of all. */
static int work(counting *c, engine_counts *counts)
{
    int status = begin_work(c->job), more;
    uint64_t first, count;

    if (status != ENGINE_OK) {
        return status;
    }
    while (status == ENGINE_OK && (more = dist_work_next(&first, &count)) != 0) {
        if (more > 0) {
            status = count_span(c, first, count);
        }
        report_count(c);
    }
    if (status != ENGINE_OK) {
        dist_request_stop(ENGINE_FAILED);
    }
    dist_work_end();
    status = engine_agree(engine_early_end(status));
    if (status == ENGINE_OK) {
        counts->tally = c->tally;
        if (c->rows != NULL) {
            return sum_rows(c, counts);
        }
        rmat_redraws(c->drawn, &counts->redraws);
        dist_sum((uint64_t *)&counts->tally, sizeof counts->tally / sizeof(uint64_t));
        dist_sum(&counts->redraws, 1);
    }
    return status;
}

int engine_count_it(engine_counts *counts, const rmat_tally_request *request,
                    const engine_backend *backend, const engine_job *job)
{
    const double start = clock_seconds();
    engine_result mine = {.backend = backend->used,
                          .device = backend->device,
                          .isa = backend->isa,
                          .threads = job->threads};
    counting c = {.job = job,
                  .graph_request = *request,
                  .drawn_request = *request,
                  .piece = FIRST_PIECE,
                  .meter = engine_meter_of(&job->watch, "counting", job->edges, 0)};
    int status = engine_agree(open_generators(&c, backend));

    snprintf(mine.gpu_failed, sizeof mine.gpu_failed, "%s", backend->gpu_failed);

    if (status == ENGINE_OK) {
        if (c.rows == NULL && c.drawn != c.graph) {
            c.graph_request.levels = c.graph_request.neighbours = 0;
            c.drawn_request.graph = 0;
        }
        status = work(&c, counts);
    }
    if (status == ENGINE_OK) {
        engine_share_warning(&job->watch);
        mine.rank_edges = c.done;
        mine.stream_seconds = counts->seconds = clock_seconds() - start;
        engine_sum_up(&counts->totals, &mine);
    }
    close_generators(&c);
    return status;
}
