/*
 * From memory to intervals.
 *
 * A rank whose share fits into one interval makes it in one pass over the stream; else it makes as
 * many passes as it takes.  A GPU then has two intervals of half the memory, so that one is made
 * while another is written, unless one of all the memory does with two passes.  On a CPU making
 * takes longer than writing, and twice as many passes would cost more than the waiting.  Cuts come
 * from a sample, so parts are not all of the same size, the less so the smaller they are: intervals
 * have room to spare, so that none has to be cut in two, which would cost a pass.
 */
#include "apps/engine/sorted/plan.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <math.h>
#include <string.h>

enum { BUFFER_SHARE = 8 }; /* of host memory, on a CPU */
enum { NEW_BYTES = 48 };   /* of host memory for what is new: an rmat_first_seen and its numbers */
#define SIGMAS 5.0         /* that a part may be too large by */

/* Bytes.  More than 128 MiB hide that a GPU makes an interval; on a CPU they would only be more to
 * clear.
 */
enum { MIN_BUFFERS = 1 << 20, CPU_BUFFERS = 128 << 20, MAX_BUFFERS = 1 << 30 };

/* The sample's bytes for a cell, while it is made too. */
enum { CELL_BYTES = 64, MIN_SAMPLE = 1 << 16, TINY_SAMPLE = 1 << 12, MAX_SAMPLE = 1 << 20 };

/* For what is needed in all, of which each part takes its share: no more than this, and hardly ever
 * as much.  Of the sample half is drawn from the model, at twice its weight at most. */
static uint64_t part_edges(uint64_t need, uint64_t parts, uint64_t sample)
{
    double spare = parts > 1 ? 1.0 / 64 + SIGMAS * sqrt(2 * (double)parts / (double)sample) : 0;
    double edges = ceil((double)need / (double)parts * (1 + spare));

    return edges > (double)RMAT_INTERVAL_LEAST_EDGES ? (uint64_t)edges : RMAT_INTERVAL_LEAST_EDGES;
}

