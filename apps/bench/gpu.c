/*
 * Edges by a GPU, by its own clock: into its memory beside plain writes to it (cudaMemset), and
 * into host memory beside plain copies over the link (pinned memory); and by model, beside the
 * plain graph.  In detail also:
 *
 *   pairs          sources and destinations side by side
 *   levels         matrices that differ by level: a table per group
 *   raft           one uniform float per level, as RAFT does it; a kernel of this benchmark
 *   write, philox  what memory, and what the random bits alone allow
 *
 * Several calls are queued before the host waits, so that what it does meanwhile is not measured.
 */
#include "apps/bench/device.h"
#include "apps/bench/gpu_kernels.h"
#include "apps/bench/models.h"
#include "apps/bench/table.h"
#include "apps/common/devices.h"
#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE_EDGES ((uint64_t)1 << 29) /* of one call, 4 GiB per array with wide ids */
#define HOST_EDGES   ((uint64_t)1 << 24)

enum { MEMORY_WRITES, HOST_COPIES, ARRAYS, TO_HOST, PAIRS, LEVELS, RAFT, WRITES, PHILOX };
enum { CALLS = 4 }; /* before the host waits */

typedef struct {
    bench_table table;
    uint64_t most;             /* edges of a call into device memory */
    void *src, *dst, *weight;  /* dst: the second half of what src points to */
    void *host_src, *host_dst; /* pinned, for HOST_EDGES wide ids */
    void *thresholds;          /* of RAFT */
    uint64_t next;             /* edge of the stream */
} gpu_bench;

