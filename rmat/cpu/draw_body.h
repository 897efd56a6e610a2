/*
 * draw_body.h - draws the ends of base edges, W at a time: of a range of edges, or of a list of
 * edges once more.
 *
 * Per group, the chosen path is the minimum of the random word and the table row, because both
 * carry their fraction in the top bits: the smaller one has the path below it (STREAM.md).  Equal
 * fractions, a tie, show as a small exclusive or of the two; such edges are made again by
 * rmat_draw_edge(), after the loop.
 */
#ifndef RMAT_CPU_DRAW_BODY_H
#define RMAT_CPU_DRAW_BODY_H

#include "rmat/cpu/philox_body.h"
#include "rmat/cpu/vec_body.h"
#include <string.h>

/* Groups whose bits fit into a 32-bit lane. */
#define LANE_GROUPS 5

/* Vectors after which the ties so far are settled. */
#define SETTLE 64

/* The bits of each lane with six more from the low end of `six` behind them. */
#ifndef VEC_APPEND
#define VEC_APPEND(bits, six) vec_select(63, six, (bits) << 6)
#endif

typedef struct {
    vec src, dst;
} vec_ends;

/* The bits that groups [from, to) give, and *closest lowered to the least exclusive or of a word
 * and its row. */
INLINE vec_ends append_groups(const rmat_view *v, const vec *w, int from, int to, vec *closest)
{
    vec_ends ends = {{0}, {0}};

#pragma GCC unroll 5
    for (int g = from; g < to; g++) {
        vec row = vec_lookup(v->fast[g], w[g] & RMAT_PATH_MASK);
        vec path = vec_min(w[g], row);

        *closest = vec_min(*closest, w[g] ^ row);
        ends.src = VEC_APPEND(ends.src, path >> 6);
        ends.dst = VEC_APPEND(ends.dst, path);
    }
    return ends;
}

/* Stores W ids, whose bits lie in up to three vectors of five groups each. */
INLINE void store_ids(void *out, uint64_t i, vec top, vec mid, vec low, const int groups, int drop,
                      uint64_t mask, const int id_bytes)
{
    if (id_bytes == 4) {
        vec x = low >> drop;

        if (groups > LANE_GROUPS) {
            x |= mid << (30 - drop);
        }
        x &= (uint32_t)mask;
        memcpy((uint32_t *)out + i, &x, sizeof x);
        return;
    }
    for (int h = 0; h < 2; h++) {
        u64s x = vec_widen(low, h) >> drop;

        if (groups > LANE_GROUPS) {
            x |= vec_widen(mid, h) << (30 - drop);
        }
        if (groups > 2 * LANE_GROUPS) {
            x |= vec_widen(top, h) << (60 - drop);
        }
        x &= mask;
        memcpy((uint64_t *)out + i + h * (W / 2), &x, sizeof x);
    }
}

/* The number of ids up to the next cache line: large arrays from malloc() start 16 bytes into a
 * line, and vectors that straddle two lines cost a tenth of the speed. */
static uint64_t to_next_line(const void *ids, int id_bytes)
{
    return -(uintptr_t)ids % 64 / (uint64_t)id_bytes;
}

/* Draws edge e by the reference, to place i.  Out of line, since it is rare. */
static __attribute__((noinline)) void settle(const rmat_view *v, uint64_t e, uint32_t attempt,
                                             uint64_t i, void *src, void *dst, int id_bytes)
{
    uint64_t s, d;

    rmat_draw_edge(v, e, attempt, &s, &d);
    set_id(src, i, s, id_bytes);
    set_id(dst, i, d, id_bytes);
}

/* Draws edges first + i or, with a list, first + list[i], to places i, for i < count.  If groups,
 * id_bytes and the absence of a list are constants, the branches on them vanish. */
