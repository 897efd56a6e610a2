/* Memory for large tables that are read and written at random. */
#ifndef APPS_STATS_MEMORY_H
#define APPS_STATS_MEMORY_H

#include <stddef.h>
#include <sys/mman.h>

/* All zero, on huge pages where the system has them, and only what is touched counts.  NULL if
 * memory is exhausted; table_free() with the same size. */
static inline void *table_alloc(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED) {
        return NULL;
    }
    madvise(memory, bytes, MADV_HUGEPAGE); /* only speed depends on it */
    return memory;
}

static inline void table_free(void *memory, size_t bytes) /* NULL is allowed */
{
    if (memory != NULL) {
        munmap(memory, bytes);
    }
}

#endif
