/*
 * alias/core/philox.h - Philox4x32-10, the counter-based random number generator of J. Salmon,
 * M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), compiled
 * for host and device alike.
 *
 * A block of 128 random bits is a pure function of a 128-bit counter and a 64-bit key.  Any block
 * can therefore be computed directly, on any device, and the functions are thread-safe.  They give
 * the same bits as Random123 and as cuRAND's curand_Philox4x32_10.
 *
 * Throughout this project the key is the seed, low word first, and the counter is (index low, index
 * high, block, purpose).  No two uses of random bits may share a counter, so each use has its own
 * purpose in the list below.  Purposes are never reused or renumbered, because that would change
 * graphs and draws.
 */
#ifndef ALIAS_CORE_PHILOX_H
#define ALIAS_CORE_PHILOX_H

#include "alias/core/hd.h"
#include <stdint.h>

enum philox_purpose {
    PHILOX_EDGE = 0,         /* rmat: the draws of an edge (block: draw | attempt << 16) */
    PHILOX_EDGE_TIE = 1,     /* rmat: decides a draw whose short fraction equals its threshold */
    PHILOX_NOISE = 2,        /* rmat: the noise mu of each level */
    PHILOX_PERMUTE = 3,      /* rmat: keys of the vertex permutation */
    PHILOX_WEIGHT = 4,       /* rmat: the key of the edge weights */
    PHILOX_SAMPLE = 5,       /* rmat: uniformly drawn cells of rmat_sample (block: attempt) */
    PHILOX_ROWS_SPLIT = 6,   /* rmat: nodes of the stream `rows` (index: the first edge) */
    PHILOX_ROWS_EDGE = 7,    /* rmat: destinations of that stream (block: draws | attempt << 16) */
    PHILOX_ROWS_TIE = 8,     /* rmat: decides a draw of them, as EDGE_TIE */
    PHILOX_ALIAS_DRAW = 16,  /* alias: baseline draws */
    PHILOX_ALIAS_SPLIT = 17, /* alias: draws per section (| attempt << 8: see binomial.h) */
    PHILOX_ALIAS_SECTION = 18,    /* alias: sectioned draws, the high words */
    PHILOX_ALIAS_SECTION_LOW = 19 /* their low words, where the high word does not decide */
};

typedef struct {
    uint32_t v[4];
} philox_block;

/* The 64-bit product.  It is written in PTX for the GPU.  The compiler otherwise treats the factors
 * as 64 bits wide and adds partial products that are zero. */
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

/* The block for the counter c0 ... c3 and the key k0, k1. */
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

/* The block for the counter (index, block, purpose) and a 64-bit seed as the key. */
ALIAS_HD philox_block philox_at(uint64_t seed, uint64_t index, uint32_t block, uint32_t purpose)
{
    return philox4x32_10((uint32_t)index, (uint32_t)(index >> 32), block, purpose, (uint32_t)seed,
                         (uint32_t)(seed >> 32));
}

#endif
