/*
 * The CPU kernel, W edges at a time, written once with the vector extensions that gcc and clang
 * share.  A file per instruction set defines the little that they lack and includes this:
 *
 *   W             edges at a time
 *   PHILOX_MUL    product of the low halves of 64-bit lanes, as a u64s
 *   PHILOX_PACK   (even, odd) u64s -> the vec of their low halves, interleaved
 *   vec_min, vec_select(mask, a, b), vec_below(a, limit), vec_lookup(table, index),
 *   vec_widen(a, half)
 *
 * Per group: own or alias is the minimum of word and row, because both carry their fraction on top
 * (STREAM.md).  Equal fractions show as a small XOR; those edges are done again by rmat_edge_at().
 */
#ifndef RMAT_CPU_KERNEL_H
#define RMAT_CPU_KERNEL_H

#include "rmat/cpu_philox.h"
#include "rmat/fingerprint.h"
#include <string.h>

/* Levels that fit a 32-bit lane: five groups. */
#define LANE_GROUPS 5

/* Vectors between two settlements of ties. */
#define BATCH 64

typedef struct {
    vec src, dst;
} vec_ends;

INLINE vec_ends append_groups(const rmat_view *v, const vec *w, int from, int to, vec *closest)
{
    vec_ends ends = {{0}, {0}};

#pragma GCC unroll 5
    for (int g = from; g < to; g++) {
        vec row = vec_lookup(v->fast[g], w[g] & RMAT_PATH_MASK);
        vec path = vec_min(w[g], row);

        *closest = vec_min(*closest, w[g] ^ row);
        ends.src = vec_select(63, path >> 6, ends.src << 6);
        ends.dst = vec_select(63, path, ends.dst << 6);
    }
    return ends;
}

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

/* Edge i of the range, by the reference.  Out of line: it is rare. */
static __attribute__((noinline)) void settle(const rmat_view *v, uint64_t first, uint64_t i,
                                             void *src, void *dst, int id_bytes)
{
    uint64_t s, d;

    rmat_edge_at(v, first + i, &s, &d);
    if (id_bytes == 4) {
        ((uint32_t *)src)[i] = (uint32_t)s;
        ((uint32_t *)dst)[i] = (uint32_t)d;
    } else {
        ((uint64_t *)src)[i] = s;
        ((uint64_t *)dst)[i] = d;
    }
}

/* groups and id_bytes are constants at every call, so the branches on them vanish. */
INLINE void generate_groups(const rmat_view *v, uint64_t first, uint64_t count, void *src,
                            void *dst, const int groups, const int id_bytes)
{
    const int low_from = groups > LANE_GROUPS ? groups - LANE_GROUPS : 0;
    const int mid_from = low_from > LANE_GROUPS ? low_from - LANE_GROUPS : 0;
    const uint32_t tie_limit = 1u << (32 - rmat_fraction_bits(groups));
    const uint64_t whole = count - count % W;
    vec_keys keys = make_keys(v->seed);

    /* To be read from memory, as operands, where the compiler would make them anew in every turn.
     */
    __asm__("" : "+m"(keys));

    for (uint64_t batch = 0; batch < whole; batch += BATCH * W) {
        const uint64_t end = whole - batch < BATCH * W ? whole : batch + BATCH * W;
        uint64_t tied_at[BATCH + 1];
        unsigned tied_lanes[BATCH + 1];
        int tied = 0;

        for (uint64_t i = batch; i < end; i += W) {
            vec w[12], closest = ~(vec){0};
            vec_ends top, mid, low;

#pragma GCC unroll 3
            for (int b = 0; b < rmat_edge_blocks(groups); b++) {
                vec_philox(&keys, first + i, (uint32_t)b, w + 4 * b);
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
        /* Only now: a call inside the loop would cost it its registers. */
        for (int t = 0; t < tied; t++) {
            for (unsigned lanes = tied_lanes[t]; lanes; lanes &= lanes - 1) {
                settle(v, first, tied_at[t] + (unsigned)__builtin_ctz(lanes), src, dst, id_bytes);
            }
        }
    }
    for (uint64_t i = whole; i < count; i++) {
        settle(v, first, i, src, dst, id_bytes);
    }
}

#define GENERATE_CASE(groups_, id_bytes_)                                                          \
    case groups_:                                                                                  \
        generate_groups(v, first, count, src, dst, groups_, id_bytes_);                            \
        break

static void generate(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                     int id_bytes)
{
    /* Edges up to the next cache line: large arrays from malloc() start 16 bytes into one, and
     * vectors that straddle lines cost a tenth of the speed. */
    uint64_t head = -(uintptr_t)src % 64 / (uint64_t)id_bytes;

    if (head && count >= BATCH * W) {
        for (uint64_t i = 0; i < head; i++) {
            settle(v, first, i, src, dst, id_bytes);
        }
        first += head;
        count -= head;
        src = (char *)src + head * (uint64_t)id_bytes;
        dst = (char *)dst + head * (uint64_t)id_bytes;
    }
    if (id_bytes == 4) {
        switch (v->groups) {
            GENERATE_CASE(1, 4);
            GENERATE_CASE(2, 4);
            GENERATE_CASE(3, 4);
            GENERATE_CASE(4, 4);
            GENERATE_CASE(5, 4);
            GENERATE_CASE(6, 4);
        }
    } else {
        switch (v->groups) {
            GENERATE_CASE(1, 8);
            GENERATE_CASE(2, 8);
            GENERATE_CASE(3, 8);
            GENERATE_CASE(4, 8);
            GENERATE_CASE(5, 8);
            GENERATE_CASE(6, 8);
            GENERATE_CASE(7, 8);
            GENERATE_CASE(8, 8);
            GENERATE_CASE(9, 8);
            GENERATE_CASE(10, 8);
            GENERATE_CASE(11, 8);
        }
    }
#ifdef __AVX__
    /* gcc forgets it after calls of settle(), and whatever SSE code the thread runs next would take
     * up to three times as long. */
    _mm256_zeroupper();
#endif
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

#endif
