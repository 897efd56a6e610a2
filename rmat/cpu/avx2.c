/* The CPU kernels for AVX2, 8 edges at a time.  kernel_body.h has the algorithms. */
#define W 8
#include "rmat/cpu/vec_body.h"
#include "rmat/model/generator.h"
#include <immintrin.h>

#define PHILOX_MUL(a, b) ((u64s)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define PHILOX_PACK(even, odd)                                                                     \
    ((vec)_mm256_blend_ps((__m256)(even), _mm256_moveldup_ps((__m256)(odd)), 0xAA))
#define PACK_HIGH(even, odd)                                                                       \
    ((vec)_mm256_blend_ps(_mm256_movehdup_ps((__m256)(even)), (__m256)(odd), 0xAA))

INLINE vec vec_min(vec a, vec b)
{
    return (vec)_mm256_min_epu32((__m256i)a, (__m256i)b);
}

INLINE vec vec_select(uint32_t mask, vec a, vec b)
{
    return (a & mask) | (b & ~mask);
}

INLINE unsigned vec_below(vec a, uint32_t limit)
{
    __m256i last = _mm256_set1_epi32((int)(limit - 1));

    return (unsigned)_mm256_movemask_ps(
        (__m256)_mm256_cmpeq_epi32(_mm256_max_epu32((__m256i)a, last), last));
}

INLINE unsigned vec_above(vec a, uint32_t last)
{
    return vec_below(a, last + 1) ^ 0xFF;
}

INLINE unsigned vec_equal(vec a, vec b)
{
    return (unsigned)_mm256_movemask_ps((__m256)_mm256_cmpeq_epi32((__m256i)a, (__m256i)b));
}

/* A signed comparison is enough: ids are below 2^62. */
INLINE unsigned u64s_above(u64s a, uint64_t last)
{
    __m256i above = _mm256_cmpgt_epi64((__m256i)a, _mm256_set1_epi64x((long long)last));

    return (unsigned)_mm256_movemask_pd((__m256d)above);
}

INLINE unsigned u64s_equal(u64s a, u64s b)
{
    return (unsigned)_mm256_movemask_pd((__m256d)_mm256_cmpeq_epi64((__m256i)a, (__m256i)b));
}

/* Looks up half bytes and reverses them: the lower ones become the upper ones, and vice versa. */
INLINE vec vec_reverse(vec a)
{
    const __m256i upper = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0x00, -0x80, 0x40, -0x40, 0x20, -0x60, 0x60, -0x20, 0x10, -0x70, 0x50, -0x30,
                      0x30, -0x50, 0x70, -0x10));
    const __m256i lower = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
    const __m256i bytes = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    const __m256i low = (__m256i)(a & 0x0F0F0F0Fu), high = (__m256i)(a >> 4 & 0x0F0F0F0Fu);
    const __m256i each =
        _mm256_or_si256(_mm256_shuffle_epi8(upper, low), _mm256_shuffle_epi8(lower, high));

    return (vec)_mm256_shuffle_epi8(each, bytes);
}

/* Scalar loads are faster than the gather instruction (Zen 4, scale 30: 211 against 205 million
 * edges/s). */
INLINE __m128i lookup4(const uint32_t *table, __m128i index)
{
    uint64_t i01 = (uint64_t)_mm_cvtsi128_si64(index);
    uint64_t i23 = (uint64_t)_mm_extract_epi64(index, 1);
    __m128i rows = _mm_cvtsi32_si128((int)table[(uint32_t)i01]);

    rows = _mm_insert_epi32(rows, (int)table[i01 >> 32], 1);
    rows = _mm_insert_epi32(rows, (int)table[(uint32_t)i23], 2);
    return _mm_insert_epi32(rows, (int)table[i23 >> 32], 3);
}

INLINE vec vec_lookup(const uint32_t *table, vec index)
{
    __m256i i = (__m256i)index;
    __m256i rows = _mm256_castsi128_si256(lookup4(table, _mm256_castsi256_si128(i)));

    return (vec)_mm256_inserti128_si256(rows, lookup4(table, _mm256_extracti128_si256(i, 1)), 1);
}

INLINE u64s vec_widen(vec a, int half)
{
    __m256i x = (__m256i)a;

    return (u64s)_mm256_cvtepu32_epi64(half ? _mm256_extracti128_si256(x, 1)
                                            : _mm256_castsi256_si128(x));
}

#include "rmat/cpu/kernel_body.h"

const rmat_cpu_kernels rmat_kernels_avx2 = RMAT_CPU_KERNELS;
