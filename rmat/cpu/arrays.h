/* arrays.h - private to rmat/: arrays of ids, and large arrays, in host memory. */
#ifndef RMAT_CPU_ARRAYS_H
#define RMAT_CPU_ARRAYS_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/*
 * Access to arrays of ids of 4 or 8 bytes.  If id_bytes is a constant, the branch on it vanishes.
 */

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t id_at(const void *ids, uint64_t i, const int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

INLINE void set_id(void *ids, uint64_t i, uint64_t id, const int id_bytes)
{
    if (id_bytes == 4) {
        ((uint32_t *)ids)[i] = (uint32_t)id;
    } else {
        ((uint64_t *)ids)[i] = id;
    }
}

/* Large arrays in host memory. */

/* To be freed by free(); NULL if there is too little.  The memory is not touched here, so that
 * pages are mapped when and where they are first used. */
static inline void *rmat_cpu_alloc(size_t size)
{
    const size_t huge = (size_t)2 << 20;
    void *memory;

    if (posix_memalign(&memory, size < huge ? 64 : huge, size)) {
        return NULL;
    }
    if (size >= huge) {
        madvise(memory, size, MADV_HUGEPAGE); /* for speed only: it may fail */
    }
    return memory;
}

#endif
