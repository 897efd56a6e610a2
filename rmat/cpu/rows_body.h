/*
 * rows_body.h - the stream `rows` (ROWS.md) below nodes of at most 128 edges, W lanes at a time.
 *
 * Nodes on the stack are thrown together.  A lane is a part of a node, at most 32 edges; it
 * compares their numbers with the chance digit by digit.  Edges in the queue are drawn together,
 * from all cells: a lane is an edge, with the tables of its row's bits.  Then the edges of each
 * cell are ranked, which sorts them, and written to their places.  Edges of more than five groups
 * take more bits from a second Philox block (the `rest`), up to ten groups in all.  They are ranked
 * without the rest, which seldom decides.
 */
#ifndef RMAT_CPU_ROWS_BODY_H
#define RMAT_CPU_ROWS_BODY_H

#include "rmat/cpu/draw_body.h"
#include "rmat/rows/rows.h"

/* rank + 1 in lanes where a > b, both below 2^31. */
#ifndef VEC_RANK
#define VEC_RANK(rank, a, b) ((rank) - (vec)((signed_vec)(a) > (signed_vec)(b)))
#endif

typedef int32_t signed_vec __attribute__((vector_size(4 * W)));

/* --- Drawing --- */

/* Writes a cell of n edges.  `key` has their bits below those of the cell, and `rest`, unless NULL,
 * has `bits` more.  An edge's place is the number of smaller keys, and of equal keys before it. */
INLINE void write_ranks(const uint32_t *key, const uint32_t *rest, int bits, uint32_t n, void *out,
                        uint64_t prefix, const uint32_t vecs, const int id_bytes)
{
    uint32_t place[RMAT_ROWS_LEAF];
    vec keys[RMAT_ROWS_LEAF / W], rank[RMAT_ROWS_LEAF / W];

    for (uint32_t v = 0; v < vecs; v++) {
        keys[v] = load_lanes(key + v * W);
        rank[v] = (vec){0};
    }
#pragma GCC unroll 8
    for (uint32_t b = 0; b < vecs; b++) {
        const uint32_t some = n - b * W < W ? n - b * W : W;

        for (uint32_t j = 0; j < some; j++) {
            const vec other = (vec){0} + key[b * W + j], least = other - 1;
            /* In lanes after it in its vector, an equal key counts. */
            const vec own = other + (vec)(lane_numbers() > j);

#pragma GCC unroll 8
            for (uint32_t v = 0; v < vecs; v++) {
                rank[v] = VEC_RANK(rank[v], keys[v], v < b ? other : v == b ? own : least);
            }
        }
    }
    for (uint32_t v = 0; v < vecs; v++) {
        store_lanes(place + v * W, rank[v]);
    }
    for (uint32_t i = 0; i < n; i++) {
        set_id(out, place[i], prefix + (rest != NULL ? (uint64_t)key[i] << bits | rest[i] : key[i]),
               id_bytes);
    }
}

#define RANKS_CASE(vecs_)                                                                          \
    case vecs_:                                                                                    \
        if (vecs_ <= RMAT_ROWS_LEAF / W) {                                                         \
            write_ranks(key, rest, bits, n, out, prefix, vecs_ <= RMAT_ROWS_LEAF / W ? vecs_ : 1,  \
                        id_bytes);                                                                 \
        }                                                                                          \
        break

INLINE void write_cell(const uint32_t *key, const uint32_t *rest, int bits, uint32_t n, void *out,
                       uint64_t prefix, const int id_bytes)
{
    switch ((n + W - 1) / W) {
        RANKS_CASE(1);
        RANKS_CASE(2);
        RANKS_CASE(3);
        RANKS_CASE(4);
        RANKS_CASE(5);
        RANKS_CASE(6);
        RANKS_CASE(7);
        RANKS_CASE(8);
    }
}

/* The number of bits of a cell's edges that the first block does not have. */
INLINE int rest_bits(const rmat_rows_view *v, int level)
{
    const int bits =
        v->levels - level - (RMAT_ROWS_GROUP * RMAT_ROWS_DRAWS - level % RMAT_ROWS_GROUP);

    return bits > 0 ? bits : 0;
}

INLINE rmat_rows_cell cell_of(const rmat_rows_item *x)
{
    return (rmat_rows_cell){x->start, x->count, x->dst, (int)x->node - RMAT_ROWS_IN_ROW, x->state};
}

