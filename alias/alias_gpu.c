/*
 * alias/alias_gpu.c - the functions of alias_gpu.h. They check their arguments and call the GPU
 * backend.  A build without CUDA has no such backend.
 */
#include "alias/core/table.h"

#include <stddef.h>

int alias_gpu_count(void)
{
    return alias_gpu() != NULL ? alias_gpu()->count() : 0;
}

const char *alias_gpu_error(void)
{
    return alias_gpu() != NULL ? alias_gpu()->error() : "";
}

const char *alias_gpu_missing(void)
{
    return alias_gpu() != NULL ? alias_gpu()->missing()
                               : "no GPU can be used: this build has no CUDA";
}

const alias_ops *alias_gpu_ops(void)
{
    return alias_gpu_count() > 0 ? &alias_gpu()->ops : NULL;
}

/* Checks that *out may become a table on a GPU, and sets it to NULL. */
static int begin_create(alias_table **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    return alias_gpu() == NULL ? ALIAS_ERR_NO_BACKEND : out == NULL ? ALIAS_ERR_ARG : ALIAS_OK;
}

/* Frees the table after a failure. */
static int end_create(alias_table **out, int st)
{
    if (st != ALIAS_OK) {
        alias_destroy(*out);
        *out = NULL;
    }
    return st;
}

static int check_gpu_table(const alias_table *table)
{
    return alias_gpu() == NULL                   ? ALIAS_ERR_NO_BACKEND
           : table == NULL || table->gpu == NULL ? ALIAS_ERR_ARG
                                                 : ALIAS_OK;
}

/* Makes a table and allocates its rows on a GPU. */
static int allocate_on_gpu(alias_table **out, const alias_config *config, uint64_t n)
{
    const alias_ops *ops = alias_gpu_ops();
    int st = ops != NULL ? alias_table_new(out, config, n, ops) : ALIAS_ERR_NO_BACKEND;

    return st != ALIAS_OK ? st : end_create(out, alias_gpu()->allocate(*out));
}

int alias_prepare(alias_table **out, const alias_config *config, uint64_t n)
{
    int st = begin_create(out);

    if (st != ALIAS_OK) {
        return st;
    }
    if (config != NULL &&
        (config->backend == ALIAS_BACKEND_CPU ||
         (config->builder != ALIAS_BUILDER_AUTO && !alias_gpu()->has_kernels(config->builder)))) {
        return ALIAS_ERR_ARG;
    }
    return allocate_on_gpu(out, config, n);
}

int alias_create_device(alias_table **out, const alias_config *config, const double *weights,
                        uint64_t n, void *stream, uint64_t *bad)
{
    int st = begin_create(out);

    if (st == ALIAS_OK && weights == NULL) {
        st = ALIAS_ERR_ARG;
    }
    if (st == ALIAS_OK) {
        st = alias_prepare(out, config, n);
    }
    return st != ALIAS_OK ? st
                          : end_create(out, alias_gpu()->build_now(*out, weights, stream, bad));
}

size_t alias_build_bytes(const alias_table *table)
{
    return check_gpu_table(table) == ALIAS_OK ? alias_gpu()->build_bytes(table) : 0;
}

int alias_build_async(alias_table *table, const double *weights, void *scratch, void *stream)
{
    int st = check_gpu_table(table);

    if (st == ALIAS_OK && (weights == NULL || scratch == NULL)) {
        st = ALIAS_ERR_ARG;
    }
    return st != ALIAS_OK ? st : alias_gpu()->build_async(table, weights, scratch, stream);
}

int alias_build_wait(alias_table *table, uint64_t *bad)
{
    int st = check_gpu_table(table);

    return st != ALIAS_OK ? st : alias_gpu()->build_wait(table, bad);
}

int alias_copy_to_host(alias_table **out, const alias_table *table)
{
    int st = begin_create(out);

    if (st == ALIAS_OK) {
        st = check_gpu_table(table);
    }
    if (st == ALIAS_OK) {
        st = alias_cpu_empty(out, table);
    }
    return st != ALIAS_OK ? st : end_create(out, alias_gpu()->download(table, (*out)->rows));
}

int alias_copy_to_device(alias_table **out, const alias_table *table, int device)
{
    alias_config config;
    int st = begin_create(out);

    if (st == ALIAS_OK && (table == NULL || table->gpu != NULL)) {
        st = ALIAS_ERR_ARG;
    }
    if (st != ALIAS_OK) {
        return st;
    }
    config = table->config;
    config.row_bytes = table->row_bytes;
    config.builder = table->builder;
    config.device = device;
    st = allocate_on_gpu(out, &config, table->n);
    return st != ALIAS_OK ? st : end_create(out, alias_gpu()->upload(*out, table->rows));
}

int alias_get_view(const alias_table *table, alias_view *view)
{
    int st = check_gpu_table(table);

    if (st == ALIAS_OK && view == NULL) {
        st = ALIAS_ERR_ARG;
    }
    if (st == ALIAS_OK) {
        *view = alias_gpu()->view(table);
    }
    return st;
}

static int sample_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                         uint64_t first, uint64_t count, void *out, bool wide, void *stream)
{
    int st = check_gpu_table(table);

    if (st != ALIAS_OK) {
        return st;
    }
    if ((out == NULL && count != 0) || (unsigned)sampler > ALIAS_SAMPLER_SHARED ||
        (!wide && table->n > (uint64_t)UINT32_MAX + 1)) {
        return ALIAS_ERR_ARG;
    }
    if (count == 0) {
        return ALIAS_OK;
    }
    if (first > UINT64_MAX - (count - 1)) {
        return ALIAS_ERR_RANGE;
    }
    return alias_gpu()->sample_device(table, sampler, seed, first, count, out, wide, stream);
}

int alias_sample32_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint32_t *out, void *stream)
{
    return sample_device(table, sampler, seed, first, count, out, false, stream);
}

int alias_sample64_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint64_t *out, void *stream)
{
    return sample_device(table, sampler, seed, first, count, out, true, stream);
}

alias_sampler alias_best_sampler(const alias_table *table, uint64_t count)
{
    return check_gpu_table(table) == ALIAS_OK ? alias_gpu()->best_sampler(table, count)
                                              : ALIAS_SAMPLER_BASELINE;
}
