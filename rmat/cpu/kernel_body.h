/*
 * kernel_body.h - the CPU kernels, for W edges at a time, written once with the vector extensions
 * that gcc and clang share.  A *_body.h file is compiled several times: each instruction set has a
 * .c file, which defines the operations that the extensions lack and includes this file:
 *
 *   W                            edges at a time
 *   PHILOX_MUL(a, b)             product of the low halves of 64-bit lanes, as a u64s
 *   PHILOX_PACK(even, odd)       the low halves of two u64s, interleaved, as a vec
 *   PACK_HIGH(even, odd)         their high halves
 *   VEC_BITS(lanes)              a bit for each lane of ones; U64S_BITS(lanes): the highest bits
 *   vec_min(a, b)
 *   vec_lookup(table, index)     table[i] for each lane i of index
 *   vec_widen(a, half)           half of the lanes, as a u64s
 *   vec_reverse(a)               the bits of each lane in reverse order; not with VEC_BYTES
 *
 * and, if the processor has instructions for them,
 *
 *   PHILOX_WHOLE                 defined if there is philox_product(a, b, &high, &low): both halves
 *                                of the products of 32-bit lanes
 *   VEC_BYTES(a, of)             the bytes of a at the places `of`, within each 16 bytes; with it
 *                                VEC_16(bytes), 16 bytes repeated
 *   VEC_BELOW(a, limit), VEC_ABOVE(a, last), VEC_EQUAL(a, b): a bit per lane, without VEC_BITS
 *   VEC_APPEND(bits, six)        bits << 6 | (six & 63)
 *   VEC_RANK(rank, a, b)         rank, plus 1 where a > b
 *   LIST_LANES                   defined if there is list_lanes(bits, i, list)
 *
 * list_lanes() appends i + l to list, which has room for W more, for each lane l with a set bit,
 * and returns their number.
 *
 * draw_body.h draws plain edges directly into the caller's arrays.  official_body.h makes the edges
 * of official streams, and rows_body.h those of the stream `rows`.  Those of models with options
 * (permutation, weights, batches of edges) are made here.
 */
#ifndef RMAT_CPU_KERNEL_BODY_H
#define RMAT_CPU_KERNEL_BODY_H

#include "rmat/cpu/draw_body.h"
#include "rmat/cpu/official_body.h"
#include "rmat/cpu/rows_body.h"

/*
 * The permutation (permutation.h) of a batch of vertices, in lanes as wide as their ids.
 *
 * A number of up to 32 bits in a 32-bit lane leaves each round at the top of its lane.  The bits
 * above it overflow and vanish, and a reversal of the lane brings the number down.  Numbers beyond
 * the vertices are listed.  They walk on along their cycles together, W at a time.
 */

#ifdef VEC_BYTES
/* The bits of each lane in reverse order.  Looks up half bytes and reverses them: the lower ones
 * become the upper ones, and vice versa. */
INLINE vec vec_reverse(vec a)
{
    const vec upper = VEC_16(_mm_setr_epi8(0x00, -0x80, 0x40, -0x40, 0x20, -0x60, 0x60, -0x20, 0x10,
                                           -0x70, 0x50, -0x30, 0x30, -0x50, 0x70, -0x10));
    const vec lower = VEC_16(_mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
    const vec bytes = VEC_16(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));

    return VEC_BYTES(VEC_BYTES(upper, a & 0x0F0F0F0Fu) | VEC_BYTES(lower, a >> 4 & 0x0F0F0F0Fu),
                     bytes);
}
#endif

/* One round of rmat_permute_bits(), for 2 to 32 bits, which it leaves at the top of each lane. */
INLINE vec permute_round(const rmat_permutation *p, int r, vec x)
{
    const int up = 32 - p->bits;

    x = r == 0 ? x : vec_reverse(x);
    return x * ((x << (up + 1)) + (p->b[r] << up)) + ((uint32_t)p->k[r] << up);
}

/* rmat_permute_bits() of each lane, for 2 to 32 bits. */
INLINE vec permute_vec(const rmat_permutation *p, vec x)
{
    const int rounds = rmat_permute_rounds(p);

#pragma GCC unroll 4
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        x = permute_round(p, r, x);
    }
    for (int r = RMAT_PERMUTE_ROUNDS; r < rounds; r++) {
        x = permute_round(p, r, x);
    }
    return x >> (32 - p->bits);
}