/* The bits of an edge whose short fractions do not decide. */
static __attribute__((noinline)) void settle_edge(rmat_rows_lanes *l, uint32_t at)
{
    const rmat_rows_view *v = l->to->view;
    const rmat_rows_item *x = l->cell;
    uint32_t begin = 0;
    rmat_rows_cell cell;
    uint64_t bits;
    int rest;

    while (begin + x->count <= at) {
        begin += x->count;
        x++;
    }
    cell = cell_of(x);
    bits = rmat_rows_destination(v, x->src, &cell, x->start + at - begin) -
           (x->dst << (v->levels - cell.level));
    rest = rest_bits(v, cell.level);
    l->key[at] = (uint32_t)(bits >> rest);
    l->rest[at] = (uint32_t)(bits & (((uint64_t)1 << rest) - 1));
}

/* Draws the bits that one Philox block gives for the edges in the queue, up to `draws` groups each,
 * a constant. */
INLINE void draw_block(rmat_rows_lanes *l, const uint32_t block, const int draws)
{
    const uint32_t *fast = l->to->view->fast, tie_limit = draws == RMAT_ROWS_DRAWS ? 1 << 14 : 4096;
    uint32_t(*const table)[RMAT_ROWS_LANES] = l->table + block * RMAT_ROWS_DRAWS;
    uint32_t *const drop = l->drop[block], *const to = block == 0 ? l->key : l->rest;
    vec_keys keys = make_keys(l->to->view->seed);
    uint32_t tied = l->tied;

    __asm__("" : "+m"(keys));         /* as in draw_groups() */
    for (int j = 0; j < draws; j++) { /* lanes without an edge */
        store_lanes(table[j] + l->edges, (vec){0});
    }
    store_lanes(l->mask + l->edges, (vec){0});
    store_lanes(drop + l->edges, (vec){0});
    store_lanes(l->index + l->edges, (vec){0});
    for (uint32_t i = 0; i < l->edges; i += W) {
        const vec first = block == 0 ? load_lanes(l->mask + i) : (vec){0} + 63;
        vec w[5], closest = ~(vec){0}, bits = {0};

        vec_philox(&keys, load_lanes(l->index + i), l->high, block, PHILOX_ROWS_EDGE, w);
        if (draws == RMAT_ROWS_DRAWS) {
            w[4] = vec_select(0xFC000000, w[1] << 20, w[2] << 14);
            w[4] = vec_select(0xFFF00000, w[4], w[3] << 8);
            w[4] = vec_select(0xFFFFC000, w[4], w[0] >> 6);
        }
#pragma GCC unroll 5
        for (int j = 0; j < draws; j++) {
            const vec mask = j == 0 ? first : (vec){0} + 63;
            const vec row = vec_lookup(fast, load_lanes(table[j] + i) + (w[j] & mask));
            const vec least = vec_min(w[j], row);

            closest = vec_min(closest, w[j] ^ row);
            bits = j == 0 ? least & mask : VEC_APPEND(bits, least);
        }
        store_lanes(to + i, bits >> load_lanes(drop + i));
        l->tied_at[tied] = i;
        l->tied_lanes[tied] = VEC_BELOW(closest, tie_limit);
        tied += l->tied_lanes[tied] != 0;
    }
    l->tied = tied;
}

/* The number of draws that an edge takes from a Philox block, from the first group on. */
INLINE int queue_draws(const rmat_rows_view *v, int block)
{
    const int groups =
        (v->levels + RMAT_ROWS_GROUP - 1) / RMAT_ROWS_GROUP - block * RMAT_ROWS_DRAWS;

    return groups < 0 ? 0 : groups < RMAT_ROWS_DRAWS ? groups : RMAT_ROWS_DRAWS;
}

#define DRAWS_CASE(draws)                                                                          \
    case draws:                                                                                    \
        draw_block(l, block, draws);                                                               \
        break

static __attribute__((noinline)) void draw_queue(rmat_rows_lanes *l, uint32_t block)
{
    switch (queue_draws(l->to->view, (int)block)) {
        DRAWS_CASE(1);
        DRAWS_CASE(2);
        DRAWS_CASE(3);
        DRAWS_CASE(4);
        DRAWS_CASE(RMAT_ROWS_DRAWS);
    }
}

