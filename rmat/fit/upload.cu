/*
 * upload.cu - edges from host to device memory, where kernels take 64-bit ids: those of 32 bits
 * cross the bus, and are widened behind it.  Part of the fit's library.
 */
#include "rmat/fit/fit.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"

#include <cuda_runtime.h>

enum { THREADS = 256, BLOCKS = 2048 };

static __global__ void __launch_bounds__(THREADS)
    widen(const uint32_t *__restrict__ from, uint64_t count, uint64_t *__restrict__ to)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        to[i] = from[i];
    }
}

static int upload_ids(const uint32_t *ids, uint64_t count, void *to, int id_bytes,
                      cudaStream_t stream)
{
    const size_t bytes = count * sizeof *ids;
    uint32_t *narrow = NULL;
    int st;

    if (id_bytes == 4) {
        return rmat_gpu_status(cudaMemcpyAsync(to, ids, bytes, cudaMemcpyHostToDevice, stream));
    }
    RMAT_TRY_CUDA(cudaMallocAsync((void **)&narrow, bytes, stream));
    RMAT_TRY_CUDA(cudaMemcpyAsync(narrow, ids, bytes, cudaMemcpyHostToDevice, stream));
    widen<<<BLOCKS, THREADS, 0, stream>>>(narrow, count, (uint64_t *)to);
    RMAT_TRY(rmat_gpu_launched());
done:
    if (narrow != NULL) {
        const int freed = rmat_gpu_status(cudaFreeAsync(narrow, stream));

        st = st != RMAT_OK ? st : freed;
    }
    return st;
}

extern "C" int fit_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                               void *stream)
{
    const fit_loaded *l = (const fit_loaded *)state;

    RMAT_OR_RETURN(upload_ids(l->src + first, count, to->src, to->id_bytes, (cudaStream_t)stream));
    return upload_ids(l->dst + first, count, to->dst, to->id_bytes, (cudaStream_t)stream);
}
