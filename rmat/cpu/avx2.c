/* The CPU kernels for AVX2, 8 edges at a time.  kernel_body.h has the algorithms. */
#define W 8
#include "rmat/cpu/vec_body.h"
#include <immintrin.h>

#define PHILOX_MUL(a, b) ((u64s)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define PHILOX_PACK(even, odd)                                                                     \
    ((vec)_mm256_blend_ps((__m256)(even), _mm256_moveldup_ps((__m256)(odd)), 0xAA))
#define PACK_HIGH(even, odd)                                                                       \
    ((vec)_mm256_blend_ps(_mm256_movehdup_ps((__m256)(even)), (__m256)(odd), 0xAA))
#define VEC_BITS(lanes)  ((unsigned)_mm256_movemask_ps((__m256)(lanes)))
#define U64S_BITS(lanes) ((unsigned)_mm256_movemask_pd((__m256d)(lanes)))
#define VEC_16(bytes)    ((vec)_mm256_broadcastsi128_si256(bytes))
#define VEC_BYTES(a, of) ((vec)_mm256_shuffle_epi8((__m256i)(a), (__m256i)(of)))

INLINE vec vec_min(vec a, vec b)
{
    return (vec)_mm256_min_epu32((__m256i)a, (__m256i)b);
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
