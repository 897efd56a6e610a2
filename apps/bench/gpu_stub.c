/* Built instead of apps/bench/gpu.c without CUDA.  Nobody gets here: there are no GPUs to measure.
 */
#include "apps/bench/bench.h"
#include "apps/common/message.h"

int bench_gpu(const bench_job *job, double seconds)
{
    (void)job;
    (void)seconds;
    return EXIT_OK;
}
