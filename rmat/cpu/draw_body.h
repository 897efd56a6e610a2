/*
 * draw_body.h - draws the ends of base edges, W at a time, for a range or a list of edges; and
 * repeats unwanted draws.
 *
 * Noise costs 10 to 16 %, because its four to six tables exceed the first-level cache.  Measured on
 * Zen 4 without gain: Philox words one vector ahead, and row numbers that go through memory.
 * Batches of 2048 to 4096 edges, table by table, saved a few percent with AVX-512, lost up to 5 %
 * with AVX2 and took twice the code.
 */
#ifndef RMAT_CPU_DRAW_BODY_H
#define RMAT_CPU_DRAW_BODY_H

#include "rmat/cpu/vec_body.h"

/* A bit for each lane.  64-bit lanes are ids, below 2^62, so the sign of a difference decides. */
#ifndef VEC_BELOW
#define VEC_BELOW(a, limit) VEC_BITS((vec)((a) < (limit)))
#define VEC_ABOVE(a, last)  VEC_BITS((vec)((a) > (last)))
#define VEC_EQUAL(a, b)     VEC_BITS((vec)((a) == (b)))
#endif
#define U64S_ABOVE(a, last) U64S_BITS((last) - (a))
#define U64S_EQUAL(a, b)    U64S_BITS(((a) ^ (b)) - 1)

/*
 * One block of Philox4x32-10 for each of W edges.
 *
 * On x86 each edge has its own 64-bit lane.  The low half of a product is then in place, and a
 * shift brings down its high half.  Bits above 32 may hold anything, because the multiplier ignores
 * them.  At the end two vectors, of the even and of the odd edges, are packed into one of 32-bit
 * words.  If one instruction collects the high halves of two vectors (PHILOX_WHOLE), edges have
 * 32-bit lanes throughout, in one vector.
 *
 * The edges differ only in their low index word.  So the second multiplication of round 1 and the
 * first of round 2 have scalar operands and are done once for all edges.
 */

#ifdef PHILOX_WHOLE
enum { PHILOX_PARTS = 1 };
typedef vec philox_vec;
typedef uint32_t philox_word;

INLINE void philox_split(vec index, vec parts[1])
{
    parts[0] = index;
}

INLINE vec philox_join(vec c[1][4], int i)
{
    return c[0][i];
}
#else
enum { PHILOX_PARTS = 2 }; /* the even and the odd edges */
typedef u64s philox_vec;
typedef uint64_t philox_word;

INLINE void philox_product(u64s a, u64s b, u64s *high, u64s *low)
{
    *low = PHILOX_MUL(a, b);
    *high = *low >> 32;
}

INLINE void philox_split(vec index, u64s parts[2])
{
    parts[0] = (u64s)index; /* the upper halves of even lanes are ignored */
    parts[1] = (u64s)index >> 32;
}

INLINE vec philox_join(u64s c[2][4], int i)
{
    return PHILOX_PACK(c[0][i], c[1][i]);
}
#endif

/* Both key words of the ten rounds, widened for the lanes. */
typedef struct {
    philox_word k[10][2];
} vec_keys;

static vec_keys make_keys(uint64_t seed)
{
    vec_keys keys;

    for (uint32_t round = 0; round < 10; round++) {
        keys.k[round][0] = (uint32_t)seed + round * 0x9E3779B9u;
        keys.k[round][1] = (uint32_t)(seed >> 32) + round * 0xBB67AE85u;
    }
    return keys;
}

/* Applies the rounds from number `from` on to the counters c, and writes the words to w[0..4). */
INLINE void philox_rounds(const vec_keys *keys, const int from, philox_vec c[PHILOX_PARTS][4],
                          vec *w)
{
    const philox_vec m0 = (philox_vec){0} + 0xD2511F53u, m1 = (philox_vec){0} + 0xCD9E8D57u;
    philox_vec p, q;

#pragma GCC unroll 10
    for (int round = from; round < 10; round++) {
        for (int h = 0; h < PHILOX_PARTS; h++) {
            const philox_vec c1 = c[h][1], c3 = c[h][3];

            philox_product(c[h][0], m0, &p, &c[h][3]);
            philox_product(c[h][2], m1, &q, &c[h][1]);
            c[h][0] = q ^ c1 ^ keys->k[round][0];
            c[h][2] = p ^ c3 ^ keys->k[round][1];
        }
    }
    for (int i = 0; i < 4; i++) {
        w[i] = philox_join(c, i);
    }
}

/* Writes words 0..3 of Philox block `block` of each edge to w[0..4).  index: the low index words of
 * the edges; high: their common high index word. */
