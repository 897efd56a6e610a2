/*
 * plan.c - derives the intervals from the memory.
 *
 * A rank whose share fits into one interval makes it in one pass over the stream.  Otherwise it
 * makes one pass per interval.  A GPU then has two intervals of half the memory each, and makes one
 * while the other is written.  If two passes with a single large interval suffice, it has only one.
 * On a CPU, making takes longer than writing, and twice as many passes would cost more than the
 * waiting.
 *
 * The cuts come from a sample, so parts differ in size, and small parts differ more.  Intervals
 * have spare room, because a part that does not fit is cut in two, which costs a pass.
 */
#include "apps/engine/sorted/plan.h"
#include "apps/common/system.h"
#include "mpi/dist.h"
#include "rmat/try.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER_SHARE = 8 }; /* of host memory, on a CPU */
#define SIGMAS 5.0         /* that a part may be too large by */

/* Bytes.  More than 128 MiB hide that a GPU makes an interval; on a CPU they would only be more to
 * clear.
 */
enum { MIN_BUFFERS = 1 << 20, CPU_BUFFERS = 128 << 20, MAX_BUFFERS = 1 << 30 };

/* The sample's bytes for a cell, while it is made too. */
enum { CELL_BYTES = 64, MIN_SAMPLE = 1 << 16, TINY_SAMPLE = 1 << 12, MAX_SAMPLE = 1 << 20 };

/* Returns an upper bound of a part's edges, if `parts` parts share `need` edges.  A part hardly
 * ever has more.  Half of the sample is drawn from the model, at up to twice its weight. */
static uint64_t part_edges(uint64_t need, uint64_t parts, uint64_t sample)
{
    double spare = parts > 1 ? 1.0 / 64 + SIGMAS * sqrt(2 * (double)parts / (double)sample) : 0;
    double edges = ceil((double)need / (double)parts * (1 + spare));

    return edges > (double)RMAT_INTERVAL_LEAST_EDGES ? (uint64_t)edges : RMAT_INTERVAL_LEAST_EDGES;
}

/* Returns the fewest passes with which each part fits.  A part shrinks by less than its number
 * grows, so no step goes too far. */
static uint64_t passes_for(uint64_t need, uint64_t capacity, uint64_t sample)
{
    const uint64_t ranks = (uint64_t)dist_size();
    uint64_t passes = 1, edges;

    while ((edges = part_edges(need, ranks * passes, sample)) > capacity) {
        const uint64_t more = (uint64_t)((double)passes * (double)(edges - 1) / (double)capacity);

        passes = more > passes ? more : passes + 1;
    }
    return passes;
}

/* Host memory for buffers of a CPU run.  A chunk that was asked for has to fit. */
static uint64_t buffers_within(const engine_plan *p, uint64_t memory)
{
    uint64_t edge = (uint64_t)(2 * p->job.id_bytes + p->weight_bytes);
    uint64_t least = MIN_BUFFERS, bytes = memory / BUFFER_SHARE;

    if (p->job.chunk > 0 && p->job.chunk < memory / edge) {
        least += p->job.chunk * edge;
    }
    bytes = bytes < CPU_BUFFERS ? bytes : CPU_BUFFERS;
    return bytes > least ? bytes : least;
}

/* As large as the memory allows, for it is there beside intervals and buffers; but no work beside
 * the graph's. */
static uint64_t sample_size(const engine_plan *p, uint64_t memory)
{
    uint64_t size = memory / 16 / CELL_BYTES, most = p->graph_edges / 64;
    uint64_t least = p->graph_edges > TINY_SAMPLE ? p->graph_edges : TINY_SAMPLE;

    least = least < MIN_SAMPLE ? least : MIN_SAMPLE;
    size = size < most ? size : most;
    return size < least ? least : size > MAX_SAMPLE ? MAX_SAMPLE : size;
}

static int make_sample(sorted_plan *plan, const engine_plan *p, uint64_t size)
{
    rmat_config config = p->job.model;

    config.threads = p->job.threads;
    return plan->sample != NULL ? RMAT_OK
           : config.stream == RMAT_STREAM_ROWS /* of the model, whose law its edges have */
               ? rmat_sample_create(&plan->sample, &config, size)
               : rmat_sample_create_from(&plan->sample, plan->gen, size);
}

/* Fits the plan into `bytes` bytes for intervals.  Returns 0 or an rmat_status; RMAT_ERR_FULL: they
 * do not hold one interval of the least size. */
