/*
 * PSA, the parallel splitting algorithm (Huebschle-Schneider, Sanders 2022, section 4.2).  Split:
 * find by binary search the states of the sequential sweep after n/s, 2n/s, ... steps.  Pack: from
 * each of them sweep on, with nothing but the rest of the current heavy item as state, until the
 * next.
 */
#include "alias/cpu/build.h"
#include "alias/cpu/partition.h"
#include "alias/cpu/util.h"

enum { AUTO_PART = 1 << 14 }; /* rows in a part if the number of splits is left open */

static void pack(const alias_table *table, const alias_partition *part, alias_sweep_state from,
                 alias_sweep_state to)
{
    const uint64_t capacity = part->capacity;
    uint64_t i = from.light, j = from.heavy;
    uint64_t rest = 0; /* of heavy j, above C; negative (modulo 2^64) once it has become light */

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

int alias_cpu_psa(alias_table *table, const alias_mass_plan *plan, uint64_t splits)
{
    const uint64_t n = table->n;
    alias_partition part;
    uint64_t size, p;
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
