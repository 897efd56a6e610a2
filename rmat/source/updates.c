/*
 * updates.c - the update stream (UPDATES.md): which edges a batch inserts and deletes, when, and
 * which edges there are after it.
 *
 * Deletions go through the edges in an order of their own, the deletion order, in which edge number
 * x of the order is deleted by deletion x.  So the graph after k batches is what is left of the
 * order, from number k * deletions to the last edge inserted.  The order permutes the edges in
 * windows.  A window is all that was there when its round began, less what no whole batch would
 * delete; so it is known, and present, before the first of its edges is deleted.
 */
#include "rmat/rmat_updates.h"

#include "alias/core/philox.h"
#include "rmat/model/generator.h"
#include "rmat/model/permutation.h"
#include "rmat/try.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum {
    BLOCK_BITS = 12, /* updates whose times are drawn together, and halvings of their time */
    BLOCK = 1 << BLOCK_BITS,
    DIGIT_BITS = 11, /* of a pass of sorting */
    PIECE = 1 << 16  /* updates that a thread takes at a time */
};

/* Batches [begin, end) of a round, whose deletions are of `window` edges from `first` on. */
typedef struct {
    uint64_t number, begin, end, first, window;
    bool random;
    rmat_permutation order; /* of the window, if random */
} round_state;

/* Batch b must be one of the stream, or the one behind the last. */
static round_state find_round(const rmat_updates *u, uint64_t b)
{
    const rmat_updates_config *c = &u->config;
    round_state r = {.random = c->order == RMAT_DELETE_RANDOM, .end = u->batches};

    if (c->deletions == 0) {
        return r;
    }
    for (;;) {
        const uint64_t length = rmat_updates_live(u, r.begin) / c->deletions;
        uint64_t skip = 1;

        r.end = r.begin + length;
        r.first = r.begin * c->deletions;
        r.window = length * c->deletions;
        if (b < r.end || length == 0) {
            break;
        }
        if (c->insertions == c->deletions) { /* all rounds are alike */
            skip = (b - r.begin) / length;
        }
        r.number += skip;
        r.begin += skip * length;
    }
    if (r.random && r.window > 0) {
        r.order.vertices = r.window;
        r.order.bits = rmat_scale_of(r.window);
        for (int i = 0; i < rmat_permute_rounds(&r.order); i++) {
            const philox_block key = philox_at(u->seed, r.number, (uint32_t)i, PHILOX_DELETIONS);

            r.order.k[i] = (uint64_t)key.v[1] << 32 | key.v[0];
            r.order.b[i] = key.v[2] | 1;
        }
    }
    return r;
}

/* Edge number x of the deletion order, from the round's window on. */
static uint64_t ordered(const round_state *r, uint64_t x)
{
    return r->random && x - r->first < r->window
               ? r->first + rmat_permute_vertex(&r->order, x - r->first)
               : x;
}

/* How many batches there can be. */
static uint64_t count_batches(const rmat_updates *u)
{
    const rmat_updates_config *c = &u->config;
    const uint64_t edges = rmat_stream_edges(u->gen), n = c->insertions + c->deletions;
    uint64_t most = (RMAT_MAX_EDGES - BLOCK) / c->gap / n; /* times stay below 2^63 */
    uint64_t batch = 0, length;

    if (c->insertions > 0 && (edges - c->edges) / c->insertions < most) {
        most = (edges - c->edges) / c->insertions;
    }
    if (c->deletions > c->insertions) {
        /* Batch by batch the graph shrinks, until it has too few edges for another one. */
        for (; batch < most; batch += length) {
            length = rmat_updates_live(u, batch) / c->deletions;
            if (length == 0) {
                return batch;
            }
        }
    }
    return c->edges < c->deletions ? 0 : most;
}

int rmat_updates_of(rmat_updates *out, const rmat_gen *gen, const rmat_updates_config *config)
{
    if (out == NULL || gen == NULL || config == NULL || gen->config.symmetrize ||
        gen->config.weights != RMAT_NO_WEIGHTS || gen->config.backend == RMAT_BACKEND_GPU ||
        config->edges > rmat_stream_edges(gen) || config->insertions > RMAT_UPDATES_MAX ||
        config->deletions > RMAT_UPDATES_MAX || config->insertions + config->deletions == 0 ||
        (unsigned)config->order > RMAT_DELETE_OLDEST ||
        (unsigned)config->arrivals > RMAT_ARRIVE_BURSTY || config->gap < 1 ||
        config->gap > RMAT_UPDATES_MAX_GAP) {
        return RMAT_ERR_ARG;
    }
    if (gen->config.stream == RMAT_STREAM_ROWS) {
        return RMAT_ERR_STREAM;
    }
    *out = (rmat_updates){.gen = gen, .config = *config, .seed = gen->config.seed};
    out->batches = count_batches(out);
    return RMAT_OK;
}

uint64_t rmat_updates_live(const rmat_updates *u, uint64_t batch)
{
    return u->config.edges + batch * (u->config.insertions - u->config.deletions);
}

