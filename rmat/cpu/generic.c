/* The CPU kernels for any processor, 4 edges at a time: 128-bit vectors are SSE2 or NEON registers
 * if the target has them, and plain code elsewhere.  kernel_body.h has the algorithms. */
#define W 4
#include "rmat/cpu/vec_body.h"

#define LOW32 0xFFFFFFFFu

#ifdef __SSE2__
/* The product of 64-bit lanes would take three multiplications; the product of their low halves
 * takes one. */
#include <emmintrin.h>
#define PHILOX_MUL(a, b) ((u64s)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#define VEC_BITS(lanes)  ((unsigned)_mm_movemask_ps((__m128)(lanes)))
#define U64S_BITS(lanes) ((unsigned)_mm_movemask_pd((__m128d)(lanes)))
#else
#define PHILOX_MUL(a, b) (((u64s)(a)&LOW32) * ((u64s)(b)&LOW32))
#define VEC_BITS(lanes)  vec_bits(lanes)
#define U64S_BITS(lanes) ((unsigned)((lanes)[0] >> 63 | (lanes)[1] >> 63 << 1))

INLINE unsigned vec_bits(vec lanes)
{
    lanes >>= 31;
    return lanes[0] | lanes[1] << 1 | lanes[2] << 2 | lanes[3] << 3;
}
#endif
#define PHILOX_PACK(even, odd) ((vec)(((even)&LOW32) | (odd) << 32))
#define PACK_HIGH(even, odd)   ((vec)((even) >> 32 | ((odd) & ~(u64s){LOW32, LOW32})))

INLINE vec vec_min(vec a, vec b)
{
    vec less = (vec)(a < b);

    return (a & less) | (b & ~less);
}

INLINE vec vec_reverse(vec a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0F0F0F0Fu) | (a & 0x0F0F0F0Fu) << 4;
    a = (a >> 8 & 0x00FF00FFu) | (a & 0x00FF00FFu) << 8;
    return a >> 16 | a << 16;
}

INLINE vec vec_lookup(const uint32_t *table, vec index)
{
    for (int i = 0; i < W; i++) {
        index[i] = table[index[i]];
    }
    return index;
}

INLINE u64s vec_widen(vec a, int half)
{
    return (u64s){a[2 * half], a[2 * half + 1]};
}

#include "rmat/cpu/kernel_body.h"

const rmat_cpu_kernels rmat_kernels_generic = RMAT_CPU_KERNELS;