static int fit(sorted_plan *plan, const engine_plan *p, uint64_t bytes, uint64_t sample)
{
    const rmat_gen *gen = plan->gen;
    /* Intervals hold distinct edges up to 3/4 of their capacity. */
    const uint64_t distinct = p->graph_edges / 3 * 4 + 4;
    uint64_t need = plan->stream_edges, passes, capacity;

    RMAT_OR_RETURN(rmat_interval_capacity(gen, bytes, &capacity));
    if (capacity < RMAT_INTERVAL_LEAST_EDGES) {
        return RMAT_ERR_FULL;
    }
    plan->by_distinct = p->draws && distinct < need;
    need = plan->by_distinct ? distinct : need;
    passes = passes_for(need, capacity, sample);
    plan->intervals = 1;
    plan->interval_bytes = bytes;
    if (passes == 1) {
        RMAT_OR_RETURN(rmat_interval_bytes(gen, part_edges(need, (uint64_t)dist_size(), sample),
                                           &plan->interval_bytes));
    } else if (passes > 2 && rmat_used_backend(gen) == RMAT_BACKEND_GPU) {
        plan->intervals = 2;
        plan->interval_bytes = bytes / 2;
    }
    RMAT_OR_RETURN(rmat_interval_capacity(gen, plan->interval_bytes, &plan->interval_edges));
    plan->passes = passes_for(need, plan->interval_edges, sample);
    return !plan->in_order && (plan->passes > 1 || dist_size() > 1) ? make_sample(plan, p, sample)
                                                                    : RMAT_OK;
}

/* Where --memory is not given: 9/10 of the GPU's free memory, shared by the ranks that use
 * it. */
static bool default_device_memory(int device, uint64_t *bytes)
{
    char why[DEVICES_TEXT];
    int gpus = devices_gpus(why);
    int sharing = gpus > 0 ? (dist_local_size() + gpus - 1) / gpus : 1;
    device_gpu gpu;

    if (!devices_gpu(device, &gpu, why)) {
        return false;
    }
    *bytes = gpu.free / 10 * 9 / (uint64_t)sharing;
    return true;
}

/* Plans the backend's buffers, on the way to the file or to a sink. */
static int plan_buffers(const sorted_plan *plan, const engine_plan *p, engine_backend *b,
                        bool to_sink)
{
    /* The only interval is there before the first write, and edges come evenly: more buffers would
     * only have to be pinned. */
    const bool few = plan->passes == 1 && p->job.chunk == 0 && plan->buffer_bytes > CPU_BUFFERS &&
                     !(p->way == ENGINE_SORTED && p->foreign);

    return engine_plan_buffers(p, b, few ? CPU_BUFFERS : plan->buffer_bytes, to_sink, &b->buffers);
}

/* `least` bytes of memory, or of GPU memory where a GPU is used, is what a sorted graph needs. */
static int refuse_memory(const engine_plan *p, rmat_backend used, uint64_t least)
{
    return p->job.memory != 0
               ? engine_refuse("memory",
                               "'%" PRIu64 "' is too little to sort this graph, allowed: %" PRIu64
                               " or more",
                               p->job.memory, least)
               : engine_refuse(
                     "memory",
                     "too little is free to sort this graph, allowed: %" PRIu64 " or more%s", least,
                     used == RMAT_BACKEND_GPU ? "; --backend cpu sorts in host memory" : "");
}

/* Returns 0 or an rmat_status.  RMAT_ERR_FULL: the memory that is given does not hold one interval
 * of the least size. *least bytes of it would do: host memory on a CPU, else device memory. */