/* The same for more bits: the lower and the upper 32 of them. */
INLINE void permute_wide(const rmat_permutation *p, vec *low, vec *high)
{
    const uint32_t upper = ((uint32_t)1 << (p->bits - 32)) - 1;
    vec x = *low, y = *high;

#pragma GCC unroll 4
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        x = r == 0 ? x : vec_reverse(x + y * RMAT_PERMUTE_SPREAD);

        const vec m = x + x + p->b[r];
        const u64s even = PHILOX_MUL(x, m) + p->k[r];
        const u64s odd = PHILOX_MUL((u64s)x >> 32, (u64s)m >> 32) + p->k[r];

        y = (y * m + PACK_HIGH(even, odd)) & upper;
        x = PHILOX_PACK(even, odd);
    }
    *low = x;
    *high = y;
}

/* Permutes W ids once, from ids of 4 or 8 bytes to ids that are no narrower.  Returns a bit for
 * each lane with a result beyond the vertices. */
INLINE unsigned permute_once(const rmat_permutation *p, const void *from, const int from_bytes,
                             void *to, const int to_bytes)
{
    unsigned beyond = 0;

    if (from_bytes == 4) {
        vec x;

        memcpy(&x, from, sizeof x);
        x = permute_vec(p, x);
        beyond = VEC_ABOVE(x, (uint32_t)(p->vertices - 1));
        if (to_bytes == 4) {
            memcpy(to, &x, sizeof x);
        }
        for (int h = 0; h < 2 && to_bytes == 8; h++) {
            u64s wide = vec_widen(x, h);

            memcpy((char *)to + (size_t)h * sizeof wide, &wide, sizeof wide);
        }
    } else {
        u64s x[2];
        vec low, high;

        memcpy(x, from, sizeof x);
        low = PHILOX_PACK(x[0], x[1]);
        high = PACK_HIGH(x[0], x[1]);
        if (p->bits > 32) {
            permute_wide(p, &low, &high);
        } else {
            low = permute_vec(p, low);
        }
        x[0] = (u64s)PHILOX_PACK((u64s)low, (u64s)high);
        x[1] = (u64s)PACK_HIGH((u64s)low, (u64s)high);
        for (int h = 0; h < 2; h++) {
            beyond |= U64S_ABOVE(x[h], p->vertices - 1) << h * (W / 2);
        }
        memcpy(to, x, sizeof x);
    }
    return beyond;
}

/* Permutes the n listed ids repeatedly, until each is below the vertices. */
INLINE void walk_on(const rmat_permutation *p, uint64_t n, uint32_t *list, void *ids,
                    const int lane_bytes, const int id_bytes)
{
    _Alignas(64) uint64_t walking[BATCH];

    while (n) {
        const uint64_t lanes = (n + W - 1) / W * W;
        uint64_t still = 0;

        for (uint64_t k = 0; k < n; k++) {
            set_id(walking, k, id_at(ids, list[k], id_bytes), lane_bytes);
        }
        for (uint64_t k = n; k < lanes; k++) {
            set_id(walking, k, 0, lane_bytes);
        }
        for (uint64_t k = 0; k < lanes; k += W) {
            char *at = (char *)walking + k * (uint64_t)lane_bytes;

            (void)permute_once(p, at, lane_bytes, at, lane_bytes);
        }
        for (uint64_t k = 0; k < n; k++) {
            const uint64_t x = id_at(walking, k, lane_bytes);

            set_id(ids, list[k], x, id_bytes);
            list[still] = list[k];
            still += x >= p->vertices;
        }
        n = still;
    }
}

/* Permutes count ids; walk: whether some results may lie beyond the vertices. */
INLINE void permute_ids(const rmat_permutation *p, uint64_t count, const char *from,
                        const int from_bytes, char *to, const int to_bytes, const int walk)
{
    _Alignas(64) uint32_t list[BATCH + W];
    const uint64_t lanes = p->bits > 1 ? count / W * W : 0;
    uint64_t n = 0, i = 0;

    for (; i < lanes; i += W) {
        unsigned beyond = permute_once(p, from + i * (uint64_t)from_bytes, from_bytes,
                                       to + i * (uint64_t)to_bytes, to_bytes);

        if (walk && beyond) {
            n += list_lanes(beyond, (uint32_t)i, list + n);
        }
    }
    for (; i < count; i++) {
        set_id(to, i, rmat_permute_vertex(p, id_at(from, i, from_bytes)), to_bytes);
    }
    if (walk) {
        walk_on(p, n, list, to, from_bytes, to_bytes);
    }
}

