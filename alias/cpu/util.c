/* alias/cpu/util.c - threads and memory of the CPU backend. */
#include "alias/cpu/util.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

int alias_cpu_team(int threads, uint64_t work)
{
    if (threads == 0) {
        threads = omp_get_num_procs();
    }
    return work >= (uint64_t)threads ? threads : work > 1 ? (int)work : 1;
}

static void *alloc(uint64_t count, size_t size, bool huge)
{
    size_t bytes, align = 64;
    void *memory;

    if (count > (SIZE_MAX - 2 * HUGE_PAGE) / size) {
        return NULL;
    }
    bytes = (size_t)count * size;
    if (huge && bytes >= HUGE_PAGE) {
        align = HUGE_PAGE;
    }
    bytes = (bytes + align - 1) / align * align;
    memory = aligned_alloc(align, bytes != 0 ? bytes : align);
    if (memory != NULL && align == HUGE_PAGE) {
        madvise(memory, bytes, MADV_HUGEPAGE); /* may fail: only speed depends on it */
    }
    return memory;
}

void *alias_cpu_alloc(uint64_t count, size_t size)
{
    return alloc(count, size, true);
}

void *alias_cpu_alloc_sparse(uint64_t count, size_t size)
{
    return alloc(count, size, false);
}

void alias_cpu_free(void *memory)
{
    free(memory);
}
