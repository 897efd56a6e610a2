/*
 * alias/cpu/merge.c - the sweep's table by merging the prefix sums, with no state to carry along.
 *
 * For light item i and heavy item j:
 *     light i : threshold q_i,                    alias = first heavy j with E(j+1) > D(i)
 *     heavy j : threshold C + E(j+1) - D(i*),     alias = heavy j+1,
 *               i* = the smallest i with D(i) >= E(j+1)
 * A merge of D(i) with E(j+1) meets both: it reaches a light item together with its j, and a heavy
 * item together with its i*.  The merge path is cut into parts of equal length, which are found by
 * binary search (O. Green, R. McColl, D. Bader, "GPU merge path", 2012).
 */
#include "alias/cpu/build.h"
#include "alias/cpu/partition.h"
#include "alias/cpu/util.h"

enum { PART = 1 << 14 }; /* steps */

/* Takes count steps of the merge, from step first on, each of which finishes a row. */
static void merge_part(const alias_table *table, const alias_partition *part, uint64_t first,
                       uint64_t count)
{
    alias_sweep_state s = alias_partition_split(part, first);

    for (; count > 0; count--) {
        uint64_t start = alias_light_start(part, s.light);
        uint64_t item, threshold, alias;

        if (s.heavy == part->heavies ||
            (s.light < part->lights && alias_heavy_end(part, s.heavy) > start)) {
            item = part->light_item[s.light];
            threshold = part->capacity + start - alias_light_start(part, s.light + 1);
            alias = s.heavy < part->heavies ? part->heavy_item[s.heavy] : item;
            s.light++;
        } else {
            item = part->heavy_item[s.heavy];
            threshold = part->capacity + alias_heavy_end(part, s.heavy) - start;
            alias = s.heavy + 1 < part->heavies ? part->heavy_item[s.heavy + 1] : item;
            s.heavy++;
        }
        alias_put_row(table->rows, table->row_bytes, table->k, item, threshold, alias);
    }
}

int alias_cpu_merge(alias_table *table, const alias_mass_plan *plan)
{
    uint64_t parts = table->n / PART + (table->n % PART != 0), p;
    alias_partition part;
    int st = alias_partition_create(&part, plan, table->k, table->threads);

    if (st != ALIAS_OK) {
        return st;
    }
#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(table->threads, parts))
    for (p = 0; p < parts; p++) {
        uint64_t first = p * PART, rest = table->n - first;

        merge_part(table, &part, first, rest < PART ? rest : PART);
    }
    alias_partition_free(&part);
    return ALIAS_OK;
}
