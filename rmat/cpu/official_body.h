/*
 * official_body.h - the edges of GAPBS and of Graph500, W at a time.  rmat/cpu/kernel_body.h lists
 * the definitions of the including file.
 */
#ifndef RMAT_CPU_OFFICIAL_BODY_H
#define RMAT_CPU_OFFICIAL_BODY_H

#include "rmat/cpu/draw_body.h"
#include "rmat/model/official.h"

/*
 * The levels of GAPBS's edges, W at a time.
 *
 * The state advances in place.  The first W of the new words are stored a second time after its 624
 * words, so that every vector of a step can be loaded from consecutive words.
 */
enum { LEVELS = 48 }; /* packed together: 624 = 13 * 48 */

/* Makes numbers [k, k + W) of the next 624, before tempering, with the words from k + far on. */
INLINE void mt_advance(uint32_t *x, int k, int far)
{
    const vec next = load_lanes(x + k + 1);
    const vec joined = next ^ ((load_lanes(x + k) ^ next) & 0x80000000u);

    store_lanes(x + k, load_lanes(x + k + far) ^ joined >> 1 ^ (-(next & 1) & MT_TWIST));
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
            const vec number = mt_tempered(load_lanes(x + k + l));

            a |= (uint64_t)VEC_BELOW(number, GAPBS_A + 1) << l;
            ab |= (uint64_t)VEC_BELOW(number, GAPBS_AB) << l;
            abc |= (uint64_t)VEC_BELOW(number, GAPBS_ABC + 1) << l;
        }
        s = ~ab;
        d = (ab & ~a) | ~abc;
        memcpy(src + k / 8, &s, sizeof s); /* 6 of the 8 bytes stay */
        memcpy(dst + k / 8, &d, sizeof d);
    }
}

/*
 * Graph500's edges, W at a time.
 *
 * 256 consecutive edges differ only in their last skip, and share its window.  State numbers are
 * 64-bit lanes, in two halves: the even edges' and the odd edges'.  The fraction of x / 10000
 * decides whether x mod 10000 is below a threshold.  It is the fraction of x * 3518437209 / 2^45;
 * 32 bits of it are enough, because the product's error is a tenth of the distance between two
 * values of x mod 10000.  Edges that meet a number to reject, one level in 588,000, are made again
 * one by one.
 */

#define MRG_MAGIC       3518437209u /* 2^45 / 10000, rounded up */
#define MRG_FRACTION(t) ((uint32_t)(((((uint64_t)(t) << 45) + 9999) / MRG_TOTAL) >> 13))

INLINE u64s mrg_fold(u64s x)
{
    return (x & MRG_P) + (x >> 31);
}

/* x, or x - p if that is not negative, for x below 2^32. */
INLINE u64s mrg_least(u64s x)
{
    return (u64s)vec_min((vec)x, (vec)(x - MRG_P));
}

/* Number r of the states of edges [at, at + W), from the window of their block, for the even and
 * the odd lanes. */
INLINE void mrg_row(const mrg_view *v, int r, int at, const uint32_t y[9], u64s *even, u64s *odd)
{
    u64s e = {0}, o = {0};

    for (int i = 0; i < 5; i++) {
        const u64s factor = (u64s){0} + y[4 - r + i];
        const vec c = load_lanes(&v->skip[0][i][at]);

        if (i == 4) { /* four products fit into 64 bits */
            e = mrg_fold(e);
            o = mrg_fold(o);
        }
        e += PHILOX_MUL((u64s)c, factor);
        o += PHILOX_MUL((u64s)c >> 32, factor);
    }
    *even = mrg_least(mrg_fold(mrg_fold(e)));
    *odd = mrg_least(mrg_fold(mrg_fold(o)));
}

INLINE u64s mrg_step(u64s z[5])
{
    const u64s x = PHILOX_MUL(z[0], (u64s){0} + MRG_X) + PHILOX_MUL(z[4], (u64s){0} + MRG_Y);

    z[4] = z[3];
    z[3] = z[2];
    z[2] = z[1];
    z[1] = z[0];
    z[0] = mrg_least(mrg_fold(x));
    return z[0];
}

