/*
 * vec_body.h - the vector types of the CPU kernels, for W edges at a time (the including file
 * defines W), in the extensions that gcc and clang share.
 */
#ifndef RMAT_CPU_VEC_BODY_H
#define RMAT_CPU_VEC_BODY_H

#include "rmat/model/generator.h"

#include <string.h>

#define BATCH                                                                                      \
    2048 /* the most base edges that the kernels for models with options process together */

typedef uint32_t vec __attribute__((vector_size(4 * W)));
typedef uint64_t u64s __attribute__((vector_size(4 * W))); /* half as many lanes */

/* 0, 1, 2, ...: the numbers of the lanes. */
INLINE vec lane_numbers(void)
{
    vec r;

    for (int i = 0; i < W; i++) {
        r[i] = (uint32_t)i;
    }
    return r;
}

INLINE vec load_lanes(const uint32_t *from)
{
    vec x;

    memcpy(&x, from, sizeof x);
    return x;
}

INLINE void store_lanes(uint32_t *to, vec x)
{
    memcpy(to, &x, sizeof x);
}

/* The bits of a where those of mask are set, else those of b.  One instruction if there is one for
 * it: compilers know this form. */
INLINE vec vec_select(uint32_t mask, vec a, vec b)
{
    return ((a ^ b) & mask) ^ b;
}

#endif
