/* Built instead of apps/bench/ranks_gpu.c without CUDA. */
#include "apps/bench/ranks.h"

int ranks_gpu_open(const ranks_job *job, ranks_work *work, char *text, size_t size)
{
    (void)job;
    (void)work;
    snprintf(text, size, "%s", rmat_strerror(RMAT_ERR_NO_BACKEND));
    return -1;
}

void ranks_gpu_close(ranks_work *work)
{
    (void)work;
}
