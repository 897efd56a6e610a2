/* backend.h - private to rmat/: declarations shared by the files of the GPU backend. */
#ifndef RMAT_GPU_BACKEND_H
#define RMAT_GPU_BACKEND_H

#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts storing edges [first, first + count), count > 0, in the memory of the generator's GPU,
 * which must be the current one. */
int rmat_gpu_store(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                   cudaStream_t stream);

cudaMemPool_t rmat_gpu_pool(const rmat_gen *gen); /* scratch memory, freed in stream order */
/* Makes the generator's GPU the current one until alias_gpu_leave(before), which must follow only
 * after success. */
int rmat_gpu_enter(const rmat_gen *gen, int *before);
int rmat_alias_status(int alias_status); /* the rmat_status for an alias_status */

/* For tests: sets the capacity of the lists of rmat_ties, and the limit below which an edge may
 * have met a tie (0: the right values).  A larger limit makes more edges twice, with the same
 * result.  A smaller one gives wrong edges for ties. */
void rmat_gpu_set_ties(rmat_gen *gen, uint32_t capacity, uint32_t limit);

/* Sets *copy to the copy of `bytes` bytes of host memory on the current GPU.  The caller frees all
 * copies with rmat_gpu_copies_free() after all work that uses them.  Returns 0, RMAT_ERR_NOMEM,
 * RMAT_ERR_CUDA or, beyond RMAT_MAX_GPUS, RMAT_ERR_DEVICE.  Thread-safe. */
int rmat_gpu_copy(rmat_gpu_copies *copies, const void *host, size_t bytes, const void **copy);

/* Makes count elements in host memory, part by part; each element takes `bytes` bytes of device
 * memory.  The callback starts making elements [at, at + n), n <= room, in `memory`, which has room
 * for `room` elements, and starts copying them back. */
typedef int rmat_gpu_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                          cudaStream_t stream);
int rmat_gpu_in_parts(const rmat_gen *gen, uint64_t count, size_t bytes, rmat_gpu_part *make,
                      void *job);

/* Starts copying n elements of this many bytes to element `at` of the host array, or NULL. */
int rmat_gpu_copy_back(void *to, uint64_t at, const void *from, uint64_t n, size_t bytes,
                       cudaStream_t stream);

/* Starts filling arrays in the memory of the current GPU with base edges [first, first + count) of
 * the generator's source. */
static inline int rmat_gpu_source_fill(const rmat_gen *gen, uint64_t first, uint64_t count,
                                       const rmat_arrays *to, cudaStream_t stream)
{
    return gen->source.fill_device(gen->source.state, first, count, to, stream) == 0
               ? RMAT_OK
               : RMAT_ERR_SOURCE;
}

#ifdef __cplusplus
}
#endif

#endif
