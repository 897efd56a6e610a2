/*
 * The tables on a GPU: their memory, the way of the edges to it, and what is in them when a pass is
 * through.
 *
 * Each thread collects edges in pinned memory.  When a buffer of it is full, it is copied to the
 * device and counted there, while the thread fills the other one.  Threads have a stream each, so
 * that copies run beside kernels.
 */
#include "apps/stats/gpu/gpu.h"
#include "apps/stats/gpu/kernels.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"
#include <cuda_runtime_api.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A thread's way to the GPU. */
typedef struct {
    cudaStream_t stream;
    char *buffer[2]; /* pinned: sources, then destinations */
    cudaEvent_t copied[2];
    char *edges; /* the buffer's copy on the device */
    int now;     /* which buffer is being filled */
    uint64_t count;
} lane;

struct gpu_tables {
    int device, id_bytes, threads;
    uint64_t most; /* edges of a buffer */
    char *pinned, *edges;
    gpu_found *found; /* by a pass, in the device's memory */
    gpu_pass pass;
    degree_counters counters; /* of the pass, with tables on the device */
    pair_table pairs;
    atomic_flag told;
    char text[512]; /* what failed first */
    lane lanes[];
};

/* Of a buffer, half of it for either end of the edges. */
static size_t gpu_buffer_bytes(const gpu_tables *g)
{
    return 2 * (size_t)g->most * (size_t)g->id_bytes;
}

/* Edges of all threads' buffers, and of one at least and at most: multiples of UNIT. */
enum { UNIT = 1 << 12, ALL_EDGES = 1 << 24, LEAST_EDGES = 1 << 14, MOST_EDGES = 1 << 19 };

enum { LEAST_ROOM = 16 << 20 }; /* bytes for tables */

/* Keeps what failed first: in what, with an rmat_status.  0 or -1. */
static int gpu_tell(gpu_tables *g, const char *what, int status)
{
    if (status == RMAT_OK) {
        return 0;
    }
    if (!atomic_flag_test_and_set(&g->told)) {
        snprintf(g->text, sizeof g->text, "GPU %d: %s: %s", g->device, what, rmat_gpu_error());
    }
    return -1;
}

/* The same, with what CUDA returned. */
static int gpu_tell_cuda(gpu_tables *g, const char *what, cudaError_t error)
{
    return gpu_tell(g, what, rmat_gpu_status((int)error));
}

/* A tenth is left to others. */
static uint64_t room_for_tables(const gpu_tables *g)
{
    size_t available = 0, all;

    (void)g;
    (void)cudaMemGetInfo(&available, &all);
    return available / 10 * 9;
}

static int open_lane(gpu_tables *g, int thread)
{
    lane *l = &g->lanes[thread];
    int st;

    l->edges = g->edges + (size_t)thread * gpu_buffer_bytes(g);
    RMAT_TRY(
        gpu_tell_cuda(g, "stream", cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking)));
    for (int i = 0; i < 2; i++) {
        l->buffer[i] = g->pinned + (2 * (size_t)thread + (size_t)i) * gpu_buffer_bytes(g);
        RMAT_TRY(gpu_tell_cuda(g, "event",
                               cudaEventCreateWithFlags(
                                   &l->copied[i], cudaEventBlockingSync | cudaEventDisableTiming)));
    }
done:
    return st;
}

static int set_up_tables(gpu_tables *g)
{
    const size_t bytes = (size_t)g->threads * gpu_buffer_bytes(g);
    int st;

    RMAT_TRY(gpu_tell_cuda(g, "selecting it", cudaSetDevice(g->device)));
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMalloc((void **)&g->found, sizeof *g->found)));
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMalloc((void **)&g->edges, bytes)));
    RMAT_TRY(gpu_tell_cuda(g, "pinned memory",
                           cudaHostAlloc((void **)&g->pinned, 2 * bytes, cudaHostAllocDefault)));
    for (int i = 0; i < g->threads; i++) {
        RMAT_TRY(open_lane(g, i));
    }
    if (room_for_tables(g) < LEAST_ROOM) {
        snprintf(g->text, sizeof g->text, "GPU %d: nearly all of its memory is in use", g->device);
        st = -1;
    }
done:
    return st;
}

static int open_tables(gpu_tables **out, int device, int id_bytes, int threads)
{
    const uint64_t share = (uint64_t)ALL_EDGES / (uint64_t)threads;
    gpu_tables *g = calloc(1, sizeof *g + (size_t)threads * sizeof *g->lanes);
    const int gpus = rmat_gpu_count();

    *out = g;
    if (g == NULL) {
        return -1;
    }
    g->device = device;
    g->id_bytes = id_bytes;
    g->threads = threads;
    g->most = share > MOST_EDGES    ? MOST_EDGES
              : share < LEAST_EDGES ? LEAST_EDGES
                                    : share / UNIT * UNIT;
    if (gpus == 0) {
        snprintf(g->text, sizeof g->text, "%s", rmat_strerror(RMAT_ERR_NO_BACKEND));
        return -1;
    }
    if (device >= gpus) {
        snprintf(g->text, sizeof g->text, "--device %d: this machine has %d GPU%s", device, gpus,
                 gpus == 1 ? "" : "s");
        return -1;
    }
    return set_up_tables(g);
}

static void free_tables(gpu_tables *g)
{
    (void)cudaFree(g->counters.counters);
    (void)cudaFree(g->pairs.table);
    g->counters.counters = NULL;
    g->pairs.table = NULL;
}

