/*
 * Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3" (SC 2011).  Bit-compatible with Random123 and with cuRAND's
 * curand_Philox4x32_10.  A block of 128 random bits is a pure function of a 128-bit counter and a
 * 64-bit key, so any block can be had at once, on any device.  Thread-safe: there is no state.
 *
 * Throughout this project the counter is (index low, index high, block, purpose) and the key is the
 * seed (low word first).  No two uses of random bits may share a counter, so every use has a
 * purpose of its own in the list below; numbers are never reused or renumbered.
 */
#ifndef ALIAS_CORE_PHILOX_H
#define ALIAS_CORE_PHILOX_H

#include "alias/core/hd.h"
#include <stdint.h>

enum philox_purpose {
    PHILOX_EDGE = 0,         /* rmat: the draws of an edge (block | attempt << 16) */
    PHILOX_EDGE_TIE = 1,     /* rmat: settles a draw whose short fraction ties with its threshold */
    PHILOX_NOISE = 2,        /* rmat: one mu per level */
    PHILOX_PERMUTE = 3,      /* rmat: keys of the vertex permutation */
    PHILOX_WEIGHT = 4,       /* rmat: the key of the edge weights */
    PHILOX_SAMPLE = 5,       /* rmat: cells of rmat_sample, drawn evenly (block: attempt) */
    PHILOX_ALIAS_DRAW = 16,  /* alias: baseline draws */
    PHILOX_ALIAS_SPLIT = 17, /* alias: counts of sections (| attempt << 8: binomial.h) */
    PHILOX_ALIAS_SECTION = 18,     /* alias: sectioned draws, the high words */
    PHILOX_ALIAS_SECTION_LOW = 19, /* the low words, for draws that the high one leaves open */
    PHILOX_SPACE_EFFICIENT = 20    /* alias: draws by rejection (space_efficient_draw.h) */
};

typedef struct {
    uint32_t v[4];
} philox_block;

/* Spelled out for the GPU, where the compiler takes 64-bit factors for wider than they are and adds
 * up halves that are zero. */
ALIAS_HD uint64_t philox_mul(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    uint64_t product;

    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (uint64_t)a * b;
#endif
}

ALIAS_HD philox_block philox4x32_10(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0,
                                    uint32_t k1)
{
    philox_block b;
    int round;

    for (round = 0; round < 10; round++) {
        uint64_t p0 = philox_mul(0xD2511F53u, c0);
        uint64_t p1 = philox_mul(0xCD9E8D57u, c2);

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    b.v[0] = c0;
    b.v[1] = c1;
    b.v[2] = c2;
    b.v[3] = c3;
    return b;
}

/* The block for counter (index, block, purpose) under a 64-bit seed. */
ALIAS_HD philox_block philox_at(uint64_t seed, uint64_t index, uint32_t block, uint32_t purpose)
{
    return philox4x32_10((uint32_t)index, (uint32_t)(index >> 32), block, purpose, (uint32_t)seed,
                         (uint32_t)(seed >> 32));
}

#endif