INLINE void write_queue(rmat_rows_lanes *l, const bool rests, const int id_bytes)
{
    const rmat_rows_target *t = l->to;

    for (uint32_t c = 0, at = 0; c < l->cells; at += l->cell[c++].count) {
        const rmat_rows_item *x = &l->cell[c];
        const int level = (int)x->node - RMAT_ROWS_IN_ROW, bits = t->view->levels - level;
        void *out = (char *)t->dst + (x->start - t->range.first) * (uint64_t)id_bytes;

        write_cell(l->key + at, rests ? l->rest + at : NULL, rests ? rest_bits(t->view, level) : 0,
                   x->count, out, x->dst << bits, id_bytes);
        if (rests) { /* equal keys are not in order */
            rmat_rows_sort(out, x->count, id_bytes);
        }
    }
}

/* Draws the unwanted edges of bound cells again. */
static void redraw_queue(rmat_rows_lanes *l)
{
    const rmat_rows_view *v = l->to->view;

    for (uint32_t c = 0, at = 0; c < l->cells; at += l->cell[c++].count) {
        const rmat_rows_item *x = &l->cell[c];
        const int level = (int)x->node - RMAT_ROWS_IN_ROW, rest = rest_bits(v, level);
        const uint64_t prefix = x->dst << (v->levels - level);
        const unwanted_ends u = {UINT64_MAX, x->state & RMAT_ROWS_TIGHT ? v->cols - 1 : UINT64_MAX,
                                 (x->state & RMAT_ROWS_EQUAL) != 0};

        for (uint32_t i = 0; i < x->count && x->state != 0; i++) {
            const uint64_t bits = (uint64_t)l->key[at + i] << rest | (rest ? l->rest[at + i] : 0);

            if (is_unwanted(&u, x->src, prefix + bits)) {
                settle_edge(l, at + i);
            }
        }
    }
}

static __attribute__((noinline)) void make_queue(rmat_rows_lanes *l)
{
    const bool rests = queue_draws(l->to->view, 1) > 0;

    l->tied = 0;
    draw_queue(l, 0);
    draw_queue(l, 1); /* nothing, without rests */
    for (uint32_t t = 0; t < l->tied; t++) {
        for (unsigned lanes = l->tied_lanes[t]; lanes; lanes &= lanes - 1) {
            const uint32_t at = l->tied_at[t] + (uint32_t)__builtin_ctz(lanes);

            if (at < l->edges) {
                settle_edge(l, at);
            }
        }
    }
    if (l->to->view->state != 0) {
        redraw_queue(l);
    }
    if (rests) {
        BY_WIDTH(l->to->id_bytes, write_queue, l, true);
    } else {
        BY_WIDTH(l->to->id_bytes, write_queue, l, false);
    }
    l->cells = 0;
    l->edges = 0;
}

/* The tables of a cell's edges for the draws of a Philox block, and the bits to drop; g is the
 * block's first group. */
INLINE void queue_tables(rmat_rows_lanes *l, uint32_t count, int block, int g, uint64_t src,
                         int known, int drop)
{
    const rmat_rows_view *v = l->to->view;
    const int groups = (v->levels + RMAT_ROWS_GROUP - 1) / RMAT_ROWS_GROUP;
    vec table[RMAT_ROWS_DRAWS];

#pragma GCC unroll 5
    for (int j = 0; j < RMAT_ROWS_DRAWS; j++, g++) {
        const uint32_t bits =
            g < groups ? (uint32_t)(src >> RMAT_ROWS_GROUP * (groups - 1 - g)) & 63 : 0;
        const uint32_t first = g < groups ? v->table_of[g] * (uint32_t)RMAT_ROWS_TABLE : 0;

        table[j] =
            (vec){0} + first +
            (j == 0 && known > 0 ? rmat_rows_table(known, bits & (63u >> known)) : bits << 6);
    }
    for (uint32_t at = l->edges; at < l->edges + count; at += W) {
        store_lanes(l->drop[block] + at, (vec){0} + (uint32_t)drop);
#pragma GCC unroll 5
        for (int j = 0; j < RMAT_ROWS_DRAWS; j++) {
            store_lanes(l->table[block * RMAT_ROWS_DRAWS + j] + at, table[j]);
        }
    }
}