INLINE void draw_groups(const rmat_view *v, uint64_t first, uint64_t count, const uint32_t *list,
                        uint32_t attempt, void *src, void *dst, const int groups,
                        const int id_bytes)
{
    const int low_from = groups > LANE_GROUPS ? groups - LANE_GROUPS : 0;
    const int mid_from = low_from > LANE_GROUPS ? low_from - LANE_GROUPS : 0;
    const uint32_t tie_limit = 1u << (32 - rmat_fraction_bits(groups));
    const uint64_t whole = count - count % W;
    vec_keys keys = make_keys(v->seed);

    /* Makes the compiler read the keys from memory, as operands; it would compute them again in
     * every turn. */
    __asm__("" : "+m"(keys));

    for (uint64_t batch = 0; batch < whole; batch += SETTLE * W) {
        const uint64_t end = whole - batch < SETTLE * W ? whole : batch + SETTLE * W;
        uint64_t tied_at[SETTLE + 1];
        unsigned tied_lanes[SETTLE + 1];
        int tied = 0;

        for (uint64_t i = batch; i < end; i += W) {
            vec w[12], closest = ~(vec){0};
            vec_ends top, mid, low;
            vec index;

            if (list != NULL) {
                memcpy(&index, list + i, sizeof index);
                index += (uint32_t)first;
            } else {
                index = lane_numbers() + (uint32_t)(first + i);
            }
#pragma GCC unroll 3
            for (int b = 0; b < rmat_edge_blocks(groups); b++) {
                vec_philox(&keys, index, (uint32_t)(first >> 32),
                           attempt * RMAT_ATTEMPT_STEP + (uint32_t)b, w + 4 * b);
            }
            if (groups == 5) {
                vec lo = vec_select(0x7F, w[0] >> 12, w[1] >> 5);
                vec hi = vec_select(0xFE000000, w[2] << 13, w[3] << 6);

                w[4] = vec_select(0x3FFF, lo, hi); /* as rmat_fifth_word() */
            }
            top = append_groups(v, w, 0, mid_from, &closest);
            mid = append_groups(v, w, mid_from, low_from, &closest);
            low = append_groups(v, w, low_from, groups, &closest);
            store_ids(src, i, top.src, mid.src, low.src, groups, v->drop, v->src_mask, id_bytes);
            store_ids(dst, i, top.dst, mid.dst, low.dst, groups, v->drop, v->dst_mask, id_bytes);
            tied_at[tied] = i;
            tied_lanes[tied] = vec_below(closest, tie_limit);
            tied += tied_lanes[tied] != 0;
        }
        /* Only here: a call inside the loop would make it spill its registers. */
        for (int t = 0; t < tied; t++) {
            for (unsigned lanes = tied_lanes[t]; lanes; lanes &= lanes - 1) {
                uint64_t i = tied_at[t] + (unsigned)__builtin_ctz(lanes);

                settle(v, first + (list != NULL ? list[i] : i), attempt, i, src, dst, id_bytes);
            }
        }
    }
    for (uint64_t i = whole; i < count; i++) {
        settle(v, first + (list != NULL ? list[i] : i), attempt, i, src, dst, id_bytes);
    }
#ifdef __AVX__
    /* gcc omits it after calls of settle(); without it, whatever SSE code the thread runs next
     * would take up to three times as long. */
    _mm256_zeroupper();
#endif
}

#define DRAW_CASE(groups_, id_bytes_)                                                              \
    case groups_:                                                                                  \
        draw_groups(v, first, count, NULL, 0, src, dst, groups_, id_bytes_);                       \
        break

/* Draws edges [first, first + count), the first attempt, by code of their own for each number of
 * groups. */
static void draw(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                 int id_bytes)
{
    if (id_bytes == 4) {
        switch (v->groups) {
            DRAW_CASE(1, 4);
            DRAW_CASE(2, 4);
            DRAW_CASE(3, 4);
            DRAW_CASE(4, 4);
            DRAW_CASE(5, 4);
            DRAW_CASE(6, 4);
        }
    } else {
        switch (v->groups) {
            DRAW_CASE(1, 8);
            DRAW_CASE(2, 8);
            DRAW_CASE(3, 8);
            DRAW_CASE(4, 8);
            DRAW_CASE(5, 8);
            DRAW_CASE(6, 8);
            DRAW_CASE(7, 8);
            DRAW_CASE(8, 8);
            DRAW_CASE(9, 8);
            DRAW_CASE(10, 8);
            DRAW_CASE(11, 8);
        }
    }
}

/* Draws edges first + list[0..count), at any attempt; count is a multiple of W.  One code for all
 * numbers of groups is a few percent slower than one for each, and half as large. */
static void draw_again(const rmat_view *v, uint64_t first, uint64_t count, const uint32_t *list,
                       uint32_t attempt, uint64_t *src, uint64_t *dst)
{
    draw_groups(v, first, count, list, attempt, src, dst, v->groups, 8);
}

#endif
