/* The state of the tables on a GPU, which tables.c and feed.c share.  Private. */
#ifndef APPS_STATS_GPU_STATE_H
#define APPS_STATS_GPU_STATE_H

#include "apps/stats/gpu/gpu.h"
#include "apps/stats/gpu/kernels.h"
#include "rmat/try.h"
#include <cuda_runtime_api.h>
#include <stdatomic.h>

/* A thread's way to the GPU. */
typedef struct {
    cudaStream_t stream;
    char *buffer[2]; /* pinned: sources, then destinations */
    cudaEvent_t copied[2];
    char *edges; /* the buffer's copy on the device */
    int now;     /* which buffer is being filled */
    uint64_t count;
} lane;

/* What a pass finds, in the device's memory. */
typedef struct {
    gpu_found found;
    rmat_tally levels;
} findings;

struct gpu_tables {
    int device, id_bytes, threads;
    uint64_t most; /* edges of a buffer */
    char *pinned, *edges;
    findings *findings;
    gpu_pass pass;
    degree_counters counters; /* of the pass, with tables on the device */
    pair_table pairs;
    atomic_flag told;
    char text[512]; /* what failed first */
    lane lanes[];
};

/* Keeps what failed first: in what, with an rmat_status, or what CUDA returned.  0 or -1. */
int gpu_tell(gpu_tables *g, const char *what, int status);
int gpu_tell_cuda(gpu_tables *g, const char *what, cudaError_t error);

/* Of a buffer, half of it for either end of the edges. */
static inline size_t gpu_buffer_bytes(const gpu_tables *g)
{
    return 2 * (size_t)g->most * (size_t)g->id_bytes;
}

/* feed.c: gpu_tables_backend.add. */
int gpu_tables_add(gpu_tables *g, int thread, const edge_block *edges);

/* feed.c: starts copying and counting what the thread's buffer has, and waits until its other one
 * is copied. */
int gpu_tables_start(gpu_tables *g, lane *l);

#endif
