/* Stands in for the GPU's benchmark in a build without CUDA. */
#include "apps/bench_alias/bench_alias.h"
#include "apps/common/message.h"

int bench_alias_gpu_check(const bench_alias_options *o)
{
    (void)o;
    fprintf(stderr, "bench_alias: --backend: 'gpu' given, but this build is without CUDA\n");
    return EXIT_RUNTIME;
}

int bench_alias_gpu(const bench_alias_options *o, FILE *json)
{
    (void)json;
    return bench_alias_gpu_check(o);
}
