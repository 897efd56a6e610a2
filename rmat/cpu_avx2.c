/* The CPU kernel for AVX2: 8 edges at a time. */
#define W 8
#include "rmat/cpu_lookup4.h"
#include "rmat/cpu_vec.h"
#include "rmat/rmat_impl.h"

#define PHILOX_MUL(a, b) ((u64s)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#define PHILOX_PACK(even, odd)                                                                     \
    ((vec)_mm256_blend_ps((__m256)(even), _mm256_moveldup_ps((__m256)(odd)), 0xAA))

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

#include "rmat/cpu_kernel.h"

const rmat_cpu_kernels rmat_kernels_avx2 = {generate, fingerprint};
