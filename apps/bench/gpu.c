/*
 * Cases of a GPU, timed by its own clock: edges into its memory beside plain writes to it
 * (cudaMemset), and into host memory beside plain copies over the link (pinned memory); by model,
 * beside the plain graph; and into the memory of a rank's GPU.
 *
 * Several calls are queued before the host waits, so that what it does meanwhile is not measured.
 */
#include "apps/bench/bench.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>

#define DEVICE_EDGES ((uint64_t)1 << 29) /* of one call, 4 GiB per array with wide ids */
#define HOST_EDGES   ((uint64_t)1 << 24)

enum { MEMORY_WRITES, HOST_COPIES, ARRAYS, TO_HOST };
enum { CALLS = 4 }; /* before the host waits */

typedef struct {
    uint64_t most; /* edges of a call into device memory */
    void *src, *dst, *weight;
    void *host_src, *host_dst; /* pinned, for HOST_EDGES wide ids */
    uint64_t next;             /* edge of the stream */
    cudaEvent_t begin, end;
} gpu_state;

static int cuda_status(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static bool is_to_host(const bench_case *c)
{
    return c->kind == HOST_COPIES || c->kind == TO_HOST;
}

/* The bytes of so many edges without a generator. */
static int move_bytes(const gpu_state *s, bool copy, size_t bytes)
{
    void *const host[2] = {s->host_src, s->host_dst}, *const device[2] = {s->src, s->dst};
    int status = RMAT_OK;

    for (int i = 0; i < 2 && status == RMAT_OK; i++) {
        status =
            cuda_status(copy ? cudaMemcpyAsync(host[i], device[i], bytes, cudaMemcpyDeviceToHost, 0)
                             : cudaMemsetAsync(device[i], i + 1, bytes, 0));
    }
    return status;
}

/* Start to make n edges. */
static int start_gpu_edges(const bench_table *t, const bench_case *c, uint64_t n)
{
    const rmat_gen *gen = c->gen;
    gpu_state *s = t->state;
    const uint64_t first = s->next;
    rmat_arrays to = {s->src, s->dst, NULL, t->id_bytes};

    s->next += n;
    switch (c->kind) {
    case MEMORY_WRITES:
    case HOST_COPIES:
        return move_bytes(s, c->kind == HOST_COPIES, n * (uint64_t)t->id_bytes);
    case TO_HOST:
        to.src = s->host_src;
        to.dst = s->host_dst;
        return rmat_generate_arrays(gen, first, n, &to);
    default:
        to.weight = bench_model_has_weights(c->model) ? s->weight : NULL;
        return rmat_generate_arrays_device(gen, first, n, &to, NULL);
    }
}

/* Make a few calls' worth of edges between two events, and wait. */
static int time_gpu_calls(const bench_table *t, const bench_case *c, uint64_t most, uint64_t *edges,
                          double *seconds)
{
    const gpu_state *s = t->state;
    float ms = 0;
    int status = cuda_status(cudaEventRecord(s->begin, NULL));

    for (int i = 0; i < CALLS && status == RMAT_OK; i++) {
        uint64_t n = table_piece(t, *edges, most);

        status = n > 0 ? start_gpu_edges(t, c, n) : RMAT_OK;
        *edges += n;
    }
    if (status == RMAT_OK) {
        status = cuda_status(cudaEventRecord(s->end, NULL));
    }
    if (status == RMAT_OK) {
        status = cuda_status(cudaEventSynchronize(s->end));
    }
    if (status == RMAT_OK) {
        status = cuda_status(cudaEventElapsedTime(&ms, s->begin, s->end));
    }
    *seconds += 1e-3 * (double)ms;
    return status;
}

static int wait_for_device(void)
{
    return cuda_status(cudaDeviceSynchronize());
}

/* The first call warms up. */
static int measure_gpu_edges(bench_table *t, const bench_case *c, bench_sample *sample)
{
    const gpu_state *s = t->state;
    const uint64_t most = is_to_host(c) ? HOST_EDGES : s->most;
    uint64_t edges = 0;
    double seconds = 0;
    int status = start_gpu_edges(t, c, table_piece(t, 0, most));

    if (status == RMAT_OK) {
        status = wait_for_device();
    }
    while (status == RMAT_OK && table_goes_on(t, edges, seconds)) {
        status = time_gpu_calls(t, c, most, &edges, &seconds);
    }
    *sample = (bench_sample){(double)edges, seconds};
    return status;
}

static bench_case *add_gpu_case(bench_table *t, const char *name, int kind, int limit)
{
    bench_case *c = table_add(t, name, kind);

    c->run = measure_gpu_edges;
    c->generates = kind >= ARRAYS;
    c->hidden = kind < ARRAYS;
    c->limit = limit;
    return c;
}

static void add_gpu_cases(bench_table *t)
{
    if (t->part == PART_RANKS) {
        add_gpu_case(t, "memory", ARRAYS, 0);
    } else if (t->part == PART_MEMORY) {
        add_gpu_case(t, "its memory written", MEMORY_WRITES, 0);
        add_gpu_case(t, "pinned host memory", HOST_COPIES, 1);
        add_gpu_case(t, "memory", ARRAYS, 0);
        add_gpu_case(t, "to host", TO_HOST, 1);
    }
    for (int m = 0; m < BENCH_MODELS && t->part == PART_MODELS; m++) {
        add_gpu_case(t, bench_model_name(m), ARRAYS, 0)->model = m;
    }
}

static int allocate_on_device(void **place, size_t bytes)
{
    return cuda_status(cudaMalloc(place, bytes));
}

static void release_on_device(void *place)
{
    (void)cudaFree(place);
}

/* Edges of a call: within a quarter of what is free on the GPU, which ranks of a host may share. */
static int choose_most_edges(const bench_table *t, uint64_t *most)
{
    const uint64_t edge_bytes = 2 * sizeof(uint64_t) + (t->part == PART_MODELS ? sizeof(float) : 0);
    const int ranks = t->part == PART_RANKS ? dist_local_size() : 1;
    size_t available = 0, total;
    int status = cuda_status(cudaSetDevice(t->job->device));

    if (status == RMAT_OK) {
        status = cuda_status(cudaMemGetInfo(&available, &total));
    }
    *most = DEVICE_EDGES;
    while (*most > HOST_EDGES && edge_bytes * *most > available / 4 / (size_t)ranks) {
        *most /= 2;
    }
    return status;
}

static int open_gpu(bench_table *t)
{
    gpu_state *s = t->state = calloc(1, sizeof *s);
    int status = s != NULL ? choose_most_edges(t, &s->most) : RMAT_ERR_NOMEM;

    add_gpu_cases(t);
    if (status == RMAT_OK) {
        status = allocate_on_device(&s->src, s->most * sizeof(uint64_t));
    }
    if (status == RMAT_OK) {
        status = allocate_on_device(&s->dst, s->most * sizeof(uint64_t));
    }
    if (status == RMAT_OK && t->part == PART_MODELS) {
        status = allocate_on_device(&s->weight, s->most * sizeof(float));
    }
    if (status == RMAT_OK && t->part == PART_MEMORY) {
        status = cuda_status(cudaMallocHost(&s->host_src, HOST_EDGES * sizeof(uint64_t)));
    }
    if (status == RMAT_OK && t->part == PART_MEMORY) {
        status = cuda_status(cudaMallocHost(&s->host_dst, HOST_EDGES * sizeof(uint64_t)));
    }
    if (status == RMAT_OK) {
        status = cuda_status(cudaEventCreate(&s->begin));
    }
    return status == RMAT_OK ? cuda_status(cudaEventCreate(&s->end)) : status;
}

static void close_gpu(bench_table *t)
{
    gpu_state *s = t->state;

    if (s == NULL) {
        return;
    }
    release_on_device(s->src);
    release_on_device(s->dst);
    release_on_device(s->weight);
    (void)cudaFreeHost(s->host_src);
    (void)cudaFreeHost(s->host_dst);
    if (s->begin != NULL) {
        (void)cudaEventDestroy(s->begin);
    }
    if (s->end != NULL) {
        (void)cudaEventDestroy(s->end);
    }
    free(s);
}

static const bench_backend gpu_backend = {allocate_on_device, release_on_device, wait_for_device,
                                          open_gpu, close_gpu};
const bench_backend *const bench_gpu_backend = &gpu_backend;
