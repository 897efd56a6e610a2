/* Light and heavy items with their prefix sums, for PSA and merge. */
#ifndef ALIAS_CPU_PARTITION_H
#define ALIAS_CPU_PARTITION_H

#include "alias/core/table.h"
#include "alias/cpu/quantize.h"

/*
 * Item i of the lights is light_item[i], and D(i), the sum of C - q over the lights before it, is
 * light_sum[i]; heavy_item[j] and E(j) with q - C likewise.  D(lights) = E(heavies).
 */
typedef struct {
    uint64_t lights, heavies, total; /* total = D(lights) */
    uint64_t capacity;
    uint64_t *light_item, *light_sum, *heavy_item, *heavy_sum;
    uint64_t *items, *sums; /* storage: lights, then heavies */
} alias_partition;

/* A state of the sweep: that many light and heavy rows are finished. */
typedef struct {
    uint64_t light, heavy;
} alias_sweep_state;

/* 0 or ALIAS_ERR_NOMEM.  On success free with alias_partition_free(). */
int alias_partition_create(alias_partition *part, const alias_mass_plan *plan, int k, int threads);
void alias_partition_free(alias_partition *part);

/* The state after steps <= n steps, by binary search. */
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