#define PERMUTE_CASE(from_bytes, to_bytes)                                                         \
    if (walk) {                                                                                    \
        permute_ids(&p, count, from, from_bytes, to, to_bytes, 1);                                 \
    } else {                                                                                       \
        permute_ids(&p, count, from, from_bytes, to, to_bytes, 0);                                 \
    }

/* Permutes at most BATCH ids; of 4 bytes only if the side has up to 32 bits.  `to` may be `from` if
 * both are equally wide. */
static void permute(const rmat_permutation *permutation, uint64_t count, const void *from,
                    int from_bytes, void *to, int to_bytes)
{
    const rmat_permutation p = *permutation; /* a copy, which no store can alias */
    const int walk = p.vertices != (uint64_t)1 << p.bits;

    if (from_bytes == 8) {
        PERMUTE_CASE(8, 8)
    } else if (to_bytes == 8) {
        PERMUTE_CASE(4, 8)
    } else {
        PERMUTE_CASE(4, 4)
    }
}

/* The weights (weight.h) of given edges, by plain loops, which the compiler vectorizes for the
 * instruction set of the including file.  kind: a constant. */
enum { UNIFORM, FLOAT, INT };

INLINE void weigh(const rmat_weighing *how, uint64_t count, const void *restrict src,
                  const void *restrict dst, void *restrict weight, const int kind,
                  const int id_bytes)
{
    const rmat_weighing h = *how;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits =
            rmat_weight_hash(h.key, id_at(src, i, id_bytes), id_at(dst, i, id_bytes));

        if (kind == INT) {
            ((int32_t *)weight)[i] = rmat_weight_int(bits, h.min, h.range);
        } else {
            ((float *)weight)[i] = kind == UNIFORM ? rmat_weight_uniform(bits)
                                                   : rmat_weight_float(bits, h.low, h.span, h.high);
        }
    }
}

/* rmat_cpu_kernels.weights */
static void weights(const rmat_weighing *how, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight)
{
    if (how->range != 0) {
        BY_WIDTH(id_bytes, weigh, how, count, src, dst, weight, INT);
    } else if (how->low == 0 && how->span == 1) {
        BY_WIDTH(id_bytes, weigh, how, count, src, dst, weight, UNIFORM);
    } else {
        BY_WIDTH(id_bytes, weigh, how, count, src, dst, weight, FLOAT);
    }
}

/* Edges of models with options, batch by batch.  They are drawn into buffers that stay in the
 * first-level cache, with 4 bytes per id if that is enough.  Unwanted draws are repeated.  Then the
 * ids are permuted, directed, and widened or written in both directions. */

/* The larger end of each edge goes to `more`, the smaller to `less`.  A plain loop, which the
 * compiler vectorizes for the instruction set of the including file. */
INLINE void order_ends(uint64_t count, void *restrict more, void *restrict less, const int id_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = id_at(more, i, id_bytes), y = id_at(less, i, id_bytes);

        set_id(more, i, x > y ? x : y, id_bytes);
        set_id(less, i, x > y ? y : x, id_bytes);
    }
}

/* Each edge, then its reverse. */
INLINE void both_ways(uint64_t count, const void *restrict s, const void *restrict d,
                      const int from_bytes, void *restrict src, void *restrict dst,
                      const int to_bytes)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t x = id_at(s, i, from_bytes), y = id_at(d, i, from_bytes);

        set_id(src, 2 * i, x, to_bytes);
        set_id(src, 2 * i + 1, y, to_bytes);
        set_id(dst, 2 * i, y, to_bytes);
        set_id(dst, 2 * i + 1, x, to_bytes);
    }
}

