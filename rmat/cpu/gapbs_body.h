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

/* The numbers k to k + W - 1 of the next 624, before tempering. */
INLINE vec mt_advance(uint32_t *x, int k)
{
    const vec next = load(x + k + 1);
    const vec far = load(x + (k < MT_N - MT_M ? k + MT_M : k - (MT_N - MT_M)));
    const vec joined = (load(x + k) & 0x80000000u) | (next & 0x7FFFFFFFu);
    const vec made = far ^ joined >> 1 ^ (-(next & 1) & MT_TWIST);

    memcpy(x + k, &made, sizeof made);
    if (k == 0) {
        memcpy(x + MT_N, &made, sizeof made);
    }
    return made;
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
    if (src == NULL) {
        for (int k = 0; k < MT_N; k += W) {
            mt_advance(x, k);
        }
        return;
    }
    for (int k = 0; k < MT_N; k += LEVELS) {
        uint64_t s, d, a = 0, ab = 0, abc = 0; /* bits: numbers up to GAPBS_A, ... */

        for (int l = 0; l < LEVELS; l += W) {
            const vec number = mt_tempered(mt_advance(x, k + l));

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
