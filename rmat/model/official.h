/*
 * official.h - private to rmat/: the official streams, Graph500's and GAPBS's: their random numbers
 * and edges, one at a time, and their objects, with copies of their tables in the memory of GPUs.
 */
#ifndef RMAT_MODEL_OFFICIAL_H
#define RMAT_MODEL_OFFICIAL_H

#include "alias/core/hd.h"
#include "rmat/rmat_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The generator of Graph500 and its edges, one at a time.
 *
 * The state is five numbers below p = 2^31 - 1, the newest first.  A step puts x = 107374182 z[0] +
 * 104480 z[4] mod p before them and drops the last.  A step is a linear map that satisfies its
 * characteristic polynomial f(t) = t^5 - 107374182 t^4 - 104480.  So n steps are the sum of c[i]
 * times i steps, i < 5, where c are the coefficients of t^n mod f. The states after 0 to 4 steps
 * are windows of nine consecutive numbers: a skip takes 25 products.
 */

#define MRG_P      0x7FFFFFFFu
#define MRG_X      107374182u
#define MRG_Y      104480u
#define MRG_TOTAL  10000u /* probabilities are fractions of it; b and c come first, then a */
#define MRG_REJECT (MRG_P % MRG_TOTAL)
#define MRG_B      1900u
#define MRG_BC     3800u
#define MRG_ABC    9500u

/* The bijection between drawn vertices and those of the graph, of 2^scale. */
typedef struct {
    uint64_t add, multiply[2];
    int scale;
} mrg_scrambling;

/* Everything that edges depend on besides their numbers. */
typedef struct {
    uint32_t start[5];        /* the seeded state */
    uint32_t skip[8][5][256]; /* [k][i][n]: coefficient i of t^(n * 256^k * 2^64) mod f */
    mrg_scrambling scrambling;
} mrg_view;

/* x mod p for x below 2^62 + 2^31. */
ALIAS_HD uint32_t mrg_reduce(uint64_t x)
{
    x = (x & MRG_P) + (x >> 31);
    x = (x & MRG_P) + (x >> 31);
    return (uint32_t)(x >= MRG_P ? x - MRG_P : x);
}

/* The next number, in [0, p). */
ALIAS_HD uint32_t mrg_next(uint32_t z[5])
{
    const uint32_t x = mrg_reduce((uint64_t)MRG_X * z[0] + (uint64_t)MRG_Y * z[4]);

    z[4] = z[3];
    z[3] = z[2];
    z[2] = z[1];
    z[1] = z[0];
    z[0] = x;
    return x;
}

/* The nine consecutive numbers that contain the states after 0 to 4 steps, the oldest first. */
ALIAS_HD void mrg_window(const uint32_t z[5], uint32_t y[9])
{
    for (int i = 0; i < 5; i++) {
        y[i] = z[4 - i];
    }
    for (int i = 5; i < 9; i++) {
        y[i] = mrg_reduce((uint64_t)MRG_X * y[i - 1] + (uint64_t)MRG_Y * y[i - 5]);
    }
}

/* Skips n * 256^k * 2^64 numbers, n < 256. */
ALIAS_HD void mrg_skip(const mrg_view *v, int k, uint32_t n, uint32_t z[5])
{
    uint32_t y[9];

    mrg_window(z, y);
    for (int r = 0; r < 5; r++) {
        uint64_t sum = 0;

        for (int i = 0; i < 5; i++) {
            sum = (uint64_t)mrg_reduce(sum) + (uint64_t)v->skip[k][i][n] * y[4 - r + i];
        }
        z[r] = mrg_reduce(sum);
    }
}

/* The state of edge e, or with low == 0 of the first of its 256 edges. */
ALIAS_HD void mrg_state(const mrg_view *v, uint64_t e, int low, uint32_t z[5])
{
    for (int i = 0; i < 5; i++) {
        z[i] = v->start[i];
    }
    for (int k = low ? 0 : 1; k < 8 && e >> 8 * k; k++) {
        const uint32_t n = (uint32_t)(e >> 8 * k & 255);

        if (n) {
            mrg_skip(v, k, n, z);
        }
    }
}

ALIAS_HD uint64_t mrg_reverse(uint64_t x)
{
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (x & 0x0F0F0F0F0F0F0F0Fu) << 4;
    x = (x >> 8 & 0x00FF00FF00FF00FFu) | (x & 0x00FF00FF00FF00FFu) << 8;
    x = (x >> 16 & 0x0000FFFF0000FFFFu) | (x & 0x0000FFFF0000FFFFu) << 16;
    return x >> 32 | x << 32;
}