/* Puts a cell that is not divided further into the queue. */
INLINE void queue_cell(rmat_rows_lanes *l, const rmat_rows_item *x)
{
    const rmat_rows_view *v = l->to->view;
    const int level = (int)x->node - RMAT_ROWS_IN_ROW, group = level / RMAT_ROWS_GROUP;
    const int groups = (v->levels + RMAT_ROWS_GROUP - 1) / RMAT_ROWS_GROUP;
    const int known = level - group * RMAT_ROWS_GROUP, left = RMAT_ROWS_GROUP - known;
    const int rest = rest_bits(v, level), more = queue_draws(v, 1);
    const uint64_t src = x->src << (groups * RMAT_ROWS_GROUP - v->levels);
    const uint32_t mask = ((uint32_t)1 << left) - 1;

    if (groups - group > 2 * RMAT_ROWS_DRAWS) {
        const rmat_rows_cell cell = cell_of(x);

        rmat_rows_make_leaf(l->to, x->src, &cell);
        return;
    }
    for (uint32_t i = 0; i < x->count; i += W) {
        store_lanes(l->index + l->edges + i, lane_numbers() + ((uint32_t)x->start + i));
        store_lanes(l->mask + l->edges + i, (vec){0} + mask);
    }
    queue_tables(l, x->count, 0, group, src, known,
                 left + RMAT_ROWS_GROUP * (queue_draws(v, 0) - 1) + rest - (v->levels - level));
    if (more > 0) {
        queue_tables(l, x->count, 1, group + RMAT_ROWS_DRAWS, src, 0,
                     RMAT_ROWS_GROUP * more - rest);
    }
    l->cell[l->cells++] = *x;
    l->edges += x->count;
    if (l->edges > RMAT_ROWS_QUEUE - RMAT_ROWS_LEAF) {
        make_queue(l);
    }
}

/* --- Dividing --- */

/* Passes on a new cell: to the stack, to the queue or, as copies of an edge, to the array. */
INLINE void put_cell(rmat_rows_lanes *l, const rmat_rows_item *x)
{
    const rmat_rows_target *t = l->to;

    if ((int)x->node == RMAT_ROWS_IN_ROW + t->view->levels) {
        for (uint32_t i = 0; i < x->count; i++) {
            set_id(t->dst, x->start - t->range.first + i, x->dst, t->id_bytes);
        }
    } else if (x->count > RMAT_ROWS_LEAF) {
        l->stack[l->waiting++] = *x;
    } else if (x->count > 0) {
        queue_cell(l, x);
    }
}

/* Passes on a new node of sources. */
INLINE void put_node(rmat_rows_lanes *l, rmat_rows_item *x)
{
    const rmat_rows_target *t = l->to;

    if ((int)x->node < t->view->levels && x->count > 0) {
        l->stack[l->waiting++] = *x;
        return;
    }
    rmat_rows_put_pointers(t, (int)x->node, x->src, x->start);
    if (x->count > 0 && t->dst != NULL) {
        for (uint32_t i = 0; t->src != NULL && i < x->count; i++) {
            set_id(t->src, x->start - t->range.first + i, x->src, t->id_bytes);
        }
        x->node = (uint16_t)(RMAT_ROWS_IN_ROW + rmat_rows_dst_level(t->view));
        put_cell(l, x);
    }
}

/* Parts of nodes that are thrown together, of at most 32 edges each. */
enum { PARTS = RMAT_ROWS_WAIT * RMAT_ROWS_THROWN / 32 + RMAT_ROWS_SLACK };
typedef struct {
    uint32_t index[PARTS], block[PARTS], open[PARTS], high[PARTS], low[PARTS], upper[PARTS];
} thrown_parts;

/* Throws W parts, as rmat_rows_throw() does; open becomes 0 when numbers and chance differ. */
INLINE void throw_parts(const vec_keys *keys, thrown_parts *p, uint32_t at, uint32_t high_word)
{
    const vec index = load_lanes(p->index + at);
    vec block = load_lanes(p->block + at), open = load_lanes(p->open + at), upper = {0};
    vec high = load_lanes(p->high + at), low = load_lanes(p->low + at);

    do {
        vec w[4];

        vec_philox_each(keys, index, high_word, block, PHILOX_ROWS_SPLIT, w);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const vec digit = (vec)((signed_vec)high >> 31);

            upper |= open & digit & ~w[i];
            open &= ~(digit ^ w[i]);
            high <<= 1;
        }
        high |= low >> 28;
        low <<= 4;
        open &= (vec)((high | low) != 0);
        block += 1 << 16;
    } while (VEC_ABOVE(open, 0) != 0);
    store_lanes(p->upper + at, upper);
}

