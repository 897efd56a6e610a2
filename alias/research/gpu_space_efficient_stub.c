/* Stands in for the space-efficient table's GPU part in a build without CUDA. */
#include "alias/research/space_efficient_table.h"

int alias_gpu_space_build(alias_space_efficient *table, const double *weights, int weights_on_gpu,
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
                         uint64_t first, uint64_t count, void *out, int wide, void *stream)
{
    (void)table, (void)group, (void)seed, (void)first, (void)count, (void)out, (void)wide;
    (void)stream;
    return ALIAS_ERR_NO_BACKEND;
}

int alias_gpu_space_sample(const alias_space_efficient *table, uint64_t seed, uint64_t first,
                           uint64_t count, void *out, int wide)
{
    (void)table, (void)seed, (void)first, (void)count, (void)out, (void)wide;
    return ALIAS_ERR_NO_BACKEND;
}
