/* The CPU kernels for NEON, which every 64-bit Arm processor has, 4 edges at a time.  kernel_body.h
 * has the algorithms. */
#define W 4
#include "rmat/cpu/vec_body.h"
#include <arm_neon.h>

#define PHILOX_MUL(a, b)       ((u64s)vmull_u32(vmovn_u64((uint64x2_t)(a)), vmovn_u64((uint64x2_t)(b))))
#define PHILOX_PACK(even, odd) ((vec)vtrn1q_u32((uint32x4_t)(even), (uint32x4_t)(odd)))
#define PACK_HIGH(even, odd)   ((vec)vtrn2q_u32((uint32x4_t)(even), (uint32x4_t)(odd)))
#define VEC_BITS(lanes)        vaddvq_u32(vandq_u32((uint32x4_t)(lanes), (uint32x4_t){1, 2, 4, 8}))
#define U64S_BITS(lanes)                                                                           \
    ((unsigned)vaddvq_u64(vshlq_u64(vshrq_n_u64((uint64x2_t)(lanes), 63), (int64x2_t){0, 1})))
#define PHILOX_WHOLE
#define VEC_APPEND(bits, six) ((vec)vsliq_n_u32((uint32x4_t)(six), (uint32x4_t)(bits), 6))

INLINE void philox_product(vec a, vec b, vec *high, vec *low)
{
    const uint32x4_t p =
        (uint32x4_t)vmull_u32(vget_low_u32((uint32x4_t)a), vget_low_u32((uint32x4_t)b));
    const uint32x4_t q = (uint32x4_t)vmull_high_u32((uint32x4_t)a, (uint32x4_t)b);

    *high = (vec)vuzp2q_u32(p, q);
    *low = (vec)vuzp1q_u32(p, q);
}

INLINE vec vec_min(vec a, vec b)
{
    return (vec)vminq_u32((uint32x4_t)a, (uint32x4_t)b);
}

/* The bits of each byte, then the bytes of each lane. */
INLINE vec vec_reverse(vec a)
{
    return (vec)vrev32q_u8(vrbitq_u8((uint8x16_t)a));
}

INLINE vec vec_lookup(const uint32_t *table, vec index)
{
    const uint64_t i01 = vgetq_lane_u64((uint64x2_t)index, 0);
    const uint64_t i23 = vgetq_lane_u64((uint64x2_t)index, 1);

    return (vec){table[(uint32_t)i01], table[i01 >> 32], table[(uint32_t)i23], table[i23 >> 32]};
}

INLINE u64s vec_widen(vec a, int half)
{
    const uint32x4_t x = (uint32x4_t)a;

    return (u64s)(half ? vmovl_high_u32(x) : vmovl_u32(vget_low_u32(x)));
}

#include "rmat/cpu/kernel_body.h"

const rmat_cpu_kernels rmat_kernels_neon = RMAT_CPU_KERNELS;
