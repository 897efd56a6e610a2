/*
 * alias/cpu/partition.h - light and heavy items with their prefix sums, and the states of the
 * sweep: the first steps of PSA and of merge.
 */
#ifndef ALIAS_CPU_PARTITION_H
#define ALIAS_CPU_PARTITION_H

#include "alias/core/table.h"
#include "alias/cpu/quantize.h"

/*
 * The i-th light item (q <= C) is light_item[i]; D(i) = light_sum[i] is the sum of C - q over the
 * light items before it.  The j-th heavy item (q > C) is heavy_item[j]; E(j) = heavy_sum[j] is the
 * sum of q - C over the heavy items before it.  D(lights) = E(heavies).
 */
typedef struct {
    uint64_t lights, heavies, total; /* numbers of items, D(lights) */
    uint64_t capacity;               /* C */
    uint64_t *light_item, *light_sum, *heavy_item, *heavy_sum;
    uint64_t *items, *sums; /* storage: lights, then heavies */
} alias_partition;

/* A state of the sweep: the numbers of light and heavy items whose rows are finished. */
typedef struct {
    uint64_t light, heavy;
} alias_sweep_state;

/* Returns 0 or ALIAS_ERR_NOMEM.  On success free it with alias_partition_free(). */
int alias_partition_create(alias_partition *part, const alias_mass_plan *plan, int k, int threads);
void alias_partition_free(alias_partition *part);

/* The state of the sweep after the given number of steps, at most n, by binary search. */
alias_sweep_state alias_partition_split(const alias_partition *part, uint64_t steps);

/* E(j + 1). */
static inline uint64_t alias_heavy_end(const alias_partition *part, uint64_t j)
{
    return j + 1 < part->heavies ? part->heavy_sum[j + 1] : part->total;
}

/* D(i). */
static inline uint64_t alias_light_start(const alias_partition *part, uint64_t i)
{
    return i < part->lights ? part->light_sum[i] : part->total;
}

#endif
