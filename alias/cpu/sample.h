/*
 * alias/cpu/sample.h - the samplers of the CPU backend: the baseline (sample.c) and sectioned
 * batches (sections.c).  They return 0 or ALIAS_ERR_NOMEM; alias/alias.h describes the draws.
 */
#ifndef ALIAS_CPU_SAMPLE_H
#define ALIAS_CPU_SAMPLE_H

#include "alias/core/table.h"

#include <stdbool.h>

int alias_cpu_sample32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint32_t *out);
int alias_cpu_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint64_t *out);
int alias_cpu_sections32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint32_t *out);
int alias_cpu_sections64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint64_t *out);
int alias_cpu_sections_part(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                            uint64_t from, uint64_t n, void *out, bool wide);

#endif
