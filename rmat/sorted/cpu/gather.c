/*
 * gather.c - one pass over the stream.  Threads make pieces that stay in the cache.  Their edges
 * become keys of an interval, which each thread distributes over its lists by their leading bits,
 * or counts of edges between cells.
 *
 * An alternative without gain: one pass counts the keys, and another distributes them into a second
 * buffer.  It takes twice the memory, and 10 % more time in memory that was used before (Zen 5, two
 * cores).
 */
#include "rmat/model/generator.h"
#include "rmat/sorted/cpu/interval.h"
#include "rmat/try.h"

enum { GATHER_PIECE = 4096 /* the most edges passed on at a time */ };

/* Takes edges [first, first + n) from thread number `thread`; from->weight is what an edge source
 * brings, or NULL.  A status other than 0 ends the pass. */
typedef int take_edges(void *to, int thread, uint64_t first, uint64_t n, const rmat_arrays *from);

typedef struct {
    const rmat_gen *gen;
    uint64_t first, count;
    take_edges *take;
    void *to;
    _Atomic uint64_t made; /* edges that threads have claimed so far */
    _Atomic int status;    /* other than 0: the pass ends */
} pass;

static bool has_ended(pass *p)
{
    return atomic_load_explicit(&p->status, memory_order_relaxed) != RMAT_OK;
}

/* Claims edges [*at, *end) of the pass.  For an edge source this is a piece that it makes best as a
 * whole.  False: there are none. */
static bool claim(pass *p, int thread, uint64_t *at, uint64_t *end)
{
    if (thread == 0 && rmat_stops(p->gen)) {
        atomic_store(&p->status, RMAT_ERR_STOPPED);
    }
    *at = atomic_load(&p->made);
    do {
        if (*at >= p->count || has_ended(p)) {
            return false;
        }
        *end = rmat_piece_end(p->gen, p->first + *at) - p->first;
        *end = *end < p->count ? *end : p->count;
    } while (!atomic_compare_exchange_weak(&p->made, at, *end));
    return true;
}

static int hand_on(const pass *p, int thread, uint64_t first, uint64_t n, rmat_arrays a)
{
    const size_t id = (size_t)a.id_bytes;
    uint64_t some;

    for (; n > 0; n -= some, first += some) {
        some = n < GATHER_PIECE ? n : GATHER_PIECE;
        RMAT_OR_RETURN(p->take(p->to, thread, first, some, &a));
        a.src = (char *)a.src + some * id;
        a.dst = (char *)a.dst + some * id;
        a.weight = a.weight != NULL ? (char *)a.weight + some * 4 : NULL;
    }
    return RMAT_OK;
}

/* A thread's part of the pass.  Its memory stays from piece to piece: with an allocation for each,
 * CSR took 5 % longer. */
static int run_thread(pass *p, int thread)
{
    const rmat_gen *gen = p->gen;
    const size_t id = rmat_scale(&gen->config) > 32 ? 8 : 4;
    uint64_t at, end, room = 0, n;
    char *memory = NULL;
    int st = RMAT_OK;

    while (claim(p, thread, &at, &end)) {
        const uint64_t need = rmat_has_source(gen) ? end - at : GATHER_PIECE;

        if (room < need) {
            free(memory);
            room = need;
            memory = rmat_cpu_alloc(room * (2 * id + 4));
            RMAT_TRY(memory != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
        }
        for (; at < end && !has_ended(p); at += n) {
            const rmat_arrays a = {memory, memory + room * id,
                                   rmat_own_weights(gen) ? memory + 2 * room * id : NULL, (int)id};

            n = end - at < room ? end - at : room;
            RMAT_TRY(rmat_make_edges(gen, p->first + at, n, &a));
            RMAT_TRY(hand_on(p, thread, p->first + at, n, a));
        }
    }
done:
    free(memory);
    return st;
}

/* Makes edges [first, first + count).  Returns 0, what take() returned, RMAT_ERR_SOURCE,
 * RMAT_ERR_NOMEM or RMAT_ERR_STOPPED. */
static int run_pass(const rmat_gen *gen, uint64_t first, uint64_t count, int threads,
                    take_edges *take, void *to)
{
    pass p = {.gen = gen, .first = first, .count = count, .take = take, .to = to};

#pragma omp parallel num_threads(threads)
    {
        const int st = run_thread(&p, omp_get_thread_num());

        if (st != RMAT_OK) {
            atomic_store(&p.status, st);
        }
    }
    return atomic_load(&p.status);
}

/* --- Keys of an interval --- */

/* Keeps of n keys those whose cells the bit map lacks; it has them from now on, if gathered keys
 * mark it. */
static uint64_t drop_seen(const rmat_cpu_interval *s, uint64_t n, uint64_t *keys)
{
    const int bits = rmat_weight_bits(&s->in);
    uint64_t kept = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = keys[i], cell = key >> bits, bit = (uint64_t)1 << cell % 64;
        _Atomic uint64_t *word = &s->seen[cell / 64];
        bool is_new = !(atomic_load_explicit(word, memory_order_relaxed) & bit);

        /* Most cells are there already, and a read does not take the cache line from others. */
        if (is_new && s->marks) {
            is_new = !(atomic_fetch_or_explicit(word, bit, memory_order_relaxed) & bit);
        }
        keys[kept] = key;
        kept += is_new;
    }
    return kept;
}

