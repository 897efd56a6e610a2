/*
 * mt19937.h - private to rmat/: the Mersenne Twister MT19937 (Matsumoto, Nishimura, "Mersenne
 * twister: a 623-dimensionally equidistributed uniform pseudo-random number generator", ACM TOMACS
 * 8(1), 1998), and the levels and weights that GAPBS makes from its numbers.
 *
 * The state is a window of 624 words on the sequence x[k + 624] = twist(x[k], x[k + 1], x[k +
 * 397]); the numbers are the words after tempering, a bijection.  So 227 numbers can be made at the
 * same time.
 */
#ifndef RMAT_MODEL_MT19937_H
#define RMAT_MODEL_MT19937_H

#include "alias/core/hd.h"
#include <stdint.h>

#define MT_N        624
#define MT_M        397
#define MT_STATE    (MT_N + 16) /* words of memory for a state of the CPU kernels */
#define MT_TWIST    0x9908B0DFu
#define MT_SEED     1812433253u
#define MT_TEMPER_B 0x9D2C5680u
#define MT_TEMPER_C 0xEFC60000u

/* A level is in quadrant a up to GAPBS_A, in b below GAPBS_AB, in c up to GAPBS_ABC, else in d:
 * sums of 0.57, 0.19 and 0.19 times 2^32 - 1, each rounded down. */
#define GAPBS_A   2448131358u
#define GAPBS_AB  3264175144u
#define GAPBS_ABC 4080218930u

#define GAPBS_BLOCK ((uint64_t)1 << 18) /* edges that are made from one seed */

/* A weight is a number modulo 255, plus 1. 2^32 - 1 would make weights uneven: if the word before
 * tempering is GAPBS_REJECTED, the next number is taken. */
#define GAPBS_WEIGHTS  255u
#define GAPBS_REJECTED 0x12DD9BB3u

ALIAS_HD uint32_t mt_twist(uint32_t word, uint32_t next, uint32_t far)
{
    const uint32_t joined = (word & 0x80000000u) | (next & 0x7FFFFFFFu);

    return far ^ joined >> 1 ^ ((0u - (next & 1)) & MT_TWIST);
}

ALIAS_HD uint32_t mt_temper(uint32_t x)
{
    x ^= x >> 11;
    x ^= x << 7 & MT_TEMPER_B;
    x ^= x << 15 & MT_TEMPER_C;
    return x ^ x >> 18;
}

/* The state before the first number. */
ALIAS_HD void mt_seed(uint32_t x[MT_N], uint32_t seed)
{
    x[0] = seed;
    for (uint32_t i = 1; i < MT_N; i++) {
        x[i] = MT_SEED * (x[i - 1] ^ x[i - 1] >> 30) + i;
    }
}

ALIAS_HD uint32_t gapbs_weight(uint32_t number)
{
    return number % GAPBS_WEIGHTS + 1;
}

#endif
