/* The CPU's operations table. */
#include "alias/cpu_build.h"
#include "alias/cpu_sample.h"
#include "alias/cpu_util.h"

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
    if (table->row_bytes == 16) {
        const alias_row16 *r = (const alias_row16 *)table->rows + i;

        *row = (alias_row){r->threshold, r->alias};
    } else {
        const alias_row8 *r = (const alias_row8 *)table->rows + i;

        *row = (alias_row){r->threshold, r->alias};
        if (r->threshold == 0 && r->alias == i) {
            row->threshold = (uint64_t)1 << table->k;
        }
    }
    return ALIAS_OK;
}

static void destroy(alias_table *table)
{
    alias_cpu_free(table->rows);
}

const alias_ops *alias_cpu_ops(void)
{
    static const alias_ops ops = {build, get_row, alias_cpu_sample32, alias_cpu_sample64, destroy};

    return &ops;
}
