/*
 * kernel_body.h - the CPU kernels, for W edges at a time, written once with the vector extensions
 * that gcc and clang share.  A *_body.h file is compiled several times: each instruction set has a
 * .c file, which defines the operations that the extensions lack and includes this file:
 *
 *   W                            edges at a time
 *   PHILOX_MUL(a, b)             product of the low halves of 64-bit lanes, as a u64s
 *   PHILOX_PACK(even, odd)       the low halves of two u64s, interleaved, as a vec
 *   PACK_HIGH(even, odd)         their high halves
 *   vec_min(a, b), vec_select(mask, a, b), vec_below(a, limit)
 *   vec_lookup(table, index)     table[i] for each lane i of index
 *   vec_widen(a, half)           half of the lanes, as a u64s
 *   vec_above(a, last), vec_equal(a, b), u64s_above(a, last), u64s_equal(a, b): a bit per lane
 *   vec_reverse(a)               the bits of each lane in reverse order
 *
 * and, if the processor has instructions for them,
 *
 *   PHILOX_WHOLE                 defined if there is philox_product(a, b, &high, &low): both halves
 *                                of the products of 32-bit lanes
 *   VEC_APPEND(bits, six)        bits << 6 | (six & 63)
 *   VEC_RANK(rank, a, b)         rank, plus 1 where a > b
 *   LIST_LANES                   defined if there is list_lanes(bits, i, list)
 *
 * list_lanes() appends i + l to list, which has room for W more, for each lane l with a set bit,
 * and returns their number.
 *
 * draw_body.h draws plain edges directly into the caller's arrays.  transform_body.h makes edges of
 * models with options, official_body.h those of official streams, and rows_body.h those of the
 * stream `rows`.
 */
#ifndef RMAT_CPU_KERNEL_BODY_H
#define RMAT_CPU_KERNEL_BODY_H

#include "rmat/cpu/draw_body.h"
#include "rmat/cpu/official_body.h"
#include "rmat/cpu/rows_body.h"
#include "rmat/cpu/transform_body.h"
#include "rmat/model/weight.h"

/* rmat_cpu_kernels.generate */
static uint64_t generate(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                         int id_bytes)
{
    const uint64_t head = to_next_line(src, id_bytes);

    if (v->transform) {
        return transform_range(v, first, count, src, dst, id_bytes);
    }
    if (head && count >= SETTLE * W) {
        draw(v, first, head, src, dst, id_bytes);
        first += head;
        count -= head;
        src = (char *)src + head * (uint64_t)id_bytes;
        dst = (char *)dst + head * (uint64_t)id_bytes;
    }
    draw(v, first, count, src, dst, id_bytes);
    return 0;
}

/* rmat_cpu_kernels.fingerprint.  Plain loops, which the compiler vectorizes for the instruction set
 * of the including file. */
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
        generate, weights, fingerprint, graph500, gapbs, rows                                      \
    }

#endif
