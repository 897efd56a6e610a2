/*
 * alias/cpu/vose.c - Vose's construction on integer masses (M. D. Vose, "A linear algorithm for
 * generating random numbers with a given distribution", 1991).
 *
 * Two stacks hold light items (less than C left) and heavy items (at least C left).  The top heavy
 * item fills up the bucket of the top light item.  If less than C is then left of the heavy item,
 * it moves to the light stack.  Items that remain in the end have exactly C left.  The rows are
 * neither the sweep's nor PSA+'s.
 */
#include "alias/cpu/build.h"
#include "alias/cpu/util.h"

int alias_cpu_vose(alias_table *table, const alias_mass_plan *plan)
{
    const uint64_t n = table->n, capacity = (uint64_t)1 << table->k;
    uint64_t *q = alias_cpu_alloc(n, sizeof(*q));
    uint64_t *stack =
        alias_cpu_alloc(n, sizeof(*stack)); /* light items grow upwards, heavy ones down */
    uint64_t lights = 0, heavy = n, i;
    int st = ALIAS_ERR_NOMEM;

    if (q == NULL || stack == NULL) {
        goto done;
    }
    alias_mass_all(plan, table->threads, q);
    for (i = 0; i < n; i++) {
        stack[q[i] < capacity ? lights++ : --heavy] = i;
    }
    while (lights > 0) {
        uint64_t l = stack[--lights], h = stack[heavy];

        alias_put_row(table->rows, table->row_bytes, table->k, l, q[l], h);
        q[h] -= capacity - q[l];
        if (q[h] < capacity) {
            heavy++;
            stack[lights++] = h;
        }
    }
    for (; heavy < n; heavy++) {
        alias_put_row(table->rows, table->row_bytes, table->k, stack[heavy], q[stack[heavy]],
                      stack[heavy]);
    }
    st = ALIAS_OK;
done:
    alias_cpu_free(q);
    alias_cpu_free(stack);
    return st;
}
