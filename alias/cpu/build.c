/*
 * alias/cpu/build.c - the table of builders: the name and the CPU function of each.
 *
 * A new builder is a file of its own, a row here, its enumerator in alias/alias.h, its prototype in
 * alias/cpu/build.h and its line in alias/CMakeLists.txt.  If it also has GPU kernels, these are
 * listed in alias/gpu/backend.c; otherwise a GPU table is built on the CPU and copied.  The tests
 * of tables run for every builder that is listed here.
 */
#include "alias/cpu/build.h"

typedef struct {
    const char *name;
    int (*build)(alias_table *table, const alias_mass_plan *plan);
} builder_entry;

static const builder_entry builders[] = {
    [ALIAS_BUILDER_AUTO] = {"auto", NULL}, /* a table has the builder that it stands for */
    [ALIAS_BUILDER_VOSE] = {"vose", alias_cpu_vose},
    [ALIAS_BUILDER_SWEEP] = {"sweep", alias_cpu_sweep},
    [ALIAS_BUILDER_PSA] = {"psa", alias_cpu_psa},
    [ALIAS_BUILDER_PSA_PLUS] = {"psa+", alias_cpu_psa_plus},
    [ALIAS_BUILDER_MERGE] = {"merge", alias_cpu_merge},
};

int alias_builder_count(void)
{
    return sizeof(builders) / sizeof(builders[0]);
}

const char *alias_builder_name(alias_builder builder)
{
    return (unsigned)builder < (unsigned)alias_builder_count() ? builders[builder].name : "unknown";
}

int alias_cpu_build_rows(alias_table *table, const alias_mass_plan *plan)
{
    return builders[table->builder].build(table, plan);
}