static int cuda(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static bool to_host(const table_row *row)
{
    return row->kind == HOST_COPIES || row->kind == TO_HOST;
}

/* The bytes of so many edges without a generator. */
static int move_bytes(const gpu_bench *b, bool copy, size_t bytes)
{
    void *const host[2] = {b->host_src, b->host_dst}, *const device[2] = {b->src, b->dst};
    int status = RMAT_OK;

    for (int i = 0; i < 2 && status == RMAT_OK; i++) {
        status = cuda(copy ? cudaMemcpyAsync(host[i], device[i], bytes, cudaMemcpyDeviceToHost, 0)
                           : cudaMemsetAsync(device[i], i + 1, bytes, 0));
    }
    return status;
}

/* Start to make n edges. */
static int make(gpu_bench *b, const table_row *row, uint64_t n)
{
    const rmat_gen *gen = row->gen;
    const int id_bytes = b->table.id_bytes;
    const uint64_t first = b->next;
    const bool weights = bench_model_has_weights(row->model);

    b->next += n;
    switch (row->kind) {
    case MEMORY_WRITES:
    case HOST_COPIES:
        return move_bytes(b, row->kind == HOST_COPIES, n * (uint64_t)id_bytes);
    case TO_HOST:
        return rmat_generate_arrays(
            gen, first, n,
            &(rmat_arrays){.src = b->host_src, .dst = b->host_dst, .id_bytes = id_bytes});
    case PAIRS:
        return id_bytes == 4 ? rmat_generate_pairs32_device(gen, first, n, b->src, NULL)
                             : rmat_generate_pairs_device(gen, first, n, b->src, NULL);
    case RAFT:
        return cuda(
            (cudaError_t)bench_levels(b->table.scale, b->thresholds, 1, first, n, b->src, b->dst));
    case WRITES:
        return cuda((cudaError_t)bench_write(first, n, b->src, b->dst));
    case PHILOX:
        return cuda((cudaError_t)bench_philox(1, first, n, b->src));
    default:
        return rmat_generate_arrays_device(
            gen, first, n, &(rmat_arrays){b->src, b->dst, weights ? b->weight : NULL, id_bytes},
            NULL);
    }
}

/* The first call warms up. */
static int measure(bench_table *t, const table_row *row, double *rate)
{
    gpu_bench *b = t->state;
    const uint64_t most = to_host(row) ? HOST_EDGES : b->most;
    uint64_t edges = 0, n = table_piece(t, 0, most);
    double seconds = 0;
    int status = make(b, row, n);

    if (status == RMAT_OK) {
        status = device_wait();
    }
    while (status == RMAT_OK && table_goes_on(t, edges, seconds)) {
        device_span span;
        double span_seconds = 0;
        int ended;

        status = device_span_begin(&span);
        for (int i = 0; i < CALLS && status == RMAT_OK; i++) {
            n = table_piece(t, edges, most);
            status = n > 0 ? make(b, row, n) : RMAT_OK;
            edges += n;
        }
        ended = device_span_end(&span, &span_seconds);
        status = status == RMAT_OK ? ended : status;
        seconds += span_seconds;
    }
    *rate = (double)edges / seconds;
    return bench_failed(status);
}

static void add_row(bench_table *t, const char *variant, int kind, int limit)
{
    table_row *row = table_add(t, variant, kind);

    row->generates = kind >= ARRAYS && kind <= LEVELS;
    row->levels = kind == LEVELS;
    row->hidden = kind < ARRAYS;
    row->wide = kind >= RAFT;
    row->limit = limit;
}

static void add_memory(bench_table *t)
{
    add_row(t, "its memory written", MEMORY_WRITES, 0);
    add_row(t, "pinned host memory", HOST_COPIES, 1);
    add_row(t, "memory", ARRAYS, 0);
    add_row(t, "to host", TO_HOST, 1);
    if (t->job->o->detail) {
        add_row(t, "pairs", PAIRS, 0);
        add_row(t, "levels", LEVELS, 0);
        add_row(t, "raft", RAFT, 0);
        add_row(t, "write", WRITES, 0);
        add_row(t, "philox", PHILOX, 0);
    }
}

static void add_models(bench_table *t)
{
    for (int m = 0; m < BENCH_MODELS; m++) {
        add_row(t, bench_model_name(m), ARRAYS, 0);
        t->rows[m].model = m;
    }
}

/* Buffers within a quarter of what is free on the GPU. */
static int allocate(gpu_bench *b, bool models)
{
    const uint64_t edge_bytes = 2 * sizeof(uint64_t) + (models ? sizeof(float) : 0);
    float thresholds[RMAT_MAX_SCALE][4];
    uint64_t available;
    int status = device_select(b->table.job->device, &available);

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        memcpy(thresholds[l], (float[]){0.57f, 0.76f, 0.95f, 1}, sizeof thresholds[l]);
    }
    b->most = DEVICE_EDGES;
    while (b->most > HOST_EDGES && edge_bytes * b->most > available / 4) {
        b->most /= 2;
    }
    if (status == RMAT_OK) {
        /* One array, as pairs take all of it. */
        status = device_alloc(&b->src, 2 * b->most * sizeof(uint64_t));
        b->dst = (uint64_t *)b->src + b->most;
    }
    if (status == RMAT_OK && models) {
        status = device_alloc(&b->weight, b->most * sizeof(float));
    }
    if (status == RMAT_OK) {
        status = cuda(cudaMallocHost(&b->host_src, HOST_EDGES * sizeof(uint64_t)));
    }
    if (status == RMAT_OK) {
        status = cuda(cudaMallocHost(&b->host_dst, HOST_EDGES * sizeof(uint64_t)));
    }
    if (status == RMAT_OK) {
        status = device_alloc(&b->thresholds, sizeof thresholds);
    }
    return status == RMAT_OK ? cuda(cudaMemcpy(b->thresholds, thresholds, sizeof thresholds,
                                               cudaMemcpyHostToDevice))
                             : status;
}

int bench_gpu(const bench_job *job, bool models, double seconds)
{
    gpu_bench *b = calloc(1, sizeof *b);
    bench_table *t = &b->table;
    char title[DEVICES_TEXT + 64], why[DEVICES_TEXT];
    device_gpu gpu = {.name = "unknown"};
    int status;

    if (b == NULL) {
        return bench_failed(RMAT_ERR_NOMEM);
    }
    devices_gpu(job->device, &gpu, why);
    snprintf(title, sizeof title, "Edges/s by %sGPU %d, %s", models ? "model, by " : "",
             job->device, gpu.name);
    json_string(job->json, models ? "gpu_models_name" : "gpu_name", gpu.name);
    *t = (bench_table){.job = job,
                       .title = title,
                       .key = models ? "gpu_models" : "gpu",
                       .gpu = true,
                       .prefix = !models,
                       .measure = measure,
                       .state = b};
    if (models) {
        add_models(t);
    } else {
        add_memory(t);
    }
    status = bench_failed(allocate(b, models));
    if (status == EXIT_OK) {
        status = table_run(t, seconds);
    }
    device_release(b->src);
    device_release(b->weight);
    device_release(b->thresholds);
    (void)cudaFreeHost(b->host_src);
    (void)cudaFreeHost(b->host_dst);
    free(b);
    return status;
}
