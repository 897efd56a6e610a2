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
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int make_sample(sorted_plan *plan, const engine_plan *p, const rmat_gen *gen, uint64_t size)
{
    rmat_config config = p->job.model;

    config.threads = p->job.threads;
    return plan->sample != NULL ? RMAT_OK
           : config.stream == RMAT_STREAM_ROWS /* of the model, whose law its edges have */
               ? rmat_sample_create(&plan->sample, &config, size)
               : rmat_sample_create_from(&plan->sample, gen, size);
}

uint64_t sorted_plan_stream(const sorted_plan *plan, uint64_t passes)
{
    return plan->in_order && plan->passes > 0 ? passes / plan->passes : passes;
}

/* Are parts to have as many distinct edges, or as many draws?  What they need room for. */
static bool sorted_by_distinct(const sorted_plan *plan, const engine_plan *p)
{
    return p->job.unique && !p->job.dedup && p->graph_edges / 3 * 4 + 4 < plan->stream_edges;
}

/* Sets the plan's members for `passes` passes. */
static void set_passes(sorted_plan *plan, const engine_plan *p, uint64_t passes)
{
    plan->passes = passes;
    plan->counting = passes == 1                         ? 0
                     : p->job.unique                     ? passes
                     : plan->in_order                    ? 0
                     : dist_size() > 1 || p->drops_loops ? 1
                                                         : 0;
}

/* Changes the plan to as many passes as the rank that needs the most.  Collective. */
static int join_passes(sorted_plan *plan, const engine_plan *p)
{
    uint64_t *all = malloc((size_t)dist_size() * sizeof *all), passes = plan->passes;
    int status = engine_agree(all == NULL ? engine_fail("memory is exhausted") : ENGINE_OK);

    if (status == ENGINE_OK) {
        dist_gather(&plan->passes, sizeof plan->passes, all);
        for (int k = 0; k < dist_size(); k++) {
            passes = all[k] > passes ? all[k] : passes;
        }
        set_passes(plan, p, passes);
    }
    free(all);
    return status;
}

/* Fits the plan into `bytes` bytes for intervals.  Returns 0 or an rmat_status; RMAT_ERR_FULL: they
 * do not hold one interval of the least size. */