typedef struct {
    rmat_cpu_interval *s;
    bool by_index;
    uint64_t base;      /* the edge with index 0 */
    _Atomic uint64_t n; /* keys: may be more than the capacity */
} gathering;

/* Stores keys as far as there is room: those that a bit map has marked fill it then. */
static int gather_piece(void *to, int thread, uint64_t first, uint64_t n, const rmat_arrays *from)
{
    gathering *g = to;
    rmat_cpu_interval *s = g->s;
    _Alignas(64) rmat_key keys[GATHER_PIECE];
    uint32_t index[GATHER_PIECE];
    uint64_t at, fit;

    for (uint64_t i = 0; g->by_index && i < n; i++) {
        index[i] = (uint32_t)(first - g->base + i);
    }
    n = s->ops->keep(&s->in, n, from->src, from->dst, g->by_index ? index : from->weight,
                     from->id_bytes, keys);
    if (s->seen != NULL) {
        n = drop_seen(s, n, (uint64_t *)keys); /* of 8 bytes */
    }
    if (n == 0) {
        return RMAT_OK;
    }
    at = atomic_fetch_add(&g->n, n);
    fit = at < s->capacity ? s->capacity - at : 0;
    fit = fit < n ? fit : n;
    s->ops->spread(s, s->workers[thread], keys, fit);
    return fit < n ? RMAT_ERR_FULL : RMAT_OK;
}

int rmat_cpu_gather(rmat_cpu_interval *s, uint64_t first, uint64_t count, bool by_index)
{
    gathering g = {.s = s, .by_index = by_index, .base = first, .n = s->n};
    const int st = run_pass(s->gen, first, count, rmat_team(s->threads, count), gather_piece, &g);

    s->n = atomic_load(&g.n);
    return st;
}

/* --- Counts of edges between cells --- */

/* Each thread finds the parts of its edges by bisection; the counts of all are added at the end. */
typedef struct {
    rmat_key_range in;
    uint64_t parts;
    rmat_key *cuts;   /* part i ends before cut i; the last one has none */
    uint64_t *counts; /* [thread][part] */
} counting;

static int count_piece(void *to, int thread, uint64_t first, uint64_t n, const rmat_arrays *from)
{
    const counting *c = to;
    uint64_t *counts = c->counts + (uint64_t)thread * c->parts;
    rmat_key keys[GATHER_PIECE];

    (void)first;
    n = rmat_keys128.keep(&c->in, n, from->src, from->dst, NULL, from->id_bytes, keys);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t low = 0, high = c->parts - 1;

        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;

            if (c->cuts[middle] <= keys[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        counts[low]++;
    }
    return RMAT_OK;
}

int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts)
{
    const int threads = rmat_team(rmat_threads(gen), count);
    counting c = {.in = rmat_key_range_of(gen, &cells[0], &cells[n - 1]), .parts = n - 1};
    int st = RMAT_ERR_NOMEM;

    c.cuts = malloc(n * sizeof *c.cuts);
    c.counts = calloc(c.parts, (size_t)threads * sizeof *c.counts);
    if (c.cuts != NULL && c.counts != NULL) {
        for (uint64_t i = 0; i + 1 < c.parts; i++) {
            c.cuts[i] = rmat_key_of(&c.in, cells[i + 1].src, cells[i + 1].dst);
        }
        st = run_pass(gen, first, count, threads, count_piece, &c);
        for (uint64_t i = 0; i < (uint64_t)threads * c.parts; i++) {
            counts[i % c.parts] += c.counts[i];
        }
    }
    free(c.cuts);
    free(c.counts);
    return st;
}
