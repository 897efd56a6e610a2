/*
 * alias/cpu/backend.c - the CPU's set of operations: building, reading a row, and the samplers of
 * sample.c and sections.c.
 */
#include "alias/cpu/build.h"
#include "alias/cpu/sample.h"
#include "alias/cpu/util.h"

static int build(alias_table *table, const alias_input *input)
{
    alias_mass_plan plan;
    int st;

    table->rows = alias_cpu_alloc(table->n, (size_t)table->row_bytes);
    if (table->rows == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    st = input->weights != NULL
             ? alias_mass_plan_create(&plan, input->weights, table->n, table->k, table->threads,
                                      input->bad)
             : alias_mass_plan_of_masses(&plan, input->masses, table->n, table->k);
    if (st != ALIAS_OK) {
        return st;
    }
    st = alias_cpu_build_rows(table, &plan);
    alias_mass_plan_free(&plan);
    return st;
}

static int get_row(const alias_table *table, uint64_t i, alias_row *row)
{
    const char *rows = table->rows;

    *row = alias_logical_row(rows + i * (uint64_t)table->row_bytes, table->row_bytes, table->k, i);
    return ALIAS_OK;
}

int alias_cpu_empty(alias_table **out, const alias_table *like)
{
    alias_config config = like->config;
    int st;

    config.row_bytes = like->row_bytes;
    config.builder = like->builder;
    st = alias_table_new(out, &config, like->n, alias_cpu_ops());
    if (st != ALIAS_OK) {
        return st;
    }
    (*out)->rows = alias_cpu_alloc(like->n, (size_t)like->row_bytes);
    if ((*out)->rows == NULL) {
        alias_destroy(*out);
        *out = NULL;
        return ALIAS_ERR_NOMEM;
    }
    return ALIAS_OK;
}

static void destroy(alias_table *table)
{
    alias_cpu_free(table->rows);
}

const alias_ops *alias_cpu_ops(void)
{
    static const alias_ops ops = {.build = build,
                                  .get_row = get_row,
                                  .sample32 = alias_cpu_sample32,
                                  .sample64 = alias_cpu_sample64,
                                  .destroy = destroy,
                                  .sections32 = alias_cpu_sections32,
                                  .sections64 = alias_cpu_sections64,
                                  .sections_part = alias_cpu_sections_part};

    return &ops;
}