static rmat_arrays behind(const rmat_arrays *to, uint64_t i)
{
    return (rmat_arrays){(char *)to->src + i * (uint64_t)to->id_bytes,
                         (char *)to->dst + i * (uint64_t)to->id_bytes,
                         to->weight != NULL ? (int32_t *)to->weight + i : NULL, to->id_bytes};
}

/* Edge `edge` of the generator into element i. */
static int put_edge(const rmat_updates *u, uint64_t edge, const rmat_arrays *to, uint64_t i)
{
    rmat_arrays one = behind(to, i);
    uint64_t src, dst;

    if (rmat_has_source(u->gen)) {
        one.weight = NULL;
        return rmat_generate_arrays(u->gen, edge, 1, &one);
    }
    rmat_edge_at(&u->gen->view, rmat_stream_first(u->gen) + edge, &src, &dst);
    if (to->id_bytes == 4) {
        *(uint32_t *)one.src = (uint32_t)src;
        *(uint32_t *)one.dst = (uint32_t)dst;
    } else {
        *(uint64_t *)one.src = src;
        *(uint64_t *)one.dst = dst;
    }
    return RMAT_OK;
}

/* Makes updates [from, to) of a batch, the first of which is element 0: insertions are edges one
 * behind the other, so they are made in runs, at the end of the arrays, and moved to their places.
 */
static int fill_batch(const rmat_updates *u, const round_state *r, uint64_t batch, uint64_t from,
                      uint64_t end, const rmat_arrays *to)
{
    const uint64_t a = u->config.insertions, d = u->config.deletions, n = a + d;
    const uint64_t before = from * d / n, after = end * d / n; /* deletions */
    const uint64_t inserted = (end - after) - (from - before), id = (uint64_t)to->id_bytes;
    uint64_t at = after - before, deletion = before; /* the next insertion's element */
    rmat_arrays tail = behind(to, at);

    tail.weight = NULL;
    RMAT_OR_RETURN(
        rmat_generate_arrays(u->gen, u->config.edges + batch * a + from - before, inserted, &tail));
    for (uint64_t p = from; p < end; p++) {
        const uint64_t i = p - from;
        const bool deletes = (p + 1) * d / n > p * d / n;

        if (to->weight != NULL) {
            ((int32_t *)to->weight)[i] = deletes ? -1 : 1;
        }
        if (deletes) {
            RMAT_OR_RETURN(put_edge(u, ordered(r, batch * d + deletion++), to, i));
        } else {
            memmove((char *)to->src + i * id, (char *)to->src + at * id, id);
            memmove((char *)to->dst + i * id, (char *)to->dst + at++ * id, id);
        }
    }
    return RMAT_OK;
}

static int fill_updates(const rmat_updates *u, uint64_t first, uint64_t count,
                        const rmat_arrays *to)
{
    const uint64_t n = u->config.insertions + u->config.deletions;
    round_state r = {0};

    for (uint64_t done = 0, some; done < count; done += some) {
        const uint64_t batch = (first + done) / n, from = (first + done) % n;
        const rmat_arrays rest = behind(to, done);

        some = n - from < count - done ? n - from : count - done;
        if (batch >= r.end) {
            r = find_round(u, batch);
        }
        RMAT_OR_RETURN(fill_batch(u, &r, batch, from, from + some, &rest));
    }
    return RMAT_OK;
}

/* What the graph after so many batches has is what is left of the deletion order. */
static int fill_snapshot(const rmat_updates *u, uint64_t batch, uint64_t first, uint64_t count,
                         const rmat_arrays *to)
{
    const uint64_t begin = batch * u->config.deletions + first;
    const round_state r = find_round(u, batch);
    uint64_t i = 0;

    for (; i < count && begin + i - r.first < r.window; i++) {
        RMAT_OR_RETURN(put_edge(u, ordered(&r, begin + i), to, i));
    }
    if (i < count) {
        rmat_arrays rest = behind(to, i);

        rest.weight = NULL;
        return rmat_generate_arrays(u->gen, begin + i, count - i, &rest);
    }
    return RMAT_OK;
}

/* Updates, or edges of a snapshot, by the generator's threads. */
static int fill_pieces(const rmat_updates *u, const uint64_t *snapshot, uint64_t first,
                       uint64_t count, const rmat_arrays *to)
{
    const uint64_t pieces = (count + PIECE - 1) / PIECE;
    const int most = u->gen->threads ? u->gen->threads : omp_get_max_threads();
    const int threads = pieces < (uint64_t)most ? (int)pieces : most;
    int failed = 0;
    _Atomic bool stopped = false;

#pragma omp parallel for schedule(dynamic) num_threads(threads)                                    \
    reduction(min                                                                                  \
              : failed) if (threads > 1)
    for (uint64_t piece = 0; piece < pieces; piece++) {
        const uint64_t at = piece * PIECE, n = count - at < PIECE ? count - at : PIECE;
        const rmat_arrays some = behind(to, at);
        int st = RMAT_OK;

        if (omp_get_thread_num() == 0 && rmat_stops(u->gen)) {
            atomic_store(&stopped, true);
        }
        if (!atomic_load_explicit(&stopped, memory_order_relaxed)) {
            st = snapshot != NULL ? fill_snapshot(u, *snapshot, first + at, n, &some)
                                  : fill_updates(u, first + at, n, &some);
        }
        failed = st < failed ? st : failed;
    }
    return atomic_load(&stopped) ? RMAT_ERR_STOPPED : failed;
}

