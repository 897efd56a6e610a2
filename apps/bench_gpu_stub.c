/* Built instead of bench_gpu.c without CUDA.  Nobody gets here: there are no GPUs to measure. */
#include "apps/bench.h"
#include "apps/message.h"

int bench_gpu(const bench_job *job, double seconds)
{
    (void)job;
    (void)seconds;
    return EXIT_OK;
}
