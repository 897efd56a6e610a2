/*
 * alias.c - the entry points of alias.h and alias_gpu.h. They check their arguments, choose the
 * backend when a table is created, and forward to its operations.  alias/cpu/builders.c has the
 * table of builders.
 */
#include "alias/core/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#define MAX_ROWS8  ((uint64_t)1 << 31)
#define MAX_ROWS16 ((uint64_t)1 << 40)

void alias_config_default(alias_config *config)
{
    if (config != NULL) {
        *config = (alias_config){.device = -1};
    }
}

static int ceil_log2(uint64_t n)
{
    int bits = 0;

    while (((uint64_t)1 << bits) < n) {
        bits++;
    }
    return bits;
}

static int check_config(const alias_config *c)
{
    /* Compilers choose whether an enum is signed; as unsigned, negative values are too large. */
    bool fits = (unsigned)c->backend <= ALIAS_BACKEND_GPU &&
                (unsigned)c->builder < (unsigned)alias_builder_count() &&
                (unsigned)c->split <= ALIAS_SPLIT_PARY && (unsigned)c->pack <= ALIAS_PACK_SHARED;

    if ((c->row_bytes != 0 && c->row_bytes != 8 && c->row_bytes != 16) || c->threads < 0 ||
        c->device < -1) {
        fits = false;
    }
    return fits ? ALIAS_OK : ALIAS_ERR_ARG;
}

int alias_gpu_count(void)
{
    return alias_gpu() != NULL ? alias_gpu()->count() : 0;
}

const char *alias_gpu_error(void)
{
    return alias_gpu() != NULL ? alias_gpu()->error() : "";
}

/* Checks config (NULL: defaults) and n, and makes a table without rows. */
static int new_table(alias_table **out, const alias_config *config, uint64_t n)
{
    alias_config defaults;
    alias_table *table;
    bool on_gpu;
    int row_bytes;

    *out = NULL;
    if (config == NULL) {
        alias_config_default(&defaults);
        config = &defaults;
    }
    if (check_config(config) != ALIAS_OK) {
        return ALIAS_ERR_ARG;
    }
    if (n == 0) {
        return ALIAS_ERR_EMPTY;
    }
    row_bytes = config->row_bytes != 0 ? config->row_bytes : n <= MAX_ROWS8 ? 8 : 16;
    if (n > (row_bytes == 8 ? MAX_ROWS8 : MAX_ROWS16)) {
        return ALIAS_ERR_TOO_MANY;
    }
    on_gpu = config->backend != ALIAS_BACKEND_CPU && alias_gpu_count() > 0;
    if (config->backend == ALIAS_BACKEND_GPU && !on_gpu) {
        return ALIAS_ERR_NO_BACKEND;
    }
    table = calloc(1, sizeof(*table));
    if (table == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    table->ops = on_gpu ? &alias_gpu()->ops : &alias_cpu_ops;
    table->n = n;
    table->row_bytes = row_bytes;
    table->k = row_bytes == 8 ? 32 : 62 - ceil_log2(n);
    table->builder =
        config->builder == ALIAS_BUILDER_AUTO ? ALIAS_BUILDER_PSA_PLUS : config->builder;
    table->config = *config;
    *out = table;
    return ALIAS_OK;
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

static int create_table(alias_table **out, const alias_config *config, const alias_input *input,
                        uint64_t n)
{
    int st;

    if (out == NULL) {
        return ALIAS_ERR_ARG;
    }
    *out = NULL;
    if (input->weights == NULL && input->masses == NULL) {
        return ALIAS_ERR_ARG;
    }
    st = new_table(out, config, n);
    return st != ALIAS_OK ? st : end_create(out, (*out)->ops->build(*out, input));
}

int alias_create(alias_table **out, const alias_config *config, const double *weights, uint64_t n,
                 uint64_t *bad)
{
    return create_table(out, config, &(alias_input){weights, NULL, bad}, n);
}

int alias_create_masses(alias_table **out, const alias_config *config, const uint64_t *masses,
                        uint64_t n)
{
    return create_table(out, config, &(alias_input){NULL, masses, NULL}, n);
}

void alias_destroy(alias_table *table)
{
    if (table != NULL) {
        table->ops->destroy(table);
        free(table);
    }
}

uint64_t alias_size(const alias_table *table)
{
    return table->n;
}

int alias_log2_capacity(const alias_table *table)
{
    return table->k;
}

int alias_row_bytes(const alias_table *table)
{
    return table->row_bytes;
}

alias_builder alias_used_builder(const alias_table *table)
{
    return table->builder;
}

int alias_get_row(const alias_table *table, uint64_t i, alias_row *row)
{
    if (table == NULL || row == NULL) {
        return ALIAS_ERR_ARG;
    }
    if (i >= table->n) {
        return ALIAS_ERR_RANGE;
    }
    return table->ops->get_row(table, i, row);
}

const void *alias_row_array(const alias_table *table)
{
    return table->gpu == NULL ? table->rows : NULL;
}

static int check_draws(const alias_table *table, uint64_t first, uint64_t count, const void *out,
                       uint64_t most_rows)
{
    if (table == NULL || (out == NULL && count != 0) || table->n > most_rows) {
        return ALIAS_ERR_ARG;
    }
    return count != 0 && first > UINT64_MAX - (count - 1) ? ALIAS_ERR_RANGE : ALIAS_OK;
}

int alias_sample32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                   uint32_t *out)
{
    int st = check_draws(table, first, count, out, (uint64_t)UINT32_MAX + 1);

    return st != ALIAS_OK ? st : table->ops->sample(table, seed, first, count, out, false);
}

int alias_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                   uint64_t *out)
{
    int st = check_draws(table, first, count, out, UINT64_MAX);

    return st != ALIAS_OK ? st : table->ops->sample(table, seed, first, count, out, true);
}

