/*
 * alias/cpu/build.h - the CPU's builders.  Each fills table->rows, which are allocated, from the
 * plan of masses and returns 0 or ALIAS_ERR_NOMEM.  alias/cpu/build.c lists them with their names.
 */
#ifndef ALIAS_CPU_BUILD_H
#define ALIAS_CPU_BUILD_H

#include "alias/core/table.h"
#include "alias/cpu/quantize.h"

int alias_cpu_vose(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_sweep(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_psa(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_psa_plus(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_merge(alias_table *table, const alias_mass_plan *plan);

/* Builds the rows by table->builder. */
int alias_cpu_build_rows(alias_table *table, const alias_mass_plan *plan);

#endif