INLINE void vec_philox(const vec_keys *keys, vec index, uint32_t high, uint32_t block,
                       uint32_t purpose, vec *w)
{
    const philox_vec m0 = (philox_vec){0} + 0xD2511F53u, m1 = (philox_vec){0} + 0xCD9E8D57u;
    philox_vec parts[PHILOX_PARTS], c[PHILOX_PARTS][4], p;
    uint64_t s;
    uint32_t s0, s1;

    philox_split(index, parts);

    /* Round 1: words 0 and 1 are the same for all edges. */
    s = (uint64_t)0xCD9E8D57u * block;
    s0 = (uint32_t)(s >> 32) ^ high ^ (uint32_t)keys->k[0][0];
    s1 = (uint32_t)s;
    for (int h = 0; h < PHILOX_PARTS; h++) {
        philox_product(parts[h], m0, &p, &c[h][3]);
        c[h][2] = p ^ (purpose ^ keys->k[0][1]);
    }

    /* Round 2: so is its first product. */
    s = (uint64_t)0xD2511F53u * s0;
    for (int h = 0; h < PHILOX_PARTS; h++) {
        philox_product(c[h][2], m1, &p, &c[h][1]);
        c[h][0] = p ^ (s1 ^ keys->k[1][0]);
        c[h][2] = c[h][3] ^ ((uint32_t)(s >> 32) ^ keys->k[1][1]);
        c[h][3] = (philox_vec){0} + (uint32_t)s;
    }
    philox_rounds(keys, 2, c, w);
}

/* The same with a different block in each lane. */
INLINE void vec_philox_each(const vec_keys *keys, vec index, uint32_t high, vec block,
                            uint32_t purpose, vec *w)
{
    philox_vec parts[PHILOX_PARTS], blocks[PHILOX_PARTS], c[PHILOX_PARTS][4];

    philox_split(index, parts);
    philox_split(block, blocks);
    for (int h = 0; h < PHILOX_PARTS; h++) {
        c[h][0] = parts[h];
        c[h][1] = (philox_vec){0} + high;
        c[h][2] = blocks[h];
        c[h][3] = (philox_vec){0} + purpose;
    }
    philox_rounds(keys, 0, c, w);
}

/*
 * Draws the ends of base edges, W at a time, for a range or a list of edges.
 *
 * Per group, the chosen path is the minimum of the random word and the table row, because both have
 * their fraction in the top bits: the smaller one has the path below it (STREAM.md).  Equal
 * fractions, a tie, make their exclusive or small.  rmat_draw_edge() makes such edges again, after
 * the loop.
 */

/* Groups whose bits fit into a 32-bit lane. */
#define LANE_GROUPS 5

/* Vectors after which the ties found so far are settled. */
#define SETTLE 64

/* The bits of each lane, followed by six more from the low end of `six`. */
#ifndef VEC_APPEND
#define VEC_APPEND(bits, six) vec_select(63, six, (bits) << 6)
#endif

typedef struct {
    vec src, dst;
} vec_ends;

/* The bits that groups [from, to) give.  Lowers *closest to the least exclusive or of a word and
 * its row. */
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

/* The number of ids up to the next cache line.  Large arrays from malloc() start 16 bytes into a
 * line, and vectors that straddle two lines cost a tenth of the speed. */
static uint64_t to_next_line(const void *ids, int id_bytes)
{
    return -(uintptr_t)ids % 64 / (uint64_t)id_bytes;
}

/* Draws edge e by the reference and stores it at place i. Out of line, because it is rare. */
static __attribute__((noinline)) void settle(const rmat_view *v, uint64_t e, uint32_t attempt,
                                             uint64_t i, void *src, void *dst, int id_bytes)
{
    uint64_t s, d;

    rmat_draw_edge(v, e, attempt, &s, &d);
    set_id(src, i, s, id_bytes);
    set_id(dst, i, d, id_bytes);
}

/* Draws edges first + i or, with a list, first + list[i], to places i, for i < count.  Branches on
 * groups, id_bytes and the absence of a list vanish if these are constants. */
INLINE void draw_groups(const rmat_view *v, uint64_t first, uint64_t count, const uint32_t *list,
                        uint32_t attempt, void *src, void *dst, const int groups,
                        const int id_bytes)
{
    const int low_from = groups > LANE_GROUPS ? groups - LANE_GROUPS : 0;
    const int mid_from = low_from > LANE_GROUPS ? low_from - LANE_GROUPS : 0;
    const uint32_t tie_limit = 1u << (32 - rmat_fraction_bits(groups));
    const uint64_t whole = count - count % W;
    vec_keys keys = make_keys(v->seed);

    /* Makes the compiler read the keys from memory, as operands.  Otherwise it would compute them
     * again in every iteration. */
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
                           attempt * RMAT_ATTEMPT_STEP + (uint32_t)b, PHILOX_EDGE, w + 4 * b);
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
            tied_lanes[tied] = VEC_BELOW(closest, tie_limit);
            tied += tied_lanes[tied] != 0;
        }
        /* Only here: a call inside the loop would make the loop spill its registers. */
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
    /* gcc omits this after calls of settle(). Without it, later SSE code of the thread would take
     * up to three times as long. */
    _mm256_zeroupper();
#endif
}

