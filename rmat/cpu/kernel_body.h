/*
 * The CPU kernels, W edges at a time, written once with the vector extensions that gcc and clang
 * share.  A file per instruction set defines the little that they lack and includes this:
 *
 *   W             edges at a time
 *   PHILOX_MUL    product of the low halves of 64-bit lanes, as a u64s
 *   PHILOX_PACK   (even, odd) u64s -> the vec of their low halves, interleaved
 *   vec_min, vec_select(mask, a, b), vec_below(a, limit), vec_lookup(table, index),
 *   vec_widen(a, half)
 *   vec_above(a, last), vec_equal(a, b), u64s_above(a, last), u64s_equal(a, b): a bit per lane
 *   u64s_mul(a, b, up): a * b * 2^up
 *   list_lanes(bits, i, list): i plus the number of each lane whose bit is set, into list, which
 *   has room for W; returns how many
 */
#ifndef RMAT_CPU_KERNEL_BODY_H
#define RMAT_CPU_KERNEL_BODY_H

#include "rmat/cpu/draw_body.h"
#include "rmat/cpu/permute_body.h"
#include "rmat/cpu/redraw_body.h"
#include "rmat/cpu/transform_body.h"
#include "rmat/cpu/weight_body.h"
#include "rmat/model/fingerprint.h"

static uint64_t generate(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                         int id_bytes)
{
    const uint64_t head = to_next_line(src, id_bytes);

    if (v->transform) {
        return transform_range(v, first, count, src, dst, id_bytes);
    }
    if (head && count >= BATCH * W) {
        draw(v, first, head, src, dst, id_bytes);
        first += head;
        count -= head;
        src = (char *)src + head * (uint64_t)id_bytes;
        dst = (char *)dst + head * (uint64_t)id_bytes;
    }
    draw(v, first, count, src, dst, id_bytes);
    return 0;
}

/* Plain loops: the compiler vectorises them for the instruction set of the including file. */
static uint64_t fingerprint(const void *src, const void *dst, uint64_t count, int id_bytes)
{
    uint64_t sum = 0;

    if (id_bytes == 4) {
        const uint32_t *s = src, *d = dst;

        for (uint64_t i = 0; i < count; i++) {
            sum += rmat_edge_hash(s[i], d[i]);
        }
    } else {
        const uint64_t *s = src, *d = dst;

        for (uint64_t i = 0; i < count; i++) {
            sum += rmat_edge_hash(s[i], d[i]);
        }
    }
    return sum;
}

#define RMAT_CPU_KERNELS                                                                           \
    {                                                                                              \
        generate, weights, fingerprint                                                             \
    }

#endif
