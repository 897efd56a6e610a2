/* Built where CUDA is absent: there is no GPU to measure. */
#include "apps/chung_lu/gpu.h"
#include <stdio.h>

int chung_lu_gpu_measure(const chung_lu_tables *tables, const chung_lu_stream *stream, int device,
                         uint64_t repeat, chung_lu_measured *m, char *text, size_t size)
{
    (void)tables, (void)stream, (void)device, (void)repeat, (void)m;
    snprintf(text, size, "%s", alias_strerror(ALIAS_ERR_NO_BACKEND));
    return -1;
}
