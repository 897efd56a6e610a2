/*
 * Draws again the edges of a block that are not wanted: all of them at once, W at a time, then
 * those among them that still are not, and so on.  So even a block that throws most draws away
 * keeps its lanes busy, and the attempt is the same in all of them.
 */
#ifndef RMAT_CPU_REDRAW_H
#define RMAT_CPU_REDRAW_H

#include "rmat/cpu_block.h"
#include "rmat/cpu_draw.h"

/* Unwanted: src > last_src, dst > last_dst, or with loops src == dst. */
typedef struct {
    uint64_t last_src, last_dst, loops; /* loops: no bits or all */
} unwanted_ends;

INLINE vec unwanted32(const unwanted_ends *u, vec src, vec dst)
{
    return (vec)(src > (uint32_t)u->last_src) | (vec)(dst > (uint32_t)u->last_dst) |
           ((vec)(src == dst) & (uint32_t)u->loops);
}

INLINE u64s unwanted64(const unwanted_ends *u, u64s src, u64s dst)
{
    return (u64s)(src > u->last_src) | (u64s)(dst > u->last_dst) | ((u64s)(src == dst) & u->loops);
}

INLINE uint32_t is_unwanted(const unwanted_ends *u, uint64_t src, uint64_t dst)
{
    return (src > u->last_src) | (dst > u->last_dst) | ((src == dst) & (u->loops != 0));
}

/* Lists the unwanted ones of the block's edges; list has room for W more than there are. */
INLINE uint64_t find_unwanted(const unwanted_ends *u, uint64_t count, const void *src,
                              const void *dst, uint32_t *list, const int id_bytes)
{
    const uint64_t whole = count - count % W;
    uint64_t n = 0;

    for (uint64_t i = 0; i < whole; i += W) {
        const char *s = (const char *)src + i * (uint64_t)id_bytes;
        const char *d = (const char *)dst + i * (uint64_t)id_bytes;
        unsigned bits = 0;

        for (int h = 0; h < id_bytes / 4; h++) {
            vec x, y;

            memcpy(&x, s + h * (int)sizeof x, sizeof x);
            memcpy(&y, d + h * (int)sizeof y, sizeof y);
            bits |= id_bytes == 4 ? vec_bits(unwanted32(u, x, y))
                                  : u64s_bits(unwanted64(u, (u64s)x, (u64s)y)) << h * (W / 2);
        }
        if (bits) {
            n += list_lanes(bits, (uint32_t)i, list + n);
        }
    }
    for (uint64_t i = whole; i < count; i++) {
        list[n] = (uint32_t)i;
        n += is_unwanted(u, id_at(src, i, id_bytes), id_at(dst, i, id_bytes));
    }
    return n;
}

/* Returns how many draws were thrown away. */
INLINE uint64_t redraw_width(const rmat_view *v, uint64_t first, uint64_t count, void *src,
                             void *dst, const int id_bytes)
{
    const unwanted_ends u = {v->rows - 1, v->cols - 1, v->shape & RMAT_SHAPE_NO_LOOPS ? ~0ull : 0};
    _Alignas(64) uint64_t new_src[BLOCK], new_dst[BLOCK];
    _Alignas(64) uint32_t list[BLOCK + W];
    uint64_t n = find_unwanted(&u, count, src, dst, list, id_bytes), redraws = 0;

    for (uint32_t attempt = 1; n && attempt < RMAT_ATTEMPTS; attempt++) {
        uint64_t still = 0, lanes = (n + W - 1) / W * W;

        redraws += n;
        for (uint64_t k = n; k < lanes; k++) {
            list[k] = list[0];
        }
        draw_again(v, first, lanes, list, attempt, new_src, new_dst, id_bytes);
        for (uint64_t k = 0; k < n; k++) {
            const uint64_t x = id_at(new_src, k, id_bytes), y = id_at(new_dst, k, id_bytes);
            const uint32_t i = list[k];

            set_id(src, i, x, id_bytes);
            set_id(dst, i, y, id_bytes);
            list[still] = i;
            still += is_unwanted(&u, x, y);
        }
        n = still;
    }
    return redraws;
}

/* The edges first, first + 1, ... as drawn by the first attempt, at most BLOCK of them. */
static uint64_t redraw(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                       int id_bytes)
{
    return id_bytes == 4 ? redraw_width(v, first, count, src, dst, 4)
                         : redraw_width(v, first, count, src, dst, 8);
}

#endif
