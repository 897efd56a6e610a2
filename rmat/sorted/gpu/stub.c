/* Sorted graphs on the GPU in a build without CUDA: there are none. */
#include "rmat/sorted/gpu/memory.h"
#include "rmat/sorted/interval.h"

#include <stddef.h>

const rmat_interval_ops *rmat_gpu_interval_ops(void)
{
    return NULL;
}

void *rmat_gpu_allocate(const rmat_gen *gen, size_t bytes)
{
    (void)gen, (void)bytes;
    return NULL;
}

void rmat_gpu_release(const rmat_gen *gen, void *memory)
{
    (void)gen, (void)memory;
}

int rmat_gpu_finish(const rmat_gen *gen)
{
    (void)gen;
    return RMAT_ERR_NO_BACKEND;
}
