/*
 * alias/research/gpu_space_efficient_stub.c - the GPU part of the space-efficient table in a build
 * without CUDA: every function returns ALIAS_ERR_NO_BACKEND.
 */
#include "alias/research/space_efficient_table.h"

int alias_gpu_space_build(alias_space_efficient *table, const double *weights, bool weights_on_gpu,
                          void *stream, uint64_t *bad)
{
    (void)table, (void)weights, (void)weights_on_gpu, (void)stream, (void)bad;
    return ALIAS_ERR_NO_BACKEND;
}

void alias_gpu_space_destroy(alias_space_efficient *table)
{
    (void)table;
}

int alias_gpu_space_draw(const alias_space_efficient *table, int group, uint64_t seed,
                         uint64_t first, uint64_t count, void *out, bool wide, void *stream)
{
    (void)table, (void)group, (void)seed, (void)first, (void)count, (void)out, (void)wide;
    (void)stream;
    return ALIAS_ERR_NO_BACKEND;
}

int alias_gpu_space_sample(const alias_space_efficient *table, uint64_t seed, uint64_t first,
                           uint64_t count, void *out, bool wide)
{
    (void)table, (void)seed, (void)first, (void)count, (void)out, (void)wide;
    return ALIAS_ERR_NO_BACKEND;
}
