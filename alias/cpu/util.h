/* alias/cpu/util.h - threads, memory and row stores of the CPU backend. */
#ifndef ALIAS_CPU_UTIL_H
#define ALIAS_CPU_UTIL_H

#include "alias/core/draw.h"
#include "alias/core/table.h"
#include <stddef.h>
#include <stdint.h>

/* The number of threads to start: threads (0: all that the process may use), but at most
 * max(work, 1). */
int alias_cpu_team(int threads, uint64_t work);

/* count * size bytes, uninitialised and aligned to 64 bytes, or NULL, also if the product
 * overflows. Large allocations get huge pages.  Free them with alias_cpu_free(). */
void *alias_cpu_alloc(uint64_t count, size_t size);

/* The same with small pages, for memory of which only a little may ever be touched. */
void *alias_cpu_alloc_sparse(uint64_t count, size_t size);

/* NULL is allowed. */
void alias_cpu_free(void *memory);

/* Writes row i in canonical form: alias = i if the bucket belongs to item i only. */
static inline void alias_put_row(void *rows, int row_bytes, int k, uint64_t i, uint64_t threshold,
                                 uint64_t alias)
{
    if (threshold == (uint64_t)1 << k) {
        alias = i;
    }
    if (row_bytes == 8) {
        ((alias_row8 *)rows)[i] = (alias_row8){(uint32_t)threshold, (uint32_t)alias};
    } else {
        ((alias_row16 *)rows)[i] = (alias_row16){threshold, alias};
    }
}

#endif