static void close_tables(gpu_tables *g)
{
    if (g == NULL) {
        return;
    }
    for (int i = 0; i < g->threads; i++) {
        lane *l = &g->lanes[i];

        if (l->stream != NULL) {
            (void)cudaStreamSynchronize(l->stream);
            (void)cudaStreamDestroy(l->stream);
        }
        for (int k = 0; k < 2; k++) {
            if (l->copied[k] != NULL) {
                (void)cudaEventDestroy(l->copied[k]);
            }
        }
    }
    free_tables(g);
    (void)cudaFree(g->edges);
    (void)cudaFree(g->found);
    (void)cudaFreeHost(g->pinned);
    free(g);
}

static const char *first_error(const gpu_tables *g)
{
    return g != NULL ? g->text : "memory is exhausted";
}

static int create_table(gpu_tables *g, size_t bytes, void **table)
{
    int st;

    *table = NULL;
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMalloc(table, bytes)));
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMemset(*table, 0, bytes)));
done:
    return st;
}

static int begin_pass(gpu_tables *g, const gpu_pass *pass)
{
    int st = RMAT_OK;

    g->pass = *pass;
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMemset(g->found, 0, sizeof *g->found)));
    if (pass->counters != NULL) {
        g->counters = *pass->counters;
        RMAT_TRY(create_table(g, pass->counters->bytes, &g->counters.counters));
        g->counters.table = g->counters.counters; /* either is in use */
    }
    if (pass->pairs != NULL) {
        g->pairs = *pass->pairs;
        RMAT_TRY(create_table(g, pass->pairs->bytes, (void **)&g->pairs.table));
    }
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaStreamSynchronize(NULL)));
done:
    return st;
}

/* Starts copying and counting what the thread's buffer has, and waits until its other one is
 * copied.
 */
static int start_buffer(gpu_tables *g, lane *l)
{
    const size_t half = gpu_buffer_bytes(g) / 2, bytes = (size_t)l->count * (size_t)g->id_bytes;
    const char *from = l->buffer[l->now];
    char *src = l->edges, *dst = src + half;
    int st;

    RMAT_TRY(gpu_tell_cuda(g, "copying",
                           cudaMemcpyAsync(src, from, bytes, cudaMemcpyHostToDevice, l->stream)));
    RMAT_TRY(gpu_tell_cuda(
        g, "copying", cudaMemcpyAsync(dst, from + half, bytes, cudaMemcpyHostToDevice, l->stream)));
    RMAT_TRY(gpu_tell_cuda(g, "copying", cudaEventRecord(l->copied[l->now], l->stream)));
    if (g->pass.counters != NULL) {
        RMAT_TRY(gpu_tell(
            g, "counting",
            gpu_count_degrees(&g->counters, src, dst, l->count, g->id_bytes, g->found, l->stream)));
    }
    if (g->pass.pairs != NULL) {
        RMAT_TRY(gpu_tell(g, "counting",
                          gpu_find_pairs(&g->pairs, src, dst, l->count, g->found, l->stream)));
    }
    l->now = 1 - l->now;
    l->count = 0;
    RMAT_TRY(gpu_tell_cuda(g, "copying", cudaEventSynchronize(l->copied[l->now])));
done:
    return st;
}

static int add_edges(gpu_tables *g, int thread, const edge_block *e)
{
    lane *l = &g->lanes[thread];
    const size_t width = (size_t)g->id_bytes, half = gpu_buffer_bytes(g) / 2;
    int st = gpu_tell_cuda(g, "selecting it", cudaSetDevice(g->device));

    for (uint64_t at = 0, n; st == 0 && at < e->count; at += n) {
        char *to = l->buffer[l->now] + l->count * width;

        n = e->count - at < g->most - l->count ? e->count - at : g->most - l->count;
        memcpy(to, (const char *)e->src + at * width, n * width);
        memcpy(to + half, (const char *)e->dst + at * width, n * width);
        l->count += n;
        if (l->count == g->most) {
            st = start_buffer(g, l);
        }
    }
    return st;
}

static int finish_pass(gpu_tables *g, gpu_found *f)
{
    int st;

    for (int i = 0; i < g->threads; i++) {
        if (g->lanes[i].count > 0) {
            RMAT_TRY(start_buffer(g, &g->lanes[i]));
        }
        RMAT_TRY(gpu_tell_cuda(g, "counting", cudaStreamSynchronize(g->lanes[i].stream)));
    }
    RMAT_TRY(
        gpu_tell_cuda(g, "copying", cudaMemcpy(f, g->found, sizeof *f, cudaMemcpyDeviceToHost)));
    if (f->counters_full) {
        snprintf(g->text, sizeof g->text, "GPU %d: too many vertices in a part of the table",
                 g->device);
        return -1;
    }
    if (g->pass.counters != NULL) {
        const degree_counters *c = g->pass.counters;

        RMAT_TRY(gpu_tell_cuda(g, "copying",
                               cudaMemcpy(c->sparse ? (void *)c->table : c->counters,
                                          g->counters.counters, c->bytes, cudaMemcpyDeviceToHost)));
    }
done:
    return st;
}

static int end_pass(gpu_tables *g, pair_counts *found, bool *full)
{
    gpu_found f;
    const int st = finish_pass(g, &f);

    free_tables(g);
    if (st != 0) {
        return st;
    }
    *full = f.pairs_full;
    if (!*full) {
        found->distinct += f.pairs.distinct;
        found->loops += f.pairs.loops;
        found->mutual += f.pairs.mutual;
    }
    return 0;
}

const gpu_tables_backend gpu_tables_of_cuda = {
    open_tables, close_tables, first_error, room_for_tables, begin_pass, add_edges, end_pass};
