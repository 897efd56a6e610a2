/* The CPU builders.  Each fills table->rows from the plan; 0 or ALIAS_ERR_NOMEM. */
#ifndef ALIAS_CPU_BUILD_H
#define ALIAS_CPU_BUILD_H

#include "alias/core/table.h"
#include "alias/cpu/quantize.h"

int alias_cpu_vose(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_sweep(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_psa(alias_table *table, const alias_mass_plan *plan, uint64_t splits);
int alias_cpu_psa_plus(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_merge(alias_table *table, const alias_mass_plan *plan);

#endif
