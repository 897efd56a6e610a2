/* Built instead of bench_gpu.c without CUDA. */
#include "apps/bench.h"
#include "apps/message.h"

bool bench_gpu_wanted(void)
{
    return false;
}

int bench_gpu(const bench_job *job, double seconds)
{
    (void)job;
    (void)seconds;
    return EXIT_OK;
}
