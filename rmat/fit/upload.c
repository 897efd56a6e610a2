/* Edges from host to device memory. */
#include "rmat/fit/load.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"

#include <cuda_runtime_api.h>

static int fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                       void *stream)
{
    const fit_loaded *l = state;
    const size_t bytes = count * sizeof *l->src;
    int st;

    if (to->id_bytes != 4) {
        return RMAT_ERR_ID_WIDTH; /* shapes are of graphs with up to 2^32 vertices */
    }
    RMAT_TRY_CUDA(cudaMemcpyAsync(to->src, l->src + first, bytes, cudaMemcpyHostToDevice, stream));
    RMAT_TRY_CUDA(cudaMemcpyAsync(to->dst, l->dst + first, bytes, cudaMemcpyHostToDevice, stream));
done:
    return st;
}

rmat_source_fill_device *fit_loaded_fill_device(void)
{
    return fill_device;
}
