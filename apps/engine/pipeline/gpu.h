/*
 * Edges for the pipeline from a GPU: one thread keeps a few chunks in flight, each on a stream of
 * its own, from the kernel through the fingerprint to the copy into the chunk's buffer.
 */
#ifndef APPS_ENGINE_PIPELINE_GPU_H
#define APPS_ENGINE_PIPELINE_GPU_H

#include "apps/engine/pipeline/pipeline.h"
#include "rmat/rmat.h"

enum { PIPELINE_GPU_CHUNKS = 3 }; /* in flight: one computed, one copied, one to spare */

/* pipeline_make_plan() for the GPU: smaller buffers, for the disk waits for the first one. */
int pipeline_gpu_make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                           uint64_t chunk, uint64_t memory);

/* What fills chunks on a GPU, in one thread: the same as for apps/engine/pipeline/cpu.h in device
 * memory, started in a stream.  *fingerprint is 0 before. */
typedef struct {
    int (*fill)(void *state, const pipeline_span *what, const rmat_arrays *to,
                uint64_t *fingerprint, void *stream);
    void (*filled)(void *state, const pipeline_span *what); /* and copied; or NULL */
    void *state;
    int device;
} pipeline_gpu_filler;

typedef struct {
    pipeline_producer (*filled)(const pipeline_gpu_filler *filler);
    pipeline_producer (*edges)(const rmat_gen *gen);
    uint64_t (*bytes)(const pipeline_plan *plan);
} pipeline_gpu_backend;

/* NULL in a build without CUDA, where no generator is of the GPU backend. */
static inline const pipeline_gpu_backend *pipeline_cuda(void)
{
#ifdef RMAT_HAVE_CUDA
    extern const pipeline_gpu_backend pipeline_of_cuda; /* gpu.c */

    return &pipeline_of_cuda;
#else
    return NULL;
#endif
}

/* A producer by a filler, which is borrowed. */
static inline pipeline_producer pipeline_gpu_filled(const pipeline_gpu_filler *filler)
{
    return pipeline_cuda()->filled(filler);
}

/* The edges of the stream.  For a plan with PIPELINE_GPU_CHUNKS at once.  gen is one of the GPU
 * backend, and is borrowed. */
static inline pipeline_producer pipeline_gpu(const rmat_gen *gen)
{
    return pipeline_cuda()->edges(gen);
}

/* What the producer allocates on the GPU: chunks in flight with all their columns. */
static inline uint64_t pipeline_gpu_bytes(const pipeline_plan *plan)
{
    return pipeline_cuda() != NULL ? pipeline_cuda()->bytes(plan) : 0;
}

#endif