static int fit(sorted_plan *plan, const engine_plan *p, const rmat_gen *gen, uint64_t bytes,
               uint64_t sample)
{
    const uint64_t need =
        sorted_by_distinct(plan, p) ? p->graph_edges / 3 * 4 + 4 : plan->stream_edges;
    uint64_t passes, capacity;

    RMAT_OR_RETURN(rmat_interval_capacity(gen, bytes, &capacity));
    if (capacity < RMAT_INTERVAL_LEAST_EDGES) {
        return RMAT_ERR_FULL;
    }
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
    set_passes(plan, p, passes_for(need, plan->interval_edges, sample));
    return !plan->in_order && (plan->passes > 1 || dist_size() > 1)
               ? make_sample(plan, p, gen, sample)
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

int sorted_fail(const engine_backend *b, int status)
{
    const char *cuda = b->used == RMAT_BACKEND_GPU ? rmat_gpu_error() : "";

    return status == RMAT_OK
               ? ENGINE_OK
               : engine_fail("%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
}

int sorted_plan_buffers(const sorted_plan *plan, const engine_plan *p, const engine_backend *b,
                        bool to_sink, pipeline_plan *buffers)
{
    /* The only interval is there before the first write, and edges come evenly: more buffers would
     * only have to be pinned. */
    const bool few = plan->passes == 1 && p->job.chunk == 0 && plan->buffer_bytes > CPU_BUFFERS &&
                     !(p->way == ENGINE_SORTED && p->foreign);

    return engine_plan_buffers(p, b, few ? CPU_BUFFERS : plan->buffer_bytes, to_sink, buffers);
}

/* `least` bytes of memory, or of GPU memory where a GPU is used, is what a sorted graph needs. */
static int memory_error(const engine_plan *p, rmat_backend used, uint64_t least)
{
    const uint64_t given = p->job.memory;

    if (given != 0) {
        return engine_refuse("memory",
                             "'%" PRIu64 "' is too little to sort this graph, allowed: %" PRIu64
                             " or more",
                             given, least);
    }
    return engine_refuse(
        "memory", "too little is free to sort this graph, allowed: %" PRIu64 " or more%s", least,
        used == RMAT_BACKEND_GPU ? "; --backend cpu sorts in host memory" : "");
}

/* Returns 0 or an rmat_status.  RMAT_ERR_FULL: the memory that is given does not hold one interval
 * of the least size. *least bytes of it would do: host memory on a CPU, else device memory. */
static int make_plan(sorted_plan *plan, const engine_plan *p, const engine_backend *b,
                     uint64_t *least)
{
    const bool gpu = b->used == RMAT_BACKEND_GPU;
    const rmat_gen *gen = b->gen;
    uint64_t host = p->job.memory > 0 && !gpu ? p->job.memory : sorted_default_memory();
    const uint64_t sample = sample_size(p, host);
    uint64_t intervals, memory = p->job.memory;
    const uint64_t buffers_most = memory > 0 ? CPU_BUFFERS : MAX_BUFFERS;
    pipeline_plan buffers;

    plan->in_order = rmat_stream_in_order(gen);
    plan->stream_edges = p->job.edges << p->job.model.symmetrize;
    host -= sample * CELL_BYTES < host / 4 ? sample * CELL_BYTES : host / 4;
    RMAT_OR_RETURN(rmat_interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES, &intervals));
    if (p->job.unique && !p->job.dedup && p->job.edges > 0) {
        RMAT_OR_RETURN(make_sample(plan, p, gen, sample));
        RMAT_OR_RETURN(rmat_window_first(plan->sample, p->job.edges, &plan->window));
        plan->stream_edges = plan->window.high << p->job.model.symmetrize;
    }
    if (!gpu) {
        plan->buffer_bytes = buffers_within(p, host);
        *least = (intervals + plan->buffer_bytes) / 3 * 4 + 4;
        return host < plan->buffer_bytes ? RMAT_ERR_FULL
                                         : fit(plan, p, gen, host - plan->buffer_bytes, sample);
    }
    if (memory == 0 && !default_device_memory(b->device, &memory)) {
        return RMAT_ERR_CUDA;
    }
    plan->buffer_bytes = host < buffers_most ? host : buffers_most;
    RMAT_OR_RETURN(sorted_plan_buffers(plan, p, b, false, &buffers));
    *least = 2 * intervals + pipeline_gpu_bytes(&buffers);
    return memory < *least ? RMAT_ERR_FULL
                           : fit(plan, p, gen, memory - pipeline_gpu_bytes(&buffers), sample);
}

static int draws_error(const engine_plan *p)
{
    return engine_refuse("edges",
                         "'%" PRIu64
                         "' is out of range: the graph does not have that many distinct "
                         "edges, or drawing them would take too long, allowed: fewer",
                         p->job.edges);
}

int sorted_make_plan(sorted_plan *plan, const engine_plan *p, const engine_backend *b)
{
    uint64_t least = 0;
    int status;

    *plan = (sorted_plan){.sample = NULL};
    status = make_plan(plan, p, b, &least);
    status = engine_agree(status == RMAT_ERR_FULL    ? memory_error(p, b->used, least)
                          : status == RMAT_ERR_DRAWS ? draws_error(p)
                                                     : sorted_fail(b, status));
    return status == ENGINE_OK ? join_passes(plan, p) : status;
}

void sorted_free_plan(sorted_plan *plan)
{
    rmat_sample_destroy(plan->sample);
    plan->sample = NULL;
}

/* No rank looks how much memory there is once another has taken its part. */
static int get_memory(sorted_run *r)
{
    int status = sorted_make_plan(&r->plan, r->goal, r->backend), made = RMAT_OK;
    char text[ENGINE_TEXT];

    if (status != ENGINE_OK) {
        return status;
    }
    r->gen = r->backend->gen;
    for (int i = 0; i < r->plan.intervals && made == RMAT_OK; i++) {
        made = rmat_interval_create(&r->intervals[i], r->gen, r->plan.interval_bytes);
    }
    if (made != RMAT_OK) {
        sorted_fail(r->backend, made);
        snprintf(text, sizeof text, "%s", engine_detail());
        status = engine_fail("memory for intervals: %s", text);
    }
    return engine_agree(status);
}

/* Cuts the order into equal parts, by the sample or, if the stream has this order, of the stream.
 * Returns an rmat_status. */
static int cut_order(const sorted_run *r, uint64_t parts, rmat_cell *cells)
{
    const uint64_t edges = r->plan.stream_edges, draws = edges >> r->goal->job.model.symmetrize;

    cells[parts] = (rmat_cell){r->goal->job.model.rows, 0};
    if (parts > 1 && !r->plan.in_order) {
        return rmat_sample_cut(r->plan.sample, draws > 0 ? (double)draws : 1,
                               sorted_by_distinct(&r->plan, r->goal), parts, cells);
    }
    for (uint64_t k = 1; k < parts; k++) {
        const uint64_t at = (uint64_t)((unsigned __int128)edges * k / parts);

        cells[k] = cells[parts];
        RMAT_OR_RETURN(at < edges ? rmat_generate(r->gen, at, 1, &cells[k].src, &cells[k].dst)
                                  : RMAT_OK);
    }
    return RMAT_OK;
}

int sorted_prepare(sorted_run *r)
{
    const uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank();
    uint64_t passes, parts;
    rmat_cell *cells;
    int status = get_memory(r);

    if (status != ENGINE_OK) {
        return status;
    }
    passes = r->plan.passes;
    parts = ranks * passes;
    cells = calloc(parts + 1, sizeof *cells);
    r->starts = calloc(ranks + 1, sizeof *r->starts);
    r->bounds = calloc(ranks + 1, sizeof *r->bounds);
    r->parts = (rmat_parts){calloc(passes + 1, sizeof *cells), passes};
    status = cells == NULL || r->starts == NULL || r->bounds == NULL || r->parts.cells == NULL
                 ? RMAT_ERR_NOMEM
             : rank == 0 ? cut_order(r, parts, cells) /* for all ranks */
                         : RMAT_OK;
    status = sorted_end(r, status);
    if (status == ENGINE_OK) {
        dist_broadcast(cells, (parts + 1) * sizeof *cells);
        memcpy(r->parts.cells, &cells[rank * passes], (passes + 1) * sizeof *cells);
        for (uint64_t k = 0; k <= ranks; k++) {
            r->bounds[k] = cells[k * passes];
        }
    }
    free(cells);
    return status;
}

/* Returns the number after a word at the beginning of one of the file's lines, or `otherwise`. */
static uint64_t number_in(const char *path, const char *word, uint64_t otherwise)
{
    FILE *file = fopen(path, "r");
    size_t length = strlen(word);
    uint64_t number = otherwise;
    char line[256];

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, word, length) == 0) {
            sscanf(line + length, "%" SCNu64, &number);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return number;
}

/* A container shows the memory of its host, and ends what takes more than its own. */
uint64_t sorted_default_memory(void)
{
    uint64_t available = number_in("/proc/meminfo", "MemAvailable:", 2 << 20) << 10;
    uint64_t most = number_in("/sys/fs/cgroup/memory.max", "",
                              number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "", ~0ull));

    return (available < most ? available : most) / 2 / (uint64_t)dist_local_size();
}
