/*
 * gapbs_body.h - the levels of GAPBS's edges, W at a time, compiled for each instruction set
 * (rmat/cpu/kernel_body.h says what the including file defines).
 *
 * The state advances in place.  Behind its 624 words the first W of the new ones are kept a second
 * time, so that every vector of a step can be loaded as it lies.
 */
#ifndef RMAT_CPU_GAPBS_BODY_H
#define RMAT_CPU_GAPBS_BODY_H

#include "rmat/cpu/vec_body.h"
#include "rmat/model/mt19937.h"

#include <stddef.h>
#include <string.h>

enum { LEVELS = 48 }; /* that are packed at once: 624 = 13 * 48 */

INLINE vec load(const uint32_t *x)
{
    vec v;

    memcpy(&v, x, sizeof v);
    return v;
}

/* Makes numbers [k, k + W) of the next 624, before tempering; word k + far is the one that takes
 * part in them. */
INLINE void mt_advance(uint32_t *x, int k, int far)
{
    const vec next = load(x + k + 1);
    const vec joined = next ^ ((load(x + k) ^ next) & 0x80000000u);
    const vec made = load(x + k + far) ^ joined >> 1 ^ (-(next & 1) & MT_TWIST);

    memcpy(x + k, &made, sizeof made);
}

INLINE vec mt_tempered(vec x)
{
    x ^= x >> 11;
    x ^= x << 7 & MT_TEMPER_B;
    x ^= x << 15 & MT_TEMPER_C;
    return x ^ x >> 18;
}

/* rmat_cpu_kernels.gapbs */
static void gapbs(uint32_t x[MT_STATE], unsigned char *src, unsigned char *dst)
{
    int k = 0;

    mt_advance(x, k, MT_M);
    memcpy(x + MT_N, x, sizeof(vec));
    for (k = W; k < MT_N - MT_M; k += W) {
        mt_advance(x, k, MT_M);
    }
    for (; k < MT_N; k += W) {
        mt_advance(x, k, MT_M - MT_N);
    }
    for (k = 0; k < MT_N && src != NULL; k += LEVELS) {
        uint64_t s, d, a = 0, ab = 0, abc = 0; /* bits: numbers up to GAPBS_A, ... */

#pragma GCC unroll 12
        for (int l = 0; l < LEVELS; l += W) {
            const vec number = mt_tempered(load(x + k + l));

            a |= (uint64_t)vec_below(number, GAPBS_A + 1) << l;
            ab |= (uint64_t)vec_below(number, GAPBS_AB) << l;
            abc |= (uint64_t)vec_below(number, GAPBS_ABC + 1) << l;
        }
        s = ~ab;
        d = (ab & ~a) | ~abc;
        memcpy(src + k / 8, &s, sizeof s); /* 6 of the 8 bytes stay */
        memcpy(dst + k / 8, &d, sizeof d);
    }
}

#endif