/* The vertex that stands for a drawn one. */
ALIAS_HD uint64_t mrg_scramble(const mrg_scrambling *s, uint64_t x)
{
    x = mrg_reverse((x + s->add) * s->multiply[0]) >> (64 - s->scale);
    return mrg_reverse(x * s->multiply[1]) >> (64 - s->scale);
}

/* Draws an edge from its state.  The state afterwards is that of the edge's weight. */
ALIAS_HD void mrg_edge(const mrg_view *v, uint32_t z[5], uint64_t *src, uint64_t *dst)
{
    uint64_t s = 0, d = 0;

    for (int level = 0; level < v->scrambling.scale; level++) {
        uint32_t x = mrg_next(z), b, c;

        while (x < MRG_REJECT) {
            x = mrg_next(z);
        }
        x %= MRG_TOTAL;
        b = (x < MRG_B) | (x >= MRG_ABC);                /* the destination's bit */
        c = (x >= MRG_B && x < MRG_BC) | (x >= MRG_ABC); /* the source's */
        if (s == d && c > b) {
            b = 1;
            c = 0;
        }
        s = s << 1 | c;
        d = d << 1 | b;
    }
    *src = mrg_scramble(&v->scrambling, s);
    *dst = mrg_scramble(&v->scrambling, d);
}

/* The weight that a number makes: the product in double precision, rounded to float. */
ALIAS_HD float mrg_weight(uint32_t x)
{
    return (float)((double)(float)x * .000000000465661287524579692);
}

/*
 * The Mersenne Twister MT19937 (Matsumoto, Nishimura, "Mersenne
 * twister: a 623-dimensionally equidistributed uniform pseudo-random number generator", ACM TOMACS
 * 8(1), 1998), and the levels and weights that GAPBS makes from its numbers.
 *
 * The state is a window of 624 words on the sequence x[k + 624] = twist(x[k], x[k + 1], x[k +
 * 397]); the numbers are the words after tempering, a bijection.  So 227 numbers can be made at the
 * same time.
 */

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

/* The objects. */

#ifdef __cplusplus
extern "C" {
#endif

/* Copies of a table in the memory of every GPU that needs one, because an edge source does not know
 * its GPUs in advance: by the number of the GPU; NULL until the first call on it makes the copy. */
enum { RMAT_MAX_GPUS = 32 };
typedef struct {
    void *on[RMAT_MAX_GPUS];
} rmat_gpu_copies;

typedef struct {
    mrg_view view;
    rmat_gpu_copies copies; /* of view */
    rmat_isa isa;
} rmat_graph500;

/* Generators of the same graph share it: the permutation may take gigabytes and seconds to make,
 * and a job has up to four generators. */
typedef struct rmat_gapbs {
    struct rmat_gapbs *next;
    uint64_t users;
    int ready; /* the permutation is made; atomic */
    /* The vertices that stand for the drawn ones, 2^scale of them.  The index is the drawn vertex
     * with its bits in reverse order: the first level is bit 0. */
    uint32_t *permutation;
    int scale;
    uint32_t seed;
    rmat_isa isa;
    rmat_gpu_copies copies; /* of permutation */
} rmat_gapbs;

/* Describe the stream of a checked configuration as a source, whose state is a new object; and free
 * that. */
int rmat_graph500_create(rmat_source *to, const rmat_config *config);
void rmat_graph500_destroy(void *state);
int rmat_gapbs_create(rmat_source *to, const rmat_config *config);
void rmat_gapbs_destroy(void *state);

/* g->permutation, which the first call makes. */
const uint32_t *rmat_gapbs_permutation(const rmat_gapbs *g);

/* rmat_create() for a stream other than RMAT_STREAM_RMAT.  The generator has an edge source. */
int rmat_create_listed(rmat_gen **out, const rmat_config *config);

/* Returns the graph by rows that is the generator's stream in the order of its list, else NULL. */
const struct rmat_rows *rmat_rows_behind(const rmat_gen *gen);

/* Frees the state of the source of such a generator; other generators have nothing to free. */
void rmat_close_listed(const rmat_gen *gen);

#ifdef __cplusplus
}
#endif

#endif
