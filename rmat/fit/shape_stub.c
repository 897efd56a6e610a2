/* The shape of a graph on a GPU in a build without CUDA. */
#include "rmat/fit/shape_item.h"

int rmat_gpu_shape(const rmat_gen *gen, uint64_t n, uint64_t edges, int unique, int probes,
                   rmat_shape *shape, uint32_t *out, uint32_t *in)
{
    (void)gen, (void)n, (void)edges, (void)unique, (void)probes, (void)shape, (void)out, (void)in;
    return RMAT_ERR_NO_BACKEND;
}