/* The fewest passes of which each part fits. */
static uint64_t passes_for(uint64_t need, uint64_t capacity, uint64_t sample)
{
    uint64_t ranks = (uint64_t)dist_size(), low = 1, high = 1;

    while (part_edges(need, ranks * high, sample) > capacity && high < (uint64_t)1 << 40) {
        low = high + 1;
        high *= 2;
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (part_edges(need, ranks * middle, sample) > capacity) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return high;
}

/* Host memory for buffers of a CPU run.  A chunk that was asked for has to fit. */
static uint64_t buffers_within(const engine_job *o, uint64_t memory)
{
    uint64_t edge = (uint64_t)(2 * o->id_bytes + engine_weight_bytes(o));
    uint64_t least = MIN_BUFFERS, bytes = memory / BUFFER_SHARE;

    if (o->chunk > 0 && o->chunk < memory / edge) {
        least += o->chunk * edge;
    }
    bytes = bytes < CPU_BUFFERS ? bytes : CPU_BUFFERS;
    return bytes > least ? bytes : least;
}

/* As large as the memory allows, for it is there beside intervals and buffers; but no work beside
 * the graph's. */
static uint64_t sample_size(const engine_job *o, uint64_t memory)
{
    uint64_t size = memory / 16 / CELL_BYTES, most = o->graph_edges / 64;
    uint64_t least = o->graph_edges > TINY_SAMPLE ? o->graph_edges : TINY_SAMPLE;

    least = least < MIN_SAMPLE ? least : MIN_SAMPLE;
    size = size < most ? size : most;
    return size < least ? least : size > MAX_SAMPLE ? MAX_SAMPLE : size;
}

static int make_sample(sorted_plan *plan, const engine_job *o, const rmat_gen *gen, uint64_t size)
{
    rmat_config config = o->model;

    if (plan->sample != NULL) {
        return RMAT_OK;
    }
    config.threads = o->threads;
    return o->source != NULL ? rmat_sample_create_from(&plan->sample, gen, size)
                             : rmat_sample_create(&plan->sample, &config, size);
}

static int expect(sorted_plan *plan, const engine_job *o, const rmat_gen *gen, uint64_t size)
{
    int status;

    plan->stream_edges = o->edges << o->model.symmetrize;
    plan->expected_edges = (double)plan->stream_edges;
    if (!o->unique || o->dedup || o->edges == 0) {
        return RMAT_OK;
    }
    status = make_sample(plan, o, gen, size);
    if (status == RMAT_OK) {
        status = rmat_window_first(plan->sample, o->edges, &plan->window);
    }
    if (status == RMAT_OK) {
        plan->stream_edges = plan->window.high << o->model.symmetrize;
        plan->expected_edges = ldexp((double)plan->window.expected, o->model.symmetrize);
    }
    return status;
}

bool sorted_by_distinct(const sorted_plan *plan, const engine_job *o)
{
    return o->unique && !o->dedup && o->graph_edges / 3 * 4 + 4 < plan->stream_edges;
}

uint64_t sorted_most_new(const sorted_plan *plan)
{
    return plan->buffer_bytes / NEW_BYTES + RMAT_INTERVAL_LEAST_EDGES;
}

uint64_t sorted_most_draws(const sorted_plan *plan, const engine_job *o)
{
    return sorted_most_new(plan) / 4 * 3 * (uint64_t)dist_size() >> o->model.symmetrize;
}

/* How often all intervals are looked at.  The answer lies about in the middle of the first window;
 * if there is no room for half of it, the first look only tells where the second one finds it. */
static uint64_t looks(const sorted_plan *plan, const engine_job *o)
{
    const bool searched = !o->dedup && o->edges > 0;

    return searched && (plan->window.high - plan->window.low) / 2 > sorted_most_draws(plan, o) ? 2
                                                                                               : 1;
}

void sorted_plan_passes(sorted_plan *plan, const engine_job *o, uint64_t passes)
{
    plan->passes = passes;
    plan->counting = passes == 1                                ? 0
                     : o->unique                                ? passes * looks(plan, o)
                     : dist_size() > 1 || engine_drops_loops(o) ? 1
                                                                : 0;
}

/* Into so many bytes for intervals. */
static int fit(sorted_plan *plan, const engine_job *o, const rmat_gen *gen, uint64_t bytes,
               uint64_t sample)
{
    uint64_t need = sorted_by_distinct(plan, o) ? o->graph_edges / 3 * 4 + 4 : plan->stream_edges;
    uint64_t passes, capacity;
    int status = rmat_interval_capacity(gen, bytes, &capacity);

    passes = passes_for(need, capacity, sample);
    plan->intervals = 1;
    plan->interval_bytes = bytes;
    if (status == RMAT_OK && passes == 1) {
        status = rmat_interval_bytes(gen, part_edges(need, (uint64_t)dist_size(), sample),
                                     &plan->interval_bytes);
    } else if (status == RMAT_OK && passes > 2 && rmat_used_backend(gen) == RMAT_BACKEND_GPU) {
        plan->intervals = 2;
        plan->interval_bytes = bytes / 2;
        status = rmat_interval_capacity(gen, bytes / 2, &capacity);
        passes = passes_for(need, capacity, sample);
    }
    if (status == RMAT_OK) {
        status = rmat_interval_capacity(gen, plan->interval_bytes, &plan->interval_edges);
    }
    if (status != RMAT_OK || plan->interval_edges < RMAT_INTERVAL_LEAST_EDGES) {
        return status != RMAT_OK ? status : RMAT_ERR_FULL;
    }
    sorted_plan_passes(plan, o, passes);
    return plan->passes > 1 || dist_size() > 1 ? make_sample(plan, o, gen, sample) : RMAT_OK;
}

int sorted_make_plan(sorted_plan *plan, const engine_job *o, const engine_backend *b,
                     uint64_t *least)
{
    bool gpu = b->used == RMAT_BACKEND_GPU;
    const rmat_gen *gen = gpu ? b->gpu_gen : b->sorting_gen;
    uint64_t host = o->memory > 0 ? o->memory : sorted_default_memory();
    uint64_t sample = sample_size(o, host);
    uint64_t intervals, ranks = (uint64_t)dist_size();
    int status;

    memset(plan, 0, sizeof *plan);
    host -= sample * CELL_BYTES < host / 4 ? sample * CELL_BYTES : host / 4;
    status = rmat_interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES, &intervals);
    if (status == RMAT_OK) {
        status = expect(plan, o, gen, sample);
    }
    if (status != RMAT_OK) {
        return status;
    }
    intervals *= gpu ? 2 : 1;
    plan->share = o->graph_edges / ranks + (o->graph_edges % ranks != 0);
    if (gpu) {
        uint64_t device = o->device_memory, flights;
        pipeline_plan buffers;

        if (device == 0 && !sorted_default_device_memory(o, b->device, &device)) {
            return RMAT_ERR_CUDA;
        }
        plan->buffer_bytes = host < MAX_BUFFERS ? host : MAX_BUFFERS;
        if (sorted_plan_buffers(plan, o, b, o->io, plan->share, &buffers) != 0) {
            return RMAT_ERR_NOMEM;
        }
        flights = pipeline_gpu_bytes(&buffers);
        *least = intervals + flights;
        return device < *least ? RMAT_ERR_FULL : fit(plan, o, gen, device - flights, sample);
    }
    plan->buffer_bytes = buffers_within(o, host);
    *least = (intervals + plan->buffer_bytes) / 3 * 4 + 4;
    return host < plan->buffer_bytes ? RMAT_ERR_FULL
                                     : fit(plan, o, gen, host - plan->buffer_bytes, sample);
}

void sorted_free_plan(sorted_plan *plan)
{
    rmat_sample_destroy(plan->sample);
    plan->sample = NULL;
}

int sorted_plan_buffers(const sorted_plan *plan, const engine_job *o, const engine_backend *b,
                        edgefile_path path, uint64_t edges, pipeline_plan *buffers)
{
    bool csr = o->hdf5_format == GRAPHFILE_CSR, gpu = b->used == RMAT_BACKEND_GPU;
    /* The only interval is there before the first write, and edges come evenly: more buffers would
     * only have to be pinned. */
    uint64_t most = plan->passes == 1 && o->chunk == 0 ? CPU_BUFFERS : plan->buffer_bytes;
    uint64_t rows =
        csr ? (o->model.rows / (uint64_t)dist_size() + 1) * (8 / (uint64_t)o->id_bytes) : 0;

    if (o->straight) {
        return pipeline_make_encoded_plan(buffers, edges, o->id_bytes, engine_weight_bytes(o),
                                          gpu ? PIPELINE_GPU_CHUNKS : o->threads,
                                          pipeline_encoders(o->threads), gpu, o->chunk,
                                          plan->buffer_bytes);
    }
    if (pipeline_make_sorted_plan(buffers, edges + rows, o->id_bytes, engine_weight_bytes(o), csr,
                                  gpu ? PIPELINE_GPU_CHUNKS : o->threads, path, o->chunk,
                                  most < plan->buffer_bytes ? most : plan->buffer_bytes) != 0) {
        return -1;
    }
    if (o->compress) {
        pipeline_add_encoders(buffers, pipeline_encoders(o->threads), plan->buffer_bytes);
    }
    return 0;
}
