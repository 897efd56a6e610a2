/* tally.h - private to this repository: counts over edges. */
#ifndef RMAT_TALLY_TALLY_H
#define RMAT_TALLY_TALLY_H

#include "rmat/model/permutation.h"
#include "rmat/rmat_tally.h"

#include <stdint.h>
#include <string.h>

/*
 * The words whose set bits are counted for one edge.
 *
 * Of an edge's source s and destination d, and of both moved by one place, s1 = s >> 1 and d1 =
 * d >> 1, bit k of s & d1 says whether bit k of the source and bit k + 1 of the destination are
 * set.  Twelve such words have everything that two neighbouring levels of the recursion can tell.
 */
enum { RMAT_LEVEL_WORDS = 3, RMAT_NEIGHBOUR_WORDS = 12 };

/* The sets of bits, as in rmat_tally.bits, that the words stand for. */
#define RMAT_TALLY_SETS                                                                            \
    {                                                                                              \
        1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15                                                    \
    }

/* Sets w[0..n), n one of the above, from unsigned integers of any width; of words with several ids,
 * s1 and d1 must not have bits of the id next to it. */
#define RMAT_TALLY_WORDS(w, n, s, d, s1, d1)                                                       \
    do {                                                                                           \
        (w)[0] = (s);                                                                              \
        (w)[1] = (d);                                                                              \
        (w)[2] = (s) & (d);                                                                        \
        if ((n) == RMAT_NEIGHBOUR_WORDS) {                                                         \
            (w)[3] = (s) & (s1);                                                                   \
            (w)[4] = (d) & (s1);                                                                   \
            (w)[5] = (s) & (d) & (s1);                                                             \
            (w)[6] = (s) & (d1);                                                                   \
            (w)[7] = (d) & (d1);                                                                   \
            (w)[8] = (s) & (d) & (d1);                                                             \
            (w)[9] = (s) & (s1) & (d1);                                                            \
            (w)[10] = (d) & (s1) & (d1);                                                           \
            (w)[11] = (s) & (d) & (s1) & (d1);                                                     \
        }                                                                                          \
    } while (0)

/* Counters of how often each of the 64 bits is set in a sequence of words. */
enum { BIT_LANES = 8, BIT_PLANES = 44 };

/* An object that is all zero has counted no words yet. */
typedef struct {
    uint64_t sum[BIT_PLANES][BIT_LANES], carry[BIT_PLANES][BIT_LANES];
    uint64_t n; /* calls of bit_counts_add(), fewer than 2^BIT_PLANES */
} bit_counts;

/* Count BIT_LANES words.  Inline, so that the caller's instruction set is used. */
static inline void bit_counts_add(bit_counts *c, const uint64_t words[BIT_LANES])
{
    uint64_t x[BIT_LANES];
    int k = 0;

    memcpy(x, words, sizeof x);
    for (uint64_t n = c->n++; n & 1;
         n >>= 1, k++) { /* bit k of n says whether carry[k] is in use */
        for (int j = 0; j < BIT_LANES; j++) {
            uint64_t a = c->sum[k][j], b = c->carry[k][j], half = a ^ b;

            c->sum[k][j] = half ^ x[j];
            x[j] = (a & b) | (half & x[j]);
        }
    }
    memcpy(c->carry[k], x, sizeof x);
}

/* Add the counts to totals[]: totals[b] is for bit b of every word. */
void bit_counts_total(const bit_counts *c, uint64_t totals[64]);

enum { RMAT_TALLY_CHUNK = 1 << 12 };

/*
 * In a build with CUDA: starts adding the bits of levels of edges that are stored in device memory
 * to *tally, all in the memory of the current GPU.  gen: of any backend, whose permutation is
 * undone first, in place; or NULL.  Ids are below the number of its vertices.  Both arrays have
 * room for a multiple of RMAT_TALLY_CHUNK ids.  tally->edges does not change.  0, RMAT_ERR_CUDA.
 */
int rmat_tally_stored(const rmat_gen *gen, void *src, void *dst, uint64_t count, int id_bytes,
                      rmat_tally *tally, void *stream);

#endif
