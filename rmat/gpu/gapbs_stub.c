/* gapbs_stub.c - GAPBS's edges on a GPU in a build without CUDA, which has no GPU to make them. */
#include "rmat/source/gapbs.h"

int rmat_gapbs_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                           void *stream)
{
    (void)state, (void)first, (void)count, (void)to, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

void rmat_gapbs_leave_device(rmat_gapbs *g)
{
    (void)g;
}
