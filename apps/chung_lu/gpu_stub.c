/* Built where CUDA is absent: the GPU that is not there. */
#include "apps/chung_lu/gpu.h"
#include <stdio.h>

static int fail(char *text, size_t size)
{
    snprintf(text, size, "%s", alias_strerror(ALIAS_ERR_NO_BACKEND));
    return -1;
}

int chung_lu_gpu_open(chung_lu_gpu **out, const alias_table *table, const chung_lu_stream *stream,
                      int device, char *text, size_t size)
{
    (void)table, (void)stream, (void)device;
    *out = NULL;
    return fail(text, size);
}

void chung_lu_gpu_close(chung_lu_gpu *gpu)
{
    (void)gpu;
}

static int run(void *state, pipeline *p, char *text, size_t size)
{
    (void)state, (void)p;
    return fail(text, size);
}

pipeline_producer chung_lu_gpu_producer(chung_lu_gpu *gpu)
{
    return (pipeline_producer){run, gpu, 1};
}

int chung_lu_gpu_measure(const alias_table *table, const chung_lu_stream *stream, int device,
                         uint64_t repeat, chung_lu_measured *m, char *text, size_t size)
{
    (void)table, (void)stream, (void)device, (void)repeat, (void)m;
    return fail(text, size);
}
