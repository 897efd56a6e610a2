/* Private to the GPU backend. */
#ifndef RMAT_GPU_BACKEND_H
#define RMAT_GPU_BACKEND_H

#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { RMAT_ARRAYS, RMAT_PAIRS } rmat_layout; /* pairs: dst is src + 1, no weights */

/* What rmat_weight_bits() and what follows it need. */
typedef struct {
    uint64_t key, range; /* of int weights; 0: uniform */
    int32_t min;
} rmat_weighing;

/* Starts edges [first, first + count) of the current GPU's generator; count is not 0.  The second
 * is for plain graphs without weights (rmat_is_plain()). */
int rmat_gpu_store(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                   rmat_layout layout, cudaStream_t stream);
int rmat_gpu_store_plain(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                         rmat_layout layout, cudaStream_t stream);
int rmat_gpu_store_transformed(const rmat_gen *gen, uint64_t first, uint64_t count,
                               const rmat_arrays *to, const rmat_weighing *weighing,
                               rmat_layout layout, cudaStream_t stream);

/* rmat/gpu/host.c: see rmat_backend_ops. */
int rmat_gpu_generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to);

cudaMemPool_t rmat_gpu_pool(const rmat_gen *gen); /* scratch of calls, freed in stream order */
int rmat_alias_status(int alias_status);          /* the status that goes with it */

/*
 * For tests.  Lists of ties for so many edges of a block, and what counts as a tie (0: as it should
 * be): with a larger limit more edges are made twice, to the same end; with a smaller one those
 * that tie come out wrong.
 */
void rmat_gpu_set_ties(rmat_gen *gen, uint32_t capacity, uint32_t limit);

/* All edges so far that the kernel that stores set aside; once the generator's work is done. */
int rmat_gpu_tied(const rmat_gen *gen, uint64_t *tied);

#ifdef __cplusplus
}
#endif

#endif
