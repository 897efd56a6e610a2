/*
 * alias.c - the entry points of alias.h. They check their arguments, choose the backend when a
 * table is created, and forward to its operations.  alias/cpu/builders.c has the table of builders.
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
                (unsigned)c->split <= ALIAS_SPLIT_PARY && (unsigned)c->pack <= ALIAS_PACK_CHUNKED &&
                (unsigned)c->layout <= ALIAS_ROWS_SOA;

    if ((c->row_bytes != 0 && c->row_bytes != 8 && c->row_bytes != 16) || c->threads < 0 ||
        c->device < -1) {
        fits = false;
    }
    return fits ? ALIAS_OK : ALIAS_ERR_ARG;
}

/* The operations of a backend; ALIAS_ERR_NO_BACKEND if it is not available. */
static int pick_ops(alias_backend backend, const alias_ops **ops)
{
    *ops = backend == ALIAS_BACKEND_CPU ? NULL : alias_gpu_ops();
    if (*ops == NULL) {
        if (backend == ALIAS_BACKEND_GPU) {
            return ALIAS_ERR_NO_BACKEND;
        }
        *ops = alias_cpu_ops();
    }
    return ALIAS_OK;
}

int alias_table_new(alias_table **out, const alias_config *config, uint64_t n, const alias_ops *ops)
{
    alias_config defaults;
    alias_table *table;
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
    if (ops == NULL) {
        int st = pick_ops(config->backend, &ops);

        if (st != ALIAS_OK) {
            return st;
        }
    }
    table = calloc(1, sizeof(*table));
    if (table == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    table->ops = ops;
    table->n = n;
    table->row_bytes = row_bytes;
    table->k = row_bytes == 8 ? 32 : 62 - ceil_log2(n);
    table->threads = config->threads;
    table->builder =
        config->builder == ALIAS_BUILDER_AUTO ? ALIAS_BUILDER_PSA_PLUS : config->builder;
    table->config = *config;
    *out = table;
    return ALIAS_OK;
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
    st = alias_table_new(out, config, n, NULL);
    if (st == ALIAS_OK) {
        st = (*out)->ops->build(*out, input);
    }
    if (st != ALIAS_OK) {
        alias_destroy(*out);
        *out = NULL;
    }
    return st;
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

void alias_set_threads(alias_table *table, int threads)
{
    table->threads = threads;
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

int alias_sequence_begin(alias_sequence *s, const alias_table *table, uint64_t seed, uint64_t first)
{
    if (s == NULL || table == NULL || table->gpu != NULL) {
        return ALIAS_ERR_ARG;
    }
    s->table = table;
    s->seed = seed;
    s->next = first;
    s->used = ALIAS_SEQUENCE_AHEAD;
    return first >> 63 != 0 ? ALIAS_ERR_RANGE : ALIAS_OK;
}

/* A CPU table returns no error for so few draws. */
void alias_sequence_fill(alias_sequence *s)
{
    (void)s->table->ops->sample(s->table, s->seed, s->next, ALIAS_SEQUENCE_AHEAD, s->item, true);
    s->next += ALIAS_SEQUENCE_AHEAD;
    s->used = 0;
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

static int check_part(const alias_table *table, uint64_t first, uint64_t count, uint64_t from,
                      uint64_t n, const void *out, uint64_t most_rows)
{
    int st = check_draws(table, first, n, out, most_rows);

    if (st == ALIAS_OK && table->ops->sections_part == NULL) {
        return ALIAS_ERR_ARG;
    }
    if (st == ALIAS_OK &&
        (from > count || n > count - from || (count != 0 && first > UINT64_MAX - (count - 1)))) {
        return ALIAS_ERR_RANGE;
    }
    return st;
}

int alias_sample_sections_part32(const alias_table *table, uint64_t seed, uint64_t first,
                                 uint64_t count, uint64_t from, uint64_t n, uint32_t *out)
{
    int st = check_part(table, first, count, from, n, out, (uint64_t)UINT32_MAX + 1);

    return st != ALIAS_OK || n == 0
               ? st
               : table->ops->sections_part(table, seed, first, count, from, n, out, false);
}

int alias_sample_sections_part64(const alias_table *table, uint64_t seed, uint64_t first,
                                 uint64_t count, uint64_t from, uint64_t n, uint64_t *out)
{
    int st = check_part(table, first, count, from, n, out, UINT64_MAX);

    return st != ALIAS_OK || n == 0
               ? st
               : table->ops->sections_part(table, seed, first, count, from, n, out, true);
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
        return alias_gpu_missing();
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