/* Ids of 4 bytes, up to scale 32, have at most six groups. */
#define DRAW_CASE(groups)                                                                          \
    case groups:                                                                                   \
        if (groups <= 6 && id_bytes == 4) {                                                        \
            draw_groups(v, first, count, NULL, 0, src, dst, groups, 4);                            \
        } else {                                                                                   \
            draw_groups(v, first, count, NULL, 0, src, dst, groups, 8);                            \
        }                                                                                          \
        break

/* Draws edges [first, first + count), the first attempt, with separate code per number of
 * groups. */
static void draw(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                 int id_bytes)
{
    switch (v->groups) {
        DRAW_CASE(1);
        DRAW_CASE(2);
        DRAW_CASE(3);
        DRAW_CASE(4);
        DRAW_CASE(5);
        DRAW_CASE(6);
        DRAW_CASE(7);
        DRAW_CASE(8);
        DRAW_CASE(9);
        DRAW_CASE(10);
        DRAW_CASE(11);
    }
}

/* Draws edges first + list[0..count), at any attempt; count is a multiple of W.  One code for all
 * numbers of groups is a few percent slower than one for each, and half as large. */
static void draw_again(const rmat_view *v, uint64_t first, uint64_t count, const uint32_t *list,
                       uint32_t attempt, uint64_t *src, uint64_t *dst)
{
    draw_groups(v, first, count, list, attempt, src, dst, v->groups, 8);
}

#ifndef LIST_LANES
INLINE uint64_t list_lanes(unsigned bits, uint32_t i, uint32_t *list)
{
    uint64_t n = 0;

    for (uint32_t l = 0; l < W; l++) {
        list[n] = i + l; /* stored always: cheaper than a branch */
        n += bits >> l & 1;
    }
    return n;
}
#endif

/* Repeats the unwanted draws of a batch: all of them together, W at a time, then those that are
 * still unwanted, and so on.  So even a batch that discards most draws keeps its lanes busy, and
 * all lanes have the same attempt number. */

/* The draws to discard: ends beyond the last vertices and, if loops is 1, loops. */
typedef struct {
    uint64_t last_src, last_dst;
    uint32_t loops;
} unwanted_ends;

INLINE uint32_t is_unwanted(const unwanted_ends *u, uint64_t src, uint64_t dst)
{
    return (src > u->last_src) | (dst > u->last_dst) | ((src == dst) & u->loops);
}

/* A bit for each unwanted edge among W edges (ids of 4 bytes) or W / 2 (of 8). */
INLINE unsigned unwanted_bits(const unwanted_ends *u, const void *src, const void *dst,
                              const int id_bytes, const int bounded, const int no_loops)
{
    unsigned bits = 0;
    vec s, d;

    memcpy(&s, src, sizeof s);
    memcpy(&d, dst, sizeof d);
    if (id_bytes == 4) {
        bits |= bounded ? VEC_ABOVE(s, (uint32_t)u->last_src) : 0;
        bits |= bounded ? VEC_ABOVE(d, (uint32_t)u->last_dst) : 0;
        bits |= no_loops ? VEC_EQUAL(s, d) : 0;
    } else {
        bits |= bounded ? U64S_ABOVE((u64s)s, u->last_src) : 0;
        bits |= bounded ? U64S_ABOVE((u64s)d, u->last_dst) : 0;
        bits |= no_loops ? U64S_EQUAL((u64s)s, (u64s)d) : 0;
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

/* Repeats draws until all edges are wanted.  src and dst hold edges first, first + 1, ..., at most
 * BATCH of them, from the first attempt. */
INLINE void redraw(const rmat_view *v, uint64_t first, uint64_t count, void *src, void *dst,
                   const int id_bytes)
{
    const unwanted_ends u = {v->rows - 1, v->cols - 1,
                             (v->transform & RMAT_TRANSFORM_NO_LOOPS) != 0};
    _Alignas(64) uint64_t new_src[BATCH], new_dst[BATCH];
    _Alignas(64) uint32_t list[BATCH + W];
    uint64_t n;

    if (!u.loops) {
        n = find_unwanted(&u, count, src, dst, list, id_bytes, 1, 0);
    } else if (!(v->transform & RMAT_TRANSFORM_BOUNDED)) {
        n = find_unwanted(&u, count, src, dst, list, id_bytes, 0, 1);
    } else {
        n = find_unwanted(&u, count, src, dst, list, id_bytes, 1, 1);
    }
    for (uint32_t attempt = 1; n && attempt < RMAT_ATTEMPTS; attempt++) {
        uint64_t still = 0, lanes = (n + W - 1) / W * W;

        for (uint64_t k = n; k < lanes; k++) {
            list[k] = list[0];
        }
        draw_again(v, first, lanes, list, attempt, new_src, new_dst);
        for (uint64_t k = 0; k < n; k++) {
            const uint32_t i = list[k];

            set_id(src, i, new_src[k], id_bytes);
            set_id(dst, i, new_dst[k], id_bytes);
            list[still] = i; /* stored always: cheaper than a branch */
            still += is_unwanted(&u, new_src[k], new_dst[k]);
        }
        n = still;
    }
}

#endif
