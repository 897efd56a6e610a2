/* What Python needs of an alias table beside alias.h: its masses, to send it to another process. */
#include "alias/alias.h"
#include "apps/binding/python.h"
#include <string.h>

int binding_table_masses(const alias_table *table, uint64_t *masses)
{
    const uint64_t n = alias_size(table), capacity = (uint64_t)1 << alias_log2_capacity(table);

    memset(masses, 0, n * sizeof *masses);
    for (uint64_t i = 0; i < n; i++) {
        alias_row row;
        const int status = alias_get_row(table, i, &row);

        if (status != ALIAS_OK) {
            return status;
        }
        masses[i] += row.threshold;
        masses[row.alias] += capacity - row.threshold;
    }
    return ALIAS_OK;
}
