/*
 * alias/cpu/psa.c - PSA, the parallel splitting algorithm (L. Huebschle-Schneider, P. Sanders,
 * "Parallel Weighted Random Sampling", 2022, section 4.2).
 *
 * Split: find the states of the sequential sweep after n/s, 2n/s, ... steps by binary search.
 * Pack: from each of these states, sweep on to the next one.  All that a sweep carries along is
 * what is left of the current heavy item.
 */
#include "alias/cpu/build.h"
#include "alias/cpu/partition.h"
#include "alias/cpu/util.h"

enum { AUTO_PART = 1 << 14 }; /* rows in a part if the configuration does not say how many parts */

static void pack(const alias_table *table, const alias_partition *part, alias_sweep_state from,
                 alias_sweep_state to)
{
    const uint64_t capacity = part->capacity;
    uint64_t i = from.light, j = from.heavy;
    uint64_t rest = 0; /* mass of heavy j above C; once j has become light, negative modulo 2^64 */

    if (j < part->heavies) {
        rest = alias_heavy_end(part, j) - alias_light_start(part, i);
    }
    while (i < to.light || j < to.heavy) {
        if (j == to.heavy || (i < to.light && (int64_t)rest > 0)) {
            uint64_t deficit = alias_light_start(part, i + 1) - part->light_sum[i];
            uint64_t item = part->light_item[i];

            alias_put_row(table->rows, table->row_bytes, table->k, item, capacity - deficit,
                          j < part->heavies ? part->heavy_item[j] : item);
            rest -= deficit;
            i++;
        } else {
            uint64_t item = part->heavy_item[j], next = item;
            uint64_t threshold = capacity + rest;

            j++;
            if (j < part->heavies) {
                next = part->heavy_item[j];
                rest += alias_heavy_end(part, j) - part->heavy_sum[j];
            }
            alias_put_row(table->rows, table->row_bytes, table->k, item, threshold, next);
        }
    }
}

int alias_cpu_psa(alias_table *table, const alias_mass_plan *plan)
{
    const uint64_t n = table->n;
    uint64_t splits = table->config.splits, size, p;
    alias_partition part;
    int st = alias_partition_create(&part, plan, table->k, table->threads);

    if (st != ALIAS_OK) {
        return st;
    }
    size = splits == 0 ? AUTO_PART : splits < n ? (n + splits - 1) / splits : 1;
    splits = (n + size - 1) / size;
#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(table->threads, splits))
    for (p = 0; p < splits; p++) {
        uint64_t end = p + 1 < splits ? (p + 1) * size : n;

        pack(table, &part, alias_partition_split(&part, p * size),
             alias_partition_split(&part, end));
    }
    alias_partition_free(&part);
    return ALIAS_OK;
}
