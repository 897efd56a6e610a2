/*
 * redraw_body.h - draws the unwanted edges of a batch again: all of them together, W at a time,
 * then those among them that are still unwanted, and so on.  So even a batch that throws most draws
 * away keeps its lanes busy, and the attempt is the same in all of them.
 */
#ifndef RMAT_CPU_REDRAW_BODY_H
#define RMAT_CPU_REDRAW_BODY_H

#include "rmat/cpu/draw_body.h"
#include "rmat/cpu/vec_body.h"

/* Which draws are thrown away: those beyond the last vertices and, if loops is 1, loops. */
typedef struct {
    uint64_t last_src, last_dst;
    uint32_t loops;
} unwanted_ends;

INLINE uint32_t is_unwanted(const unwanted_ends *u, uint64_t src, uint64_t dst)
{
    return (src > u->last_src) | (dst > u->last_dst) | ((src == dst) & u->loops);
}

/* A bit for each unwanted one of W edges (ids of 4 bytes) or W / 2 (of 8). */
INLINE unsigned unwanted_bits(const unwanted_ends *u, const void *src, const void *dst,
                              const int id_bytes, const int bounded, const int no_loops)
{
    unsigned bits = 0;
    vec s, d;

    memcpy(&s, src, sizeof s);
    memcpy(&d, dst, sizeof d);
    if (id_bytes == 4) {
        bits |= bounded ? vec_above(s, (uint32_t)u->last_src) : 0;
        bits |= bounded ? vec_above(d, (uint32_t)u->last_dst) : 0;
        bits |= no_loops ? vec_equal(s, d) : 0;
    } else {
        bits |= bounded ? u64s_above((u64s)s, u->last_src) : 0;
        bits |= bounded ? u64s_above((u64s)d, u->last_dst) : 0;
        bits |= no_loops ? u64s_equal((u64s)s, (u64s)d) : 0;
    }
    return bits;
}

/* Lists the unwanted edges of the batch; list has room for W more than it has edges. */
INLINE uint64_t find_unwanted(const unwanted_ends *u, uint64_t count, const char *src,
                              const char *dst, uint32_t *list, const int id_bytes,
                              const int bounded, const int no_loops)
{
    const uint64_t lanes = sizeof(vec) / (size_t)id_bytes;
    uint64_t n = 0, i = 0;

    for (; i + lanes <= count; i += lanes) {
        const uint64_t at = i * (uint64_t)id_bytes;
        unsigned bits = unwanted_bits(u, src + at, dst + at, id_bytes, bounded, no_loops);

        if (bits) {
            n += list_lanes(bits, (uint32_t)i, list + n);
        }
    }
    for (; i < count; i++) {
        list[n] = (uint32_t)i;
        n += is_unwanted(u, id_at(src, i, id_bytes), id_at(dst, i, id_bytes));
    }
    return n;
}

/* Draws again until all edges are wanted.  Returns how many draws were thrown away. */
INLINE uint64_t redraw_width(const rmat_view *v, uint64_t first, uint64_t count, void *src,
                             void *dst, const int id_bytes)
{
    const unwanted_ends u = {v->rows - 1, v->cols - 1,
                             (v->transform & RMAT_TRANSFORM_NO_LOOPS) != 0};
    _Alignas(64) uint64_t new_src[BATCH], new_dst[BATCH];
    _Alignas(64) uint32_t list[BATCH + W];
    uint64_t n, redraws = 0;

    if (!u.loops) {
        n = find_unwanted(&u, count, src, dst, list, id_bytes, 1, 0);
    } else if (!(v->transform & RMAT_TRANSFORM_BOUNDED)) {
        n = find_unwanted(&u, count, src, dst, list, id_bytes, 0, 1);
    } else {
        n = find_unwanted(&u, count, src, dst, list, id_bytes, 1, 1);
    }
    for (uint32_t attempt = 1; n && attempt < RMAT_ATTEMPTS; attempt++) {
        uint64_t still = 0, lanes = (n + W - 1) / W * W;

        redraws += n;
        for (uint64_t k = n; k < lanes; k++) {
            list[k] = list[0];
        }
        draw_again(v, first, lanes, list, attempt, new_src, new_dst);
        for (uint64_t k = 0; k < n; k++) {
            const uint32_t i = list[k];

            set_id(src, i, new_src[k], id_bytes);
            set_id(dst, i, new_dst[k], id_bytes);
            list[still] = i; /* written whether it is kept or not: cheaper than a branch */
            still += is_unwanted(&u, new_src[k], new_dst[k]);
        }
        n = still;
    }
    return redraws;
}

/* src and dst hold edges first, first + 1, ..., at most BATCH of them, as the first attempt drew
 * them. */
static uint64_t redraw(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                       int id_bytes)
{
    return id_bytes == 4 ? redraw_width(v, first, count, src, dst, 4)
                         : redraw_width(v, first, count, src, dst, 8);
}

#endif
