/* The CPU kernels for AVX-512 (F, DQ, BW, VL), 16 edges at a time.  kernel_body.h has the
 * algorithms. */
#define W 16
#include "rmat/cpu/vec_body.h"
#include <immintrin.h>

#define PHILOX_MUL(a, b)       ((u64s)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#define PHILOX_PACK(even, odd) ((vec)_mm512_mask_moveldup_ps((__m512)(even), 0xAAAA, (__m512)(odd)))
#define PACK_HIGH(even, odd)   ((vec)_mm512_mask_movehdup_ps((__m512)(odd), 0x5555, (__m512)(even)))
#define U64S_BITS(lanes)       ((unsigned)_mm512_movepi64_mask((__m512i)(lanes)))
#define VEC_16(bytes)          ((vec)_mm512_broadcast_i32x4(bytes))
#define VEC_BYTES(a, of)       ((vec)_mm512_shuffle_epi8((__m512i)(a), (__m512i)(of)))

/* Comparisons give bits. */
#define COMPARE(a, comparison, b)                                                                  \
    ((unsigned)_mm512_cmp_epu32_mask((__m512i)(a), (__m512i)((vec){0} + (b)), comparison))
#define VEC_BELOW(a, limit) COMPARE(a, _MM_CMPINT_LT, limit)
#define VEC_ABOVE(a, last)  COMPARE(a, _MM_CMPINT_NLE, last)
#define VEC_EQUAL(a, b)     COMPARE(a, _MM_CMPINT_EQ, b)

INLINE vec vec_min(vec a, vec b)
{
    return (vec)_mm512_min_epu32((__m512i)a, (__m512i)b);
}

#define LIST_LANES
/* Compression into a register, then a store: compression straight into memory is slow. */
INLINE uint64_t list_lanes(unsigned bits, uint32_t i, uint32_t *list)
{
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i at = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)i));

    _mm512_storeu_si512(list, _mm512_maskz_compress_epi32((__mmask16)bits, at));
    return (uint64_t)__builtin_popcount(bits);
}

/* Scalar loads are faster than the gather instruction.  Masked broadcasts, which run on any vector
 * port, are faster than inserts (Zen 4, scale 30, in million edges/s: 312 with broadcasts, 308 with
 * inserts, 283 with gathers for four of the five groups). */
INLINE __m128i lookup4(const uint32_t *table, __m128i index)
{
    uint64_t i01 = (uint64_t)_mm_cvtsi128_si64(index);
    uint64_t i23 = (uint64_t)_mm_extract_epi64(index, 1);
    __m128i rows = _mm_cvtsi32_si128((int)table[(uint32_t)i01]);

    rows = _mm_mask_set1_epi32(rows, 2, (int)table[i01 >> 32]);
    rows = _mm_mask_set1_epi32(rows, 4, (int)table[(uint32_t)i23]);
    return _mm_mask_set1_epi32(rows, 8, (int)table[i23 >> 32]);
}

INLINE vec vec_lookup(const uint32_t *table, vec index)
{
    __m512i i = (__m512i)index;
    __m512i rows = _mm512_castsi128_si512(lookup4(table, _mm512_castsi512_si128(i)));

    rows = _mm512_inserti32x4(rows, lookup4(table, _mm512_extracti32x4_epi32(i, 1)), 1);
    rows = _mm512_inserti32x4(rows, lookup4(table, _mm512_extracti32x4_epi32(i, 2)), 2);
    return (vec)_mm512_inserti32x4(rows, lookup4(table, _mm512_extracti32x4_epi32(i, 3)), 3);
}

INLINE u64s vec_widen(vec a, int half)
{
    __m512i x = (__m512i)a;

    return (u64s)_mm512_cvtepu32_epi64(half ? _mm512_extracti64x4_epi64(x, 1)
                                            : _mm512_castsi512_si256(x));
}

#define VEC_RANK(rank, a, b)                                                                       \
    ((vec)_mm512_mask_sub_epi32((__m512i)(rank),                                                   \
                                _mm512_cmpgt_epi32_mask((__m512i)(a), (__m512i)(b)),               \
                                (__m512i)(rank), _mm512_set1_epi32(-1)))

#include "rmat/cpu/kernel_body.h"

const rmat_cpu_kernels rmat_kernels_avx512 = RMAT_CPU_KERNELS;
