/* arrays.h - private to rmat/: arrays of ids, and large arrays, in host memory. */
#ifndef RMAT_CPU_ARRAYS_H
#define RMAT_CPU_ARRAYS_H

#include "rmat/model/ids.h"
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Allocates a large array, which the caller frees with free(); NULL if there is too little memory.
 * It does not touch the memory, so that pages are mapped when and where they are first used. */
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
