/*
 * alias/cpu/philox_body.h - Philox4x32-10 (alias/core/philox.h) of several blocks at once, a part
 * of kernels_body.h.
 *
 * Words are the low halves of 64-bit lanes: the high ones may hold anything, because the multiplier
 * ignores them.  NEON collects the halves of two vectors of products by one instruction each; there
 * words have 32-bit lanes, and twice as many blocks are made at once.
 */
#ifndef ALIAS_CPU_PHILOX_BODY_H
#define ALIAS_CPU_PHILOX_BODY_H

/* The products of the low 32 bits of each lane. */
static vec mul_low(vec a, vec b)
{
#if LANES == 8
    return (vec)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif LANES == 4
    return (vec)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (vec)_mm_mul_epu32((__m128i)a, (__m128i)b);
#elif defined(KERNELS_NEON)
    return (vec)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

#if defined(KERNELS_NEON)
typedef uint32_t words __attribute__((vector_size(16)));

static INLINE void words_of(vec index, words *low, words *high)
{
    const uint32x4_t a = (uint32x4_t)index, b = (uint32x4_t)(index + LANES);

    *low = (words)vuzp1q_u32(a, b);
    *high = (words)vuzp2q_u32(a, b);
}

static INLINE void product(words a, words b, words *low, words *high)
{
    const uint32x4_t x = (uint32x4_t)a, y = (uint32x4_t)b;
    const uint32x4_t p = (uint32x4_t)vmull_u32(vget_low_u32(x), vget_low_u32(y));
    const uint32x4_t q = (uint32x4_t)vmull_high_u32(x, y);

    *low = (words)vuzp1q_u32(p, q);
    *high = (words)vuzp2q_u32(p, q);
}

static INLINE vec lanes_of(words w, int half)
{
    const uint32x4_t x = (uint32x4_t)w;

    return (vec)(half ? vmovl_high_u32(x) : vmovl_u32(vget_low_u32(x)));
}
#else
typedef vec words;

static INLINE void words_of(vec index, words *low, words *high)
{
    *low = index;
    *high = index >> 32;
}

static INLINE void product(words a, words b, words *low, words *high)
{
    *low = mul_low(a, b);
    *high = *low >> 32;
}

static INLINE vec lanes_of(words w, int half)
{
    (void)half;
    return w;
}
#endif

enum {
    BLOCKS = sizeof(words) / sizeof(((words){0})[0]), /* that are made at once */
    VECS = BLOCKS / LANES
};

/* Their words in 64-bit lanes, whose high halves are meaningless. */
typedef struct {
    vec v[VECS][4];
} vec_blocks;

/* Blocks index, index + 1, ...: those of the vector's lanes, on NEON and as many behind them. */
static INLINE vec_blocks philox(uint64_t seed, vec index, uint32_t purpose)
{
    const words zero = {0};
    const words m0 = zero + 0xD2511F53u, m1 = zero + 0xCD9E8D57u;
    words c[4] = {zero, zero, zero, zero + purpose};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    vec_blocks b;
    int round, i, h;

    words_of(index, &c[0], &c[1]);
    for (round = 0; round < 10; round++) {
        words low0, high0, low1, high1;

        product(c[0], m0, &low0, &high0);
        product(c[2], m1, &low1, &high1);
        c[0] = high1 ^ c[1] ^ (zero + k0);
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ (zero + k1);
        c[3] = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (h = 0; h < VECS; h++) {
        for (i = 0; i < 4; i++) {
            b.v[h][i] = lanes_of(c[i], h);
        }
    }
    return b;
}

/* The numbers of LANES consecutive Philox blocks. */
static vec block_index(uint64_t first)
{
    vec index = {0};
    int i;

    for (i = 0; i < LANES; i++) {
        index[i] = first + (uint64_t)i;
    }
    return index;
}

#endif
