/* Built where CUDA is absent: the GPU that is not there. */
#include "apps/chung_lu/gpu.h"
#include <stdio.h>

static int fail(char *text, size_t size)
{
    snprintf(text, size, "%s", alias_strerror(ALIAS_ERR_NO_BACKEND));
    return -1;
}

int chung_lu_gpu_open(chung_lu_gpu **out, const chung_lu_tables *tables,
                      const chung_lu_stream *stream, int device, char *text, size_t size)
{
    (void)tables, (void)stream, (void)device;
    *out = NULL;
    return fail(text, size);
}

void chung_lu_gpu_close(chung_lu_gpu *gpu)
{
    (void)gpu;
}

int chung_lu_gpu_fill(chung_lu_gpu *gpu, uint64_t first, uint64_t count, const rmat_arrays *to,
                      void *stream)
{
    (void)gpu, (void)first, (void)count, (void)to, (void)stream;
    return ALIAS_ERR_NO_BACKEND;
}
