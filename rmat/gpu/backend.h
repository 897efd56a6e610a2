/* backend.h - private to rmat/: what the files of the GPU backend share. */
#ifndef RMAT_GPU_BACKEND_H
#define RMAT_GPU_BACKEND_H

#include "rmat/model/gpu.h"
#include "rmat/model/weight.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How ids are laid out: in separate arrays of sources and destinations, or in one array of pairs
 * (dst is src + 1; no weights then). */
typedef enum { RMAT_ARRAYS, RMAT_PAIRS } rmat_layout;

/* backend.c: how the weights of the generator's configuration are made. */
rmat_weighing rmat_weighing_of(const rmat_gen *gen);

/* Starts storing edges [first, first + count), count > 0, in the memory of the current GPU, which
 * is the generator's: any edges, by one of the others; those of plain graphs (rmat_is_plain()),
 * without weights (arrays.cu); all others (arrays_transformed.cu), of which those of bounded
 * graphs, and those into arrays without alignment, have kernels of their own (arrays_bounded.cu).
 */
int rmat_gpu_store(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                   rmat_layout layout, cudaStream_t stream);
int rmat_gpu_store_plain(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                         rmat_layout layout, cudaStream_t stream);
int rmat_gpu_store_transformed(const rmat_gen *gen, uint64_t first, uint64_t count,
                               const rmat_arrays *to, const rmat_weighing *weighing,
                               rmat_layout layout, cudaStream_t stream);

int rmat_gpu_store_bounded(const rmat_gen *gen, uint64_t first, uint64_t count,
                           const rmat_arrays *to, const rmat_weighing *weighing, rmat_layout layout,
                           cudaStream_t stream);

cudaMemPool_t rmat_gpu_pool(const rmat_gen *gen); /* scratch memory, freed in stream order */
/* Makes the generator's GPU the current one until alias_gpu_leave(before), due only if this
 * succeeded. */
int rmat_gpu_enter(const rmat_gen *gen, int *before);
int rmat_alias_status(int alias_status); /* the rmat_status for an alias_status */

/*
 * For tests: sets the capacity of the lists of rmat_ties and the limit below which an edge may have
 * met a tie (0: the right values).  With a larger limit more edges are made twice, with the same
 * result; with a smaller one edges that tie come out wrong.
 */
void rmat_gpu_set_ties(rmat_gen *gen, uint32_t capacity, uint32_t limit);

/* For tests: sets *tied to the number of edges that the first kernel has set aside so far.  The
 * generator's work must have finished. */
int rmat_gpu_tied(const rmat_gen *gen, uint64_t *tied);

/* Sets *copy to the copy of `bytes` bytes of host memory on the current GPU.  *copies begins as
 * NULL and is to be freed with rmat_gpu_copies_free(), after all work that uses the copies.  0,
 * RMAT_ERR_NOMEM or RMAT_ERR_CUDA.  Thread-safe. */
int rmat_gpu_copy(rmat_gpu_copies **copies, const void *host, size_t bytes, const void **copy);

/* Makes count elements in host memory, part by part, of which each takes `bytes` bytes of device
 * memory: starts making elements [at, at + n), n <= room, in `memory`, which has room for so many,
 * and copying them back. */
typedef int rmat_gpu_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                          cudaStream_t stream);
int rmat_gpu_in_parts(const rmat_gen *gen, uint64_t count, size_t bytes, rmat_gpu_part *make,
                      void *job);

/* Starts copying n elements of so many bytes to the host, to element `at`; to may be NULL. */
int rmat_gpu_copy_back(void *to, uint64_t at, const void *from, uint64_t n, size_t bytes,
                       cudaStream_t stream);

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
