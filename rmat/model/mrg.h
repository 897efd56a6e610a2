/*
 * mrg.h - private to rmat/: the generator of Graph500 and its edges, one at a time.
 *
 * The state is five numbers below p = 2^31 - 1, the newest first.  A step puts x = 107374182 z[0] +
 * 104480 z[4] mod p before them and drops the last.  A step is a linear map that satisfies its
 * characteristic polynomial f(t) = t^5 - 107374182 t^4 - 104480.  So n steps are the sum of c[i]
 * times i steps, i < 5, where c are the coefficients of t^n mod f. The states after 0 to 4 steps
 * are windows of nine consecutive numbers: a skip takes 25 products.
 */
#ifndef RMAT_MODEL_MRG_H
#define RMAT_MODEL_MRG_H

#include "alias/core/hd.h"
#include <stdint.h>

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

#endif