/* One level of W edges: appends a bit to both ends.  Returns the lanes with a number to reject. */
INLINE unsigned mrg_level(u64s even[5], u64s odd[5], vec *src, vec *dst)
{
    const u64s x = mrg_step(even), y = mrg_step(odd), magic = (u64s){0} + MRG_MAGIC;
    const vec f = PHILOX_PACK(PHILOX_MUL(x, magic) >> 13, PHILOX_MUL(y, magic) >> 13);
    const vec in_b = (vec)(f < MRG_FRACTION(MRG_B)), in_bc = (vec)(f < MRG_FRACTION(MRG_BC));
    const vec in_d = (vec)(f >= MRG_FRACTION(MRG_ABC));

    *src = *src + *src - ((in_bc & ~in_b) | in_d);
    *dst = *dst + *dst - (in_b | in_d);
    return VEC_BELOW(PHILOX_PACK(x, y), MRG_REJECT);
}

/* Swaps the highest bit that differs, if the source has it, in the lanes `of`.  Edges below the
 * diagonal are flipped only at the level where they leave it. */
INLINE void mrg_flip(vec of, vec *src, vec *dst)
{
    vec x = *src ^ *dst;

    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x ^= x >> 1;
    x &= of & (vec)((x & *src) != 0);
    *src ^= x;
    *dst ^= x;
}

/* Edges at + lane, for the lanes in `bad`. */
static void mrg_redo(const mrg_view *v, const uint32_t start[5], int at, unsigned bad,
                     uint64_t *src, uint64_t *dst, float *weight)
{
    for (int i = 0; i < W; i++) {
        if (bad >> i & 1) {
            uint32_t z[5];

            memcpy(z, start, sizeof z);
            mrg_skip(v, 0, (uint32_t)(at + i), z);
            mrg_edge(v, z, &src[i], &dst[i]);
            if (weight != NULL) {
                weight[i] = mrg_weight(mrg_next(z));
            }
        }
    }
}

INLINE void mrg_group(const mrg_view *v, const uint32_t start[5], const uint32_t window[9], int at,
                      uint64_t *src, uint64_t *dst, float *weight)
{
    const int first = v->scrambling.scale < 32 ? v->scrambling.scale : 32,
              rest = v->scrambling.scale - first;
    u64s even[5], odd[5];
    vec ends[4] = {{0}}; /* sources and destinations, of the first levels and of the rest */
    const vec all = ~(vec){0};
    unsigned bad = 0;

    for (int r = 0; r < 5; r++) {
        mrg_row(v, r, at, window, &even[r], &odd[r]);
    }
    for (int l = 0; l < first; l++) {
        bad |= mrg_level(even, odd, &ends[0], &ends[1]);
    }
    for (int l = 0; l < rest; l++) {
        bad |= mrg_level(even, odd, &ends[2], &ends[3]);
    }
    mrg_flip((vec)(ends[0] == ends[1]), &ends[2], &ends[3]);
    mrg_flip(all, &ends[0], &ends[1]);
    for (int i = 0; i < W; i++) {
        src[i] = mrg_scramble(&v->scrambling, (uint64_t)ends[0][i] << rest | ends[2][i]);
        dst[i] = mrg_scramble(&v->scrambling, (uint64_t)ends[1][i] << rest | ends[3][i]);
    }
    if (weight != NULL) {
        const vec x = PHILOX_PACK(mrg_step(even), mrg_step(odd));

        for (int i = 0; i < W; i++) {
            weight[i] = mrg_weight(x[i]);
        }
    }
    if (bad) {
        mrg_redo(v, start, at, bad, src, dst, weight);
    }
}

/* rmat_cpu_kernels.graph500 */
static void graph500(const mrg_view *v, uint64_t block, uint64_t *src, uint64_t *dst, float *weight)
{
    uint32_t start[5], window[9];

    mrg_state(v, block << 8, 0, start);
    mrg_window(start, window);
    for (int at = 0; at < 256; at += W) {
        mrg_group(v, start, window, at, src + at, dst + at, weight != NULL ? weight + at : NULL);
    }
}

#endif