/* Divides nodes from the top of the stack. */
static __attribute__((noinline)) void divide_items(rmat_rows_lanes *l)
{
    const rmat_rows_view *v = l->to->view;
    const uint32_t n = l->waiting > RMAT_ROWS_STACK - 2 * RMAT_MAX_SCALE - RMAT_ROWS_WAIT ? 1
                       : l->waiting < RMAT_ROWS_WAIT ? l->waiting
                                                     : RMAT_ROWS_WAIT;
    const vec_keys keys = make_keys(v->seed);
    rmat_rows_item items[RMAT_ROWS_WAIT];
    uint32_t upper[RMAT_ROWS_WAIT], parts = 0, part = 0;
    thrown_parts p;

    l->waiting -= n;
    memcpy(items, l->stack + l->waiting, sizeof items); /* of a constant size, which is faster */
    for (uint32_t i = 0; i < n; i++) {
        const rmat_rows_item *x = &items[i];
        const rmat_rows_level *level = &v->level[x->node % RMAT_ROWS_IN_ROW];
        const uint64_t chance =
            x->node < RMAT_ROWS_IN_ROW
                ? level->src
                : level->dst[rmat_rows_bit(x->src, v->levels, (int)x->node - RMAT_ROWS_IN_ROW)];

        upper[i] = chance == RMAT_ROWS_CERTAIN ? x->count : 0;
        for (uint32_t k = 0; k < x->count; k += 32, parts++) {
            p.index[parts] = (uint32_t)x->start;
            p.block[parts] = x->node | k << 3; /* the number of the part: k / 32 << 8 */
            p.open[parts] = chance == RMAT_ROWS_CERTAIN
                                ? 0
                                : UINT32_MAX >> (x->count - k < 32 ? 32 - (x->count - k) : 0);
            p.high[parts] = (uint32_t)(chance >> 32);
            p.low[parts] = (uint32_t)chance;
        }
    }
    for (uint32_t i = 0; i < W; i++) { /* lanes without a part */
        p.index[parts + i] = p.block[parts + i] = p.open[parts + i] = 0;
        p.high[parts + i] = p.low[parts + i] = 0;
    }
    for (uint32_t at = 0; at < parts; at += W) {
        throw_parts(&keys, &p, at, l->high);
    }
    for (uint32_t i = 0; i < n; i++) {
        const rmat_rows_item *x = &items[i];
        const bool in_row = x->node >= RMAT_ROWS_IN_ROW;
        rmat_rows_item c[2] = {*x, *x};

        for (uint32_t k = 0; k < x->count; k += 32) {
            upper[i] += rmat_rows_ones(p.upper[part++]);
        }
        for (uint32_t bit = 0; bit < 2; bit++) {
            c[bit].node = (uint16_t)(x->node + 1);
            c[bit].src = in_row ? x->src : x->src << 1 | bit;
            c[bit].dst = in_row ? x->dst << 1 | bit : 0;
        }
        c[0].count = x->count - upper[i];
        c[1].count = upper[i];
        c[1].start = x->start + c[0].count;
        for (uint32_t bit = 0; bit < 2; bit++) {
            if (in_row) {
                put_cell(l, &c[bit]);
            } else {
                put_node(l, &c[bit]);
            }
        }
    }
}

/* rmat_cpu_kernels.rows */
static void rows(rmat_rows_lanes *l, const rmat_rows_item *item)
{
    if (item != NULL && item->node >= RMAT_ROWS_IN_ROW) {
        put_cell(l, item);
    } else if (item != NULL) {
        rmat_rows_item x = *item;

        put_node(l, &x);
    }
    while (l->waiting >= RMAT_ROWS_WAIT || (item == NULL && l->waiting > 0)) {
        divide_items(l);
    }
    if (item == NULL && l->edges > 0) {
        make_queue(l);
    }
#ifdef __AVX__
    _mm256_zeroupper(); /* as in draw_groups() */
#endif
}

#endif
