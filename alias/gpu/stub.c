/*
 * alias/gpu/stub.c - the functions of alias/alias_gpu.h in a build without CUDA: there is no GPU,
 * and every function that would need one returns ALIAS_ERR_NO_BACKEND.
 */
#include "alias/alias_gpu.h"
#include "alias/core/table.h"

#include <stddef.h>

const alias_ops *alias_gpu_ops(void)
{
    return NULL;
}

const char *alias_gpu_missing(void)
{
    return "no GPU can be used: this build has no CUDA";
}

int alias_gpu_count(void)
{
    return 0;
}

const char *alias_gpu_error(void)
{
    return "";
}

static int none(alias_table **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    return ALIAS_ERR_NO_BACKEND;
}

int alias_create_device(alias_table **out, const alias_config *config, const double *weights,
                        uint64_t n, void *stream, uint64_t *bad)
{
    (void)config, (void)weights, (void)n, (void)stream, (void)bad;
    return none(out);
}

int alias_prepare(alias_table **out, const alias_config *config, uint64_t n)
{
    (void)config, (void)n;
    return none(out);
}

size_t alias_build_bytes(const alias_table *table)
{
    (void)table;
    return 0;
}

int alias_build_async(alias_table *table, const double *weights, void *scratch, void *stream)
{
    (void)table, (void)weights, (void)scratch, (void)stream;
    return ALIAS_ERR_NO_BACKEND;
}

int alias_build_wait(alias_table *table, uint64_t *bad)
{
    (void)table, (void)bad;
    return ALIAS_ERR_NO_BACKEND;
}

int alias_copy_to_host(alias_table **out, const alias_table *table)
{
    (void)table;
    return none(out);
}

int alias_copy_to_device(alias_table **out, const alias_table *table, int device)
{
    (void)table, (void)device;
    return none(out);
}

int alias_get_view(const alias_table *table, alias_view *view)
{
    (void)table, (void)view;
    return ALIAS_ERR_NO_BACKEND;
}

int alias_sample32_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint32_t *out, void *stream)
{
    (void)table, (void)sampler, (void)seed, (void)first, (void)count, (void)out, (void)stream;
    return ALIAS_ERR_NO_BACKEND;
}

int alias_sample64_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint64_t *out, void *stream)
{
    (void)table, (void)sampler, (void)seed, (void)first, (void)count, (void)out, (void)stream;
    return ALIAS_ERR_NO_BACKEND;
}

alias_sampler alias_best_sampler(const alias_table *table, uint64_t count)
{
    (void)table, (void)count;
    return ALIAS_SAMPLER_BASELINE;
}