int alias_sample_sections32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                            uint32_t *out)
{
    int st = check_draws(table, first, count, out, (uint64_t)UINT32_MAX + 1);

    return st != ALIAS_OK ? st : table->ops->sections(table, seed, first, count, out, false);
}

int alias_sample_sections64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                            uint64_t *out)
{
    int st = check_draws(table, first, count, out, UINT64_MAX);

    return st != ALIAS_OK ? st : table->ops->sections(table, seed, first, count, out, true);
}

const char *alias_strerror(int status)
{
    switch (status) {
    case ALIAS_OK:
        return "success";
    case ALIAS_ERR_ARG:
        return "an argument is NULL or outside its range";
    case ALIAS_ERR_EMPTY:
        return "there are no weights";
    case ALIAS_ERR_NAN:
        return "a weight is not a number";
    case ALIAS_ERR_INFINITE:
        return "a weight is infinite";
    case ALIAS_ERR_NEGATIVE:
        return "a weight is negative";
    case ALIAS_ERR_ZERO_SUM:
        return "all weights are zero";
    case ALIAS_ERR_TOO_MANY:
        return "there are more weights than rows of this width can number";
    case ALIAS_ERR_NOMEM:
        return "memory is exhausted";
    case ALIAS_ERR_NO_BACKEND:
        return alias_gpu() != NULL ? alias_gpu()->missing()
                                   : "no GPU can be used: this build has no CUDA";
    case ALIAS_ERR_RANGE:
        return "a row or draw index is beyond the end";
    case ALIAS_ERR_SUM:
        return "the masses do not add up to n * 2^k";
    case ALIAS_ERR_DEVICE:
        return "there is no such GPU";
    case ALIAS_ERR_CUDA:
        return "a GPU kernel or the GPU's driver failed";
    default:
        return "unknown alias status";
    }
}

const char *alias_sampler_name(alias_sampler sampler)
{
    static const char *const names[] = {"auto", "baseline", "cached", "limited", "shared"};

    return (unsigned)sampler <= ALIAS_SAMPLER_SHARED ? names[sampler] : "unknown";
}

/* The functions of alias_gpu.h. */

static int check_gpu_table(const alias_table *table)
{
    return alias_gpu() == NULL                   ? ALIAS_ERR_NO_BACKEND
           : table == NULL || table->gpu == NULL ? ALIAS_ERR_ARG
                                                 : ALIAS_OK;
}

int alias_prepare(alias_table **out, const alias_config *config, uint64_t n)
{
    alias_config on_gpu;
    int st;

    if (out != NULL) {
        *out = NULL;
    }
    if (alias_gpu() == NULL || out == NULL) {
        return alias_gpu() == NULL ? ALIAS_ERR_NO_BACKEND : ALIAS_ERR_ARG;
    }
    alias_config_default(&on_gpu);
    if (config != NULL) {
        on_gpu = *config;
    }
    if (on_gpu.backend == ALIAS_BACKEND_CPU ||
        (on_gpu.builder != ALIAS_BUILDER_AUTO && !alias_gpu()->has_kernels(on_gpu.builder))) {
        return ALIAS_ERR_ARG;
    }
    if (on_gpu.backend == ALIAS_BACKEND_AUTO) {
        on_gpu.backend = ALIAS_BACKEND_GPU;
    }
    st = new_table(out, &on_gpu, n);
    return st != ALIAS_OK ? st : end_create(out, alias_gpu()->allocate(*out));
}

int alias_create_device(alias_table **out, const alias_config *config, const double *weights,
                        uint64_t n, void *stream, uint64_t *bad)
{
    int st;

    if (weights == NULL && out != NULL && alias_gpu() != NULL) {
        *out = NULL;
        return ALIAS_ERR_ARG;
    }
    st = alias_prepare(out, config, n);
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