static int make_plan(sorted_plan *plan, const engine_plan *p, engine_backend *b, bool to_sink,
                     uint64_t *least)
{
    const bool gpu = b->used == RMAT_BACKEND_GPU;
    uint64_t host = p->job.memory > 0 && !gpu ? p->job.memory : sorted_default_memory();
    const uint64_t sample = sample_size(p, host);
    uint64_t intervals, memory = p->job.memory;
    const uint64_t buffers_most = memory > 0 ? CPU_BUFFERS : MAX_BUFFERS;

    plan->in_order = rmat_stream_in_order(plan->gen);
    plan->stream_edges = p->job.edges << p->job.model.symmetrize;
    host -= sample * CELL_BYTES < host / 4 ? sample * CELL_BYTES : host / 4;
    RMAT_OR_RETURN(rmat_interval_bytes(plan->gen, RMAT_INTERVAL_LEAST_EDGES, &intervals));
    if (p->draws && p->job.edges > 0) {
        RMAT_OR_RETURN(make_sample(plan, p, sample));
        RMAT_OR_RETURN(rmat_window_first(plan->sample, p->job.edges, &plan->window));
        plan->stream_edges = plan->window.high << p->job.model.symmetrize;
    }
    if (!gpu) {
        plan->buffer_bytes = buffers_within(p, host);
        *least = (intervals + plan->buffer_bytes) / 3 * 4 + 4;
        return host < plan->buffer_bytes ? RMAT_ERR_FULL
                                         : fit(plan, p, host - plan->buffer_bytes, sample);
    }
    if (memory == 0 && !default_device_memory(b->device, &memory)) {
        return RMAT_ERR_CUDA;
    }
    plan->buffer_bytes = host < buffers_most ? host : buffers_most;
    RMAT_OR_RETURN(plan_buffers(plan, p, b, to_sink));
    *least = 2 * intervals + pipeline_gpu_bytes(&b->buffers);
    return memory < *least ? RMAT_ERR_FULL
                           : fit(plan, p, memory - pipeline_gpu_bytes(&b->buffers), sample);
}

int sorted_make_plan(sorted_plan *plan, const engine_plan *p, engine_backend *b, bool to_sink)
{
    const int ranks = dist_size();
    uint64_t *all = malloc((size_t)ranks * sizeof *all), least = 0;
    int status;

    *plan = (sorted_plan){.gen = b->gen, .per_stream = 1};
    status = all != NULL ? make_plan(plan, p, b, to_sink, &least) : RMAT_ERR_NOMEM;
    status = engine_agree(
        status == RMAT_ERR_FULL ? refuse_memory(p, b->used, least)
        : status == RMAT_ERR_DRAWS
            ? engine_refuse("edges",
                            "'%" PRIu64
                            "' is out of range: the graph does not have that many distinct "
                            "edges, or drawing them would take too long, allowed: fewer",
                            p->job.edges)
            : engine_backend_status(b, status));
    if (status == ENGINE_OK) {
        dist_gather(&plan->passes, sizeof plan->passes, all);
        for (int k = 0; k < ranks; k++) {
            plan->passes = all[k] > plan->passes ? all[k] : plan->passes;
        }
        plan->per_stream = plan->in_order ? plan->passes : 1;
        plan->counting = plan->passes == 1 ? 0
                         : p->job.unique   ? plan->passes
                                           : !plan->in_order && (ranks > 1 || p->drops_loops);
        status = engine_agree(engine_backend_status(b, plan_buffers(plan, p, b, to_sink)));
    }
    free(all);
    return status;
}

int sorted_cut(const sorted_plan *plan, const engine_plan *p, uint64_t parts, rmat_cell *cells)
{
    const uint64_t edges = plan->stream_edges, draws = edges >> p->job.model.symmetrize;

    cells[parts] = (rmat_cell){p->job.model.rows, 0};
    if (parts > 1 && !plan->in_order) {
        return rmat_sample_cut(plan->sample, draws > 0 ? (double)draws : 1, plan->by_distinct,
                               parts, cells);
    }
    for (uint64_t k = 1; k < parts; k++) {
        const uint64_t at = (uint64_t)((unsigned __int128)edges * k / parts);

        cells[k] = cells[parts];
        RMAT_OR_RETURN(at < edges ? rmat_generate(plan->gen, at, 1, &cells[k].src, &cells[k].dst)
                                  : RMAT_OK);
    }
    return RMAT_OK;
}

/* Returns the number that the format finds in one of the file's lines, or `otherwise`. */
static uint64_t number_in(const char *path, const char *format, uint64_t otherwise)
{
    FILE *file = fopen(path, "r");
    uint64_t number = otherwise;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL &&
           sscanf(line, format, &number) != 1) {
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

/* A container shows the memory of its host, and ends what takes more than its own. */
uint64_t sorted_default_memory(void)
{
    static const char any[] = "%" SCNu64;
    uint64_t available = number_in("/proc/meminfo", "MemAvailable: %" SCNu64, 2 << 20) << 10;
    uint64_t most = number_in("/sys/fs/cgroup/memory.max", any,
                              number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", any, ~0ull));

    return (available < most ? available : most) / 2 / (uint64_t)dist_local_size();
}