/* Makes base edges [first, first + count), at most BATCH, each once or in both directions. */
static void transform_batch(const rmat_view *v, uint64_t first, uint64_t count, void *src,
                            void *dst, int id_bytes)
{
    const int permuted = (v->transform & RMAT_TRANSFORM_PERMUTED) != 0;
    const int symmetric = (v->transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const int narrow = (v->src_mask | v->dst_mask) >> 32 == 0;
    const int drawn_bytes = (permuted || symmetric) && narrow ? 4 : id_bytes;
    const int base_bytes = symmetric ? drawn_bytes : id_bytes; /* of base edges */
    _Alignas(64) uint64_t src_buffer[BATCH], dst_buffer[BATCH];
    const int buffered = symmetric || drawn_bytes != id_bytes;
    void *const drawn[2] = {buffered ? src_buffer : src, buffered ? dst_buffer : dst};
    void *const base[2] = {symmetric ? src_buffer : src, symmetric ? dst_buffer : dst};

    draw(v, first, count, drawn[0], drawn[1], drawn_bytes);
    if (v->transform & RMAT_TRANSFORM_REDRAWN) {
        BY_WIDTH(drawn_bytes, redraw, v, first, count, drawn[0], drawn[1]);
    }
    for (int side = 0; side < 2 && permuted; side++) {
        permute(&v->permutation[side], count, drawn[side], drawn_bytes, base[side], base_bytes);
    }
    if (v->transform & RMAT_TRANSFORM_LOWER) {
        BY_WIDTH(base_bytes, order_ends, count, base[0], base[1]);
    }
    if (v->transform & RMAT_TRANSFORM_UPPER) {
        BY_WIDTH(base_bytes, order_ends, count, base[1], base[0]);
    }
    if (symmetric && base_bytes == 8) {
        both_ways(count, base[0], base[1], 8, src, dst, 8);
    } else if (symmetric) {
        BY_WIDTH(id_bytes, both_ways, count, base[0], base[1], 4, src, dst);
    }
}

/* Makes one edge of the stream by the reference. */
static void transform_edge(const rmat_view *v, uint64_t e, void *src, void *dst, int id_bytes)
{
    uint64_t s, d;

    rmat_edge_at(v, e, &s, &d);
    set_id(src, 0, s, id_bytes);
    set_id(dst, 0, d, id_bytes);
}

/* Makes edges [first, first + count) of the stream. */
static void transform_range(const rmat_view *v, uint64_t first, uint64_t count, void *src,
                            void *dst, int id_bytes)
{
    const uint64_t ways = v->transform & RMAT_TRANSFORM_SYMMETRIC ? 2 : 1;
    char *s = src, *d = dst;

    if (first % ways && count) {
        transform_edge(v, first++, s, d, id_bytes);
        s += id_bytes;
        d += id_bytes;
        count--;
    }
    while (count >= ways) {
        const uint64_t head = to_next_line(s, id_bytes) / ways;
        uint64_t n = count / ways < BATCH ? count / ways : head ? head : BATCH;

        transform_batch(v, first / ways, n, s, d, id_bytes);
        n *= ways;
        first += n;
        count -= n;
        s += n * (uint64_t)id_bytes;
        d += n * (uint64_t)id_bytes;
    }
    if (count) {
        transform_edge(v, first, s, d, id_bytes);
    }
#ifdef __AVX__
    _mm256_zeroupper();
#endif
}

/* rmat_cpu_kernels.generate */
static void generate(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                     int id_bytes)
{
    const uint64_t head = to_next_line(src, id_bytes);

    if (v->transform) {
        transform_range(v, first, count, src, dst, id_bytes);
        return;
    }
    if (head && count >= SETTLE * W) {
        draw(v, first, head, src, dst, id_bytes);
        first += head;
        count -= head;
        src = (char *)src + head * (uint64_t)id_bytes;
        dst = (char *)dst + head * (uint64_t)id_bytes;
    }
    draw(v, first, count, src, dst, id_bytes);
}

/* A plain loop, which the compiler vectorizes for the instruction set of the including file. */
INLINE uint64_t sum_hashes(const void *src, const void *dst, uint64_t count, const int id_bytes)
{
    uint64_t sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        sum += rmat_edge_hash(id_at(src, i, id_bytes), id_at(dst, i, id_bytes));
    }
    return sum;
}

/* rmat_cpu_kernels.fingerprint */
static uint64_t fingerprint(const void *src, const void *dst, uint64_t count, int id_bytes)
{
    return BY_WIDTH(id_bytes, sum_hashes, src, dst, count);
}

#define RMAT_CPU_KERNELS                                                                           \
    {                                                                                              \
        generate, weights, fingerprint, graph500, gapbs, rows                                      \
    }

#endif
