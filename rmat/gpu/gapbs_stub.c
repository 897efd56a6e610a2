/* gapbs_stub.c - GAPBS's edges on a GPU in a build without CUDA, which has no GPU to make them. */
#include "rmat/source/gapbs.h"

#include <stddef.h>

rmat_source_fill_device *rmat_gpu_gapbs(void)
{
    return NULL;
}
