/*
 * transform_body.h - edges of models with options, batch by batch: drawn into buffers that stay in
 * the first-level cache, with 4 bytes per id if that is enough, drawn again where unwanted,
 * permuted, directed, and then widened or written in both directions.
 */
#ifndef RMAT_CPU_TRANSFORM_BODY_H
#define RMAT_CPU_TRANSFORM_BODY_H

#include "rmat/cpu/permute_body.h"
#include "rmat/cpu/redraw_body.h"

/* The larger end of each edge to `more`, the smaller to `less`.  Plain loops, which the compiler
 * vectorises for the instruction set of the including file. */
#define ORDER(name, id)                                                                            \
    static void name(uint64_t count, id *restrict more, id *restrict less)                         \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            id x = more[i], y = less[i];                                                           \
                                                                                                   \
            more[i] = x > y ? x : y;                                                               \
            less[i] = x > y ? y : x;                                                               \
        }                                                                                          \
    }
ORDER(order32, uint32_t)
ORDER(order64, uint64_t)

static void order(uint64_t count, void *more, void *less, int id_bytes)
{
    if (id_bytes == 4) {
        order32(count, more, less);
    } else {
        order64(count, more, less);
    }
}

/* Each edge, then its reverse. */
#define BOTH_WAYS(name, from, to)                                                                  \
    static void name(uint64_t count, const from *restrict s, const from *restrict d,               \
                     to *restrict src, to *restrict dst)                                           \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            src[2 * i] = s[i];                                                                     \
            src[2 * i + 1] = d[i];                                                                 \
            dst[2 * i] = d[i];                                                                     \
            dst[2 * i + 1] = s[i];                                                                 \
        }                                                                                          \
    }
BOTH_WAYS(both_ways32, uint32_t, uint32_t)
BOTH_WAYS(both_ways_widened, uint32_t, uint64_t)
BOTH_WAYS(both_ways64, uint64_t, uint64_t)

/* Makes base edges [first, first + count), at most BATCH, each once or in both directions.  Returns
 * how many draws were thrown away. */
static uint64_t transform_batch(const rmat_view *v, uint64_t first, uint64_t count, void *src,
                                void *dst, int id_bytes)
{
    const int permuted = (v->transform & RMAT_TRANSFORM_PERMUTED) != 0;
    const int symmetric = (v->transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const int narrow = (v->src_mask | v->dst_mask) >> 32 == 0;
    const int bytes = (permuted || symmetric) && narrow ? 4 : id_bytes; /* of a drawn id */
    _Alignas(64) uint64_t src_buffer[BATCH], dst_buffer[BATCH];
    void *s = src, *d = dst;
    uint64_t redraws = 0;

    if (symmetric || bytes != id_bytes) {
        s = src_buffer;
        d = dst_buffer;
    }
    draw(v, first, count, s, d, bytes);
    if (v->transform & RMAT_TRANSFORM_REDRAWN) {
        redraws = redraw(v, first, count, s, d, bytes);
    }
    if (permuted) {
        void *to[2] = {symmetric ? s : src, symmetric ? d : dst};
        const int to_bytes = symmetric ? bytes : id_bytes;

        permute(&v->permutation[0], count, s, bytes, to[0], to_bytes);
        permute(&v->permutation[1], count, d, bytes, to[1], to_bytes);
        s = to[0];
        d = to[1];
    }
    if (v->transform & RMAT_TRANSFORM_LOWER) {
        order(count, s, d, symmetric ? bytes : id_bytes);
    }
    if (v->transform & RMAT_TRANSFORM_UPPER) {
        order(count, d, s, symmetric ? bytes : id_bytes);
    }
    if (symmetric) {
        if (bytes == 8) {
            both_ways64(count, s, d, src, dst);
        } else if (id_bytes == 8) {
            both_ways_widened(count, s, d, src, dst);
        } else {
            both_ways32(count, s, d, src, dst);
        }
    }
    return redraws;
}

/* Makes one edge of the stream by the reference. */
static uint64_t transform_edge(const rmat_view *v, uint64_t e, void *src, void *dst, int id_bytes)
{
    uint64_t s, d, redraws = rmat_edge_at(v, e, &s, &d);

    set_id(src, 0, s, id_bytes);
    set_id(dst, 0, d, id_bytes);
    return redraws;
}

/* Makes edges [first, first + count) of the stream.  Returns the redraws; with symmetrize, those of
 * the even edges. */
static uint64_t transform_range(const rmat_view *v, uint64_t first, uint64_t count, void *src,
                                void *dst, int id_bytes)
{
    const uint64_t ways = v->transform & RMAT_TRANSFORM_SYMMETRIC ? 2 : 1;
    char *s = src, *d = dst;
    uint64_t redraws = 0;

    if (first % ways && count) {
        (void)transform_edge(v, first++, s, d, id_bytes);
        s += id_bytes;
        d += id_bytes;
        count--;
    }
    while (count >= ways) {
        const uint64_t head = to_next_line(s, id_bytes) / ways;
        uint64_t n = count / ways < BATCH ? count / ways : head ? head : BATCH;

        redraws += transform_batch(v, first / ways, n, s, d, id_bytes);
        n *= ways;
        first += n;
        count -= n;
        s += n * (uint64_t)id_bytes;
        d += n * (uint64_t)id_bytes;
    }
    if (count) {
        redraws += transform_edge(v, first, s, d, id_bytes);
    }
#ifdef __AVX__
    _mm256_zeroupper();
#endif
    return redraws;
}

#endif
