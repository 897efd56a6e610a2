/* The CPU's operations table. */
#include "alias/cpu/build.h"
#include "alias/cpu/sample.h"
#include "alias/cpu/util.h"

static int run_builder(alias_table *table, const alias_mass_plan *plan, uint64_t splits)
{
    switch (table->builder) {
    case ALIAS_BUILDER_VOSE:
        return alias_cpu_vose(table, plan);
    case ALIAS_BUILDER_SWEEP:
        return alias_cpu_sweep(table, plan);
    case ALIAS_BUILDER_PSA:
        return alias_cpu_psa(table, plan, splits);
    case ALIAS_BUILDER_MERGE:
        return alias_cpu_merge(table, plan);
    default:
        return alias_cpu_psa_plus(table, plan);
    }
}

static int build(alias_table *table, uint64_t splits, const alias_input *input)
{
    alias_mass_plan plan;
    int st;

    if (table->builder == ALIAS_BUILDER_AUTO) {
        table->builder = ALIAS_BUILDER_PSA_PLUS;
    }
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
    st = run_builder(table, &plan, splits);
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
    static const alias_ops ops = {build,
                                  get_row,
                                  alias_cpu_sample32,
                                  alias_cpu_sample64,
                                  destroy,
                                  alias_cpu_sections32,
                                  alias_cpu_sections64};

    return &ops;
}
