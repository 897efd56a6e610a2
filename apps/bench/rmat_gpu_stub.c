/* Stands in for the GPU's benchmark in a build without CUDA. */
#include "apps/bench/rmat_gpu.h"
#include "apps/common/message.h"

int bench_rmat_gpu(const bench_options *o, FILE *json)
{
    (void)o, (void)json;
    fprintf(stderr, "bench_rmat: --backend: 'gpu' given, but this build is without CUDA\n");
    return EXIT_RUNTIME;
}
