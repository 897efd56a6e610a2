/* source.h - private to rmat/: the edges of an edge source on a GPU, whose source has
 * fill_device().
 */
#ifndef RMAT_GPU_SOURCE_H
#define RMAT_GPU_SOURCE_H

#include "rmat/gpu/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What kernels need to know of a generator with an edge source. */
typedef struct {
    rmat_view view;  /* without tables: for rmat_transform_ends() */
    int drops_loops; /* sorted intervals leave loops out */
    int own_weights; /* the source brings them */
} rmat_gpu_source;

/* Sets *source and returns 1 for a generator with an edge source, else returns 0. */
int rmat_gpu_source_of(const rmat_gen *gen, rmat_gpu_source *source);

/* Starts filling arrays in the memory of the current GPU with base edges [first, first + count) of
 * the source. */
int rmat_gpu_source_fill(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                         cudaStream_t stream);

/* As rmat_gpu_store(), for a generator with an edge source. */
int rmat_gpu_store_source(const rmat_gen *gen, const rmat_gpu_source *source, uint64_t first,
                          uint64_t count, const rmat_arrays *to, const rmat_weighing *weighing,
                          rmat_layout layout, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
