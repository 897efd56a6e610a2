/* The CPU kernels for NEON, which every 64-bit Arm processor has, 4 edges at a time.  kernel_body.h
 * has the algorithms. */
#define W 4
#include "rmat/cpu/vec_body.h"
#include "rmat/model/generator.h"
#include <arm_neon.h>

#define PHILOX_MUL(a, b)       ((u64s)vmull_u32(vmovn_u64((uint64x2_t)(a)), vmovn_u64((uint64x2_t)(b))))
#define PHILOX_PACK(even, odd) ((vec)vtrn1q_u32((uint32x4_t)(even), (uint32x4_t)(odd)))
#define PACK_HIGH(even, odd)   ((vec)vtrn2q_u32((uint32x4_t)(even), (uint32x4_t)(odd)))
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

INLINE vec vec_select(uint32_t mask, vec a, vec b)
{
    return (vec)vbslq_u32(vdupq_n_u32(mask), (uint32x4_t)a, (uint32x4_t)b);
}

/* A bit for each lane of ones. */
INLINE unsigned vec_bits(uint32x4_t lanes)
{
    return vaddvq_u32(vandq_u32(lanes, (uint32x4_t){1, 2, 4, 8}));
}

INLINE unsigned u64s_bits(uint64x2_t lanes)
{
    return (unsigned)vaddvq_u64(vandq_u64(lanes, (uint64x2_t){1, 2}));
}

INLINE unsigned vec_below(vec a, uint32_t limit)
{
    return vec_bits(vcltq_u32((uint32x4_t)a, vdupq_n_u32(limit)));
}

INLINE unsigned vec_above(vec a, uint32_t last)
{
    return vec_bits(vcgtq_u32((uint32x4_t)a, vdupq_n_u32(last)));
}

INLINE unsigned vec_equal(vec a, vec b)
{
    return vec_bits(vceqq_u32((uint32x4_t)a, (uint32x4_t)b));
}

INLINE unsigned u64s_above(u64s a, uint64_t last)
{
    return u64s_bits(vcgtq_u64((uint64x2_t)a, vdupq_n_u64(last)));
}

INLINE unsigned u64s_equal(u64s a, u64s b)
{
    return u64s_bits(vceqq_u64((uint64x2_t)a, (uint64x2_t)b));
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
