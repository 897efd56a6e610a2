/*
 * Vector types of the CPU kernels, for W edges at a time (the including file defines W), in the
 * extensions that gcc and clang share.
 */
#ifndef RMAT_CPU_VEC_BODY_H
#define RMAT_CPU_VEC_BODY_H

#include "rmat/cpu/ids.h"

#define BLOCK 2048 /* base edges at most that the shaping kernels work on at once */

typedef uint32_t vec __attribute__((vector_size(4 * W)));
typedef uint64_t u64s __attribute__((vector_size(4 * W))); /* half as many lanes */

INLINE u64s even_lanes(void)
{
    u64s r;

    for (int i = 0; i < W / 2; i++) {
        r[i] = 2 * (uint64_t)i;
    }
    return r;
}

#endif