int rmat_updates_fill(const rmat_updates *u, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t all = u->batches * (u->config.insertions + u->config.deletions);

    return first > all || count > all - first ? RMAT_ERR_RANGE
                                              : fill_pieces(u, NULL, first, count, to);
}

int rmat_updates_snapshot(const rmat_updates *u, uint64_t batch, uint64_t first, uint64_t count,
                          const rmat_arrays *to)
{
    const uint64_t all = batch <= u->batches ? rmat_updates_live(u, batch) : 0;

    return batch > u->batches || first > all || count > all - first
               ? RMAT_ERR_RANGE
               : fill_pieces(u, &batch, first, count, to);
}

/* Where 64 random bits place an update in its block's time, as a fraction of 2^32.  Bursty: three
 * quarters of what falls into an interval fall into one half of it.  Intervals are numbered as the
 * nodes of a heap, from 1 on, and coin[] has a bit for each: is it the first half? */
static uint32_t draw_time(uint64_t bits, bool bursty, const uint32_t coin[BLOCK / 32])
{
    uint32_t node = 1;

    if (!bursty) {
        return (uint32_t)(bits >> 32);
    }
    for (int level = 0; level < BLOCK_BITS; level++) {
        const uint32_t busy_first = coin[node / 32] >> node % 32 & 1;
        const uint64_t share = busy_first ? (uint64_t)3 << 62 : (uint64_t)1 << 62;
        const uint32_t second = bits >= share;

        bits -= second ? share : 0;
        bits = second != busy_first ? bits / 3 * 4 : bits * 4;
        node = 2 * node + second;
    }
    return (node - BLOCK) << (32 - BLOCK_BITS) | (uint32_t)(bits >> (32 + BLOCK_BITS));
}

/* By a digit after the other, the lowest first; the last pass ends in `to`. */
static void sort_times(uint32_t *to, uint32_t *other)
{
    for (int shift = 0; shift < 32; shift += DIGIT_BITS) {
        uint32_t start[(1 << DIGIT_BITS) + 1] = {0};

        for (int i = 0; i < BLOCK; i++) {
            start[(other[i] >> shift & ((1 << DIGIT_BITS) - 1)) + 1]++;
        }
        for (int k = 0; k < 1 << DIGIT_BITS; k++) {
            start[k + 1] += start[k];
        }
        for (int i = 0; i < BLOCK; i++) {
            to[start[other[i] >> shift & ((1 << DIGIT_BITS) - 1)]++] = other[i];
        }
        if (shift + DIGIT_BITS < 32) {
            memcpy(other, to, BLOCK * sizeof *to);
        }
    }
}

/* The times of all updates of a block, in order, as fractions of 2^32 of its time. */
static void draw_block(const rmat_updates *u, uint64_t block, uint32_t times[BLOCK])
{
    const bool bursty = u->config.arrivals == RMAT_ARRIVE_BURSTY;
    uint32_t coin[BLOCK / 32], drawn[BLOCK];

    for (uint32_t i = 0; bursty && i < BLOCK / 32; i += 4) {
        const philox_block b = philox_at(u->seed, block, 1 + i / 4, PHILOX_ARRIVALS);

        memcpy(coin + i, b.v, sizeof b.v);
    }
    for (uint64_t i = 0; i < BLOCK; i += 2) {
        const philox_block b = philox_at(u->seed, (block * BLOCK + i) / 2, 0, PHILOX_ARRIVALS);

        drawn[i] = draw_time((uint64_t)b.v[1] << 32 | b.v[0], bursty, coin);
        drawn[i + 1] = draw_time((uint64_t)b.v[3] << 32 | b.v[2], bursty, coin);
    }
    sort_times(times, drawn);
}

void rmat_updates_times(const rmat_updates *u, uint64_t first, uint64_t count, int64_t *to)
{
    const uint64_t gap = u->config.gap;
    uint32_t times[BLOCK];

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = first + i;

        if (u->config.arrivals == RMAT_ARRIVE_UNIFORM) {
            to[i] = (int64_t)(at * gap);
            continue;
        }
        if (i == 0 || at % BLOCK == 0) {
            draw_block(u, at / BLOCK, times);
        }
        to[i] =
            (int64_t)(at / BLOCK * BLOCK * gap + (times[at % BLOCK] * gap >> (32 - BLOCK_BITS)));
    }
}
