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
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Returns an upper bound of a part's edges, if `parts` parts share `need` edges.  A part hardly
 * ever has more.  Half of the sample is drawn from the model, at up to twice its weight. */
static uint64_t part_edges(uint64_t need, uint64_t parts, uint64_t sample)
{
    double spare = parts > 1 ? 1.0 / 64 + SIGMAS * sqrt(2 * (double)parts / (double)sample) : 0;
    double edges = ceil((double)need / (double)parts * (1 + spare));

    return edges > (double)RMAT_INTERVAL_LEAST_EDGES ? (uint64_t)edges : RMAT_INTERVAL_LEAST_EDGES;
}

/* Returns the fewest passes with which each part fits. */
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
static uint64_t buffers_within(const engine_plan *p, uint64_t memory)
{
    uint64_t edge = (uint64_t)(2 * p->job.id_bytes + engine_weight_bytes(p));
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

    if (plan->sample != NULL) {
        return RMAT_OK;
    }
    config.threads = p->job.threads;
    return config.stream == RMAT_STREAM_ROWS /* of the model, whose law its edges have */
               ? rmat_sample_create(&plan->sample, &config, size)
               : rmat_sample_create_from(&plan->sample, gen, size);
}

static int expect(sorted_plan *plan, const engine_plan *p, const rmat_gen *gen, uint64_t size)
{
    int status;

    plan->stream_edges = p->job.edges << p->job.model.symmetrize;
    if (!p->job.unique || p->job.dedup || p->job.edges == 0) {
        return RMAT_OK;
    }
    status = make_sample(plan, p, gen, size);
    if (status == RMAT_OK) {
        status = rmat_window_first(plan->sample, p->job.edges, &plan->window);
    }
    if (status == RMAT_OK) {
        plan->stream_edges = plan->window.high << p->job.model.symmetrize;
    }
    return status;
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

uint64_t sorted_most_new(const sorted_plan *plan)
{
    return plan->buffer_bytes / NEW_BYTES + RMAT_INTERVAL_LEAST_EDGES;
}

uint64_t sorted_most_draws(const sorted_plan *plan, const engine_plan *p)
{
    return sorted_most_new(plan) / 4 * 3 * (uint64_t)dist_size() >> p->job.model.symmetrize;
}

/* Returns the number of searches through all intervals.  The answer lies near the middle of the
 * first window.  If there is no room for half of that window, the first search only shows where the
 * second one finds the answer. */
static uint64_t looks(const sorted_plan *plan, const engine_plan *p)
{
    const bool searched = !p->job.dedup && p->job.edges > 0;

    return searched && (plan->window.high - plan->window.low) / 2 > sorted_most_draws(plan, p) ? 2
                                                                                               : 1;
}

/* Sets the plan's members for `passes` passes. */
static void set_passes(sorted_plan *plan, const engine_plan *p, uint64_t passes)
{
    plan->passes = passes;
    plan->counting = passes == 1                         ? 0
                     : p->job.unique                     ? passes * looks(plan, p)
                     : plan->in_order                    ? 0
                     : dist_size() > 1 || p->drops_loops ? 1
                                                         : 0;
}

int sorted_join_passes(sorted_plan *plan, const engine_plan *p)
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

/* Fits the plan into `bytes` bytes for intervals. */
static int fit(sorted_plan *plan, const engine_plan *p, const rmat_gen *gen, uint64_t bytes,
               uint64_t sample)
{
    uint64_t need = sorted_by_distinct(plan, p) ? p->graph_edges / 3 * 4 + 4 : plan->stream_edges;
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
    set_passes(plan, p, passes);
    return !plan->in_order && (plan->passes > 1 || dist_size() > 1)
               ? make_sample(plan, p, gen, sample)
               : RMAT_OK;
}

static rmat_gen *generator_of(const engine_backend *b)
{
    return b->used == RMAT_BACKEND_GPU ? b->gpu_gen : b->cpu_gen;
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

/* Returns 0 or an rmat_status; RMAT_ERR_FULL where the memory given does not hold one interval of
 * the least size: *least is how many bytes of it (host memory on a CPU, else device memory) would
 * do. */
static int make_plan(sorted_plan *plan, const engine_plan *p, const engine_backend *b,
                     uint64_t *least)
{
    bool gpu = b->used == RMAT_BACKEND_GPU;
    const rmat_gen *gen = generator_of(b);
    uint64_t host = p->job.memory > 0 && !gpu ? p->job.memory : sorted_default_memory();
    uint64_t sample = sample_size(p, host);
    uint64_t intervals, ranks = (uint64_t)dist_size();
    int status;

    memset(plan, 0, sizeof *plan);
    plan->in_order = rmat_stream_in_order(gen);
    host -= sample * CELL_BYTES < host / 4 ? sample * CELL_BYTES : host / 4;
    status = rmat_interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES, &intervals);
    if (status == RMAT_OK) {
        status = expect(plan, p, gen, sample);
    }
    if (status != RMAT_OK) {
        return status;
    }
    intervals *= gpu ? 2 : 1;
    plan->share = p->graph_edges / ranks + (p->graph_edges % ranks != 0);
    if (gpu) {
        uint64_t device = p->job.memory, most = device > 0 ? CPU_BUFFERS : MAX_BUFFERS, flights;
        pipeline_plan buffers;

        if (device == 0 && !default_device_memory(b->device, &device)) {
            return RMAT_ERR_CUDA;
        }
        plan->buffer_bytes = host < most ? host : most;
        if (sorted_plan_buffers(plan, p, b, plan->share, &buffers) != 0) {
            return RMAT_ERR_NOMEM;
        }
        flights = pipeline_gpu_bytes(&buffers);
        *least = intervals + flights;
        return device < *least ? RMAT_ERR_FULL : fit(plan, p, gen, device - flights, sample);
    }
    plan->buffer_bytes = buffers_within(p, host);
    *least = (intervals + plan->buffer_bytes) / 3 * 4 + 4;
    return host < plan->buffer_bytes ? RMAT_ERR_FULL
                                     : fit(plan, p, gen, host - plan->buffer_bytes, sample);
}

void sorted_free_plan(sorted_plan *plan)
{
    rmat_sample_destroy(plan->sample);
    plan->sample = NULL;
}

int sorted_plan_buffers(const sorted_plan *plan, const engine_plan *p, const engine_backend *b,
                        uint64_t edges, pipeline_plan *buffers)
{
    /* The only interval is there before the first write, and edges come evenly: more buffers would
     * only have to be pinned. */
    const bool few = plan->passes == 1 && p->job.chunk == 0 && plan->buffer_bytes > CPU_BUFFERS &&
                     !(p->way == ENGINE_SORTED && p->foreign);

    return engine_plan_buffers(p, b, edges, p->job.chunk, few ? CPU_BUFFERS : plan->buffer_bytes,
                               buffers);
}

int sorted_fail(const engine_backend *b, int status)
{
    const char *cuda = b->used == RMAT_BACKEND_GPU ? rmat_gpu_error() : "";

    return status == RMAT_OK
               ? ENGINE_OK
               : engine_fail("%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
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

int sorted_make_plan(sorted_plan *plan, const engine_plan *p, const engine_backend *b)
{
    uint64_t least = 0;
    int status;

    sorted_free_plan(plan);
    status = make_plan(plan, p, b, &least);
    if (status == RMAT_ERR_FULL) {
        return memory_error(p, b->used, least);
    }
    if (status == RMAT_ERR_DRAWS) { /* of a source; models are checked before */
        return engine_refuse(
            "edges",
            "'%" PRIu64 "' is out of range: the graph does not have that many distinct edges, or "
            "drawing them would take too long, allowed: fewer",
            p->job.edges);
    }
    return sorted_fail(b, status);
}

/* No rank looks how much memory there is once another has taken its part. */
static int get_memory(sorted_run *r)
{
    int status = engine_agree(sorted_make_plan(&r->plan, r->goal, r->backend)), made = RMAT_OK;
    char text[ENGINE_TEXT];

    if (status != ENGINE_OK) {
        return status;
    }
    r->gen = generator_of(r->backend);
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

/* Where the stream has the order of the graph: equal parts of it. */
static int cut_in_order(const sorted_run *r, uint64_t parts, rmat_cell *cells)
{
    const uint64_t edges = r->plan.stream_edges;
    int status = RMAT_OK;

    cells[parts] = (rmat_cell){r->goal->job.model.rows, 0};
    for (uint64_t k = 1; k < parts && status == RMAT_OK; k++) {
        const uint64_t at = (uint64_t)((unsigned __int128)edges * k / parts);

        cells[k] = cells[parts];
        if (at < edges) {
            status = rmat_generate(r->gen, at, 1, &cells[k].src, &cells[k].dst);
        }
    }
    return status;
}

/* Cuts the order into equal parts: rank 0's sample says where. */
static int cut_order(sorted_run *r)
{
    uint64_t ranks = (uint64_t)dist_size(), rank = (uint64_t)dist_rank(), passes, parts;
    rmat_cell *cells = NULL;
    int status = RMAT_OK;

    r->starts = calloc(ranks + 1, sizeof *r->starts);
    r->bounds = calloc(ranks + 1, sizeof *r->bounds);
    if (r->starts == NULL || r->bounds == NULL) {
        status = RMAT_ERR_NOMEM;
    }
    status = sorted_end(r, status);
    if (status == ENGINE_OK) { /* memory may have been had on the CPU alone, and less of it */
        status = sorted_join_passes(&r->plan, r->goal);
    }
    if (status != ENGINE_OK) {
        return status;
    }
    passes = r->plan.passes;
    parts = ranks * passes;
    cells = calloc(parts + 1, sizeof *cells);
    r->cells = calloc(passes + 1, sizeof *r->cells);
    r->parts = passes;
    status = cells == NULL || r->cells == NULL ? RMAT_ERR_NOMEM : RMAT_OK;
    if (status == RMAT_OK && parts == 1) {
        cells[1] = (rmat_cell){r->goal->job.model.rows, 0};
    } else if (status == RMAT_OK && rank == 0 && r->plan.in_order) {
        status = cut_in_order(r, parts, cells);
    } else if (status == RMAT_OK && rank == 0) {
        double draws = (double)(r->plan.stream_edges >> r->goal->job.model.symmetrize);

        status = rmat_sample_cut(r->plan.sample, draws > 0 ? draws : 1,
                                 sorted_by_distinct(&r->plan, r->goal), parts, cells);
    }
    status = sorted_end(r, status);
    if (status == ENGINE_OK) {
        dist_broadcast(cells, (parts + 1) * sizeof *cells);
        memcpy(r->cells, &cells[rank * passes], (passes + 1) * sizeof *cells);
        for (uint64_t k = 0; k <= ranks; k++) {
            r->bounds[k] = cells[k * passes];
        }
    }
    free(cells);
    return status;
}

int sorted_prepare(sorted_run *r)
{
    int status = get_memory(r);

    return status == ENGINE_OK ? cut_order(r) : status;
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
