/*
 * alias/cpu/sweep.c - the sequential sweep (L. Huebschle-Schneider, P. Sanders, "Parallel Weighted
 * Random Sampling", 2022).
 *
 * Light items have q <= C, heavy items q > C.  Two cursors run over the items, one from light item
 * to light item and one from heavy item to heavy item.  The current heavy item fills up the buckets
 * of light items as long as more than C is left of it.  What is left then goes into its own bucket,
 * which the next heavy item fills up.
 */
#include "alias/cpu/build.h"
#include "alias/cpu/util.h"

int alias_cpu_sweep(alias_table *table, const alias_mass_plan *plan)
{
    const uint64_t n = table->n, capacity = (uint64_t)1 << table->k;
    uint64_t *q = alias_cpu_alloc(n, sizeof(*q));
    uint64_t light = 0, heavy = 0, next, rest;

    if (q == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    alias_mass_all(plan, table->threads, q);
    while (heavy < n && q[heavy] <= capacity) {
        heavy++;
    }
    rest = heavy < n ? q[heavy] : 0;
    while (heavy < n) {
        if (rest > capacity) {
            while (q[light] > capacity) {
                light++;
            }
            alias_put_row(table->rows, table->row_bytes, table->k, light, q[light], heavy);
            rest -= capacity - q[light];
            light++;
        } else {
            for (next = heavy + 1; next < n && q[next] <= capacity; next++) {
            }
            alias_put_row(table->rows, table->row_bytes, table->k, heavy, rest, next);
            heavy = next;
            rest -=
                capacity; /* less what the next heavy item must fill up: negative, modulo 2^64 */
            rest += heavy < n ? q[heavy] : 0;
        }
    }
    /* The remaining light items have the mass C each. */
    for (; light < n; light++) {
        if (q[light] <= capacity) {
            alias_put_row(table->rows, table->row_bytes, table->k, light, q[light], light);
        }
    }
    alias_cpu_free(q);
    return ALIAS_OK;
}
