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

/* Takes n edges from thread number `thread`; from->weight is what an edge source brings, or NULL.
 * A status other than 0 ends the pass. */
typedef int take_edges(void *to, int thread, uint64_t n, const rmat_arrays *from);

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
        *end = rmat_has_source(p->gen) ? rmat_source_piece_end(p->gen, p->first + *at) - p->first
                                       : *at + RMAT_PIECE;
        *end = *end < p->count ? *end : p->count;
    } while (!atomic_compare_exchange_weak(&p->made, at, *end));
    return true;
}

static int hand_on(const pass *p, int thread, uint64_t n, rmat_arrays a)
{
    const size_t id = (size_t)a.id_bytes;
    uint64_t some;

    for (; n > 0; n -= some) {
        some = n < GATHER_PIECE ? n : GATHER_PIECE;
        RMAT_OR_RETURN(p->take(p->to, thread, some, &a));
        a.src = (char *)a.src + some * id;
        a.dst = (char *)a.dst + some * id;
        a.weight = a.weight != NULL ? (char *)a.weight + some * 4 : NULL;
    }
    return RMAT_OK;
}

/* A thread's part of the pass. */
static int run_thread(pass *p, int thread)
{
    const rmat_gen *gen = p->gen;
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(gen->isa);
    const bool given = rmat_has_source(gen);
    const size_t id = rmat_scale(&gen->config) > 32 ? 8 : 4;
    uint64_t at, end, room = 0, n;
    char *memory = NULL;
    int st = RMAT_OK;

    while (claim(p, thread, &at, &end)) {
        if (room < (given ? end - at : GATHER_PIECE)) {
            free(memory);
            room = given ? end - at : GATHER_PIECE;
            memory = rmat_cpu_alloc(room * (2 * id + 4));
            RMAT_TRY(memory != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
        }
        for (; at < end && !has_ended(p); at += n) {
            /* A kernel must not cross a multiple of 2^32. */
            const uint64_t most = (UINT64_C(1) << 32) - (uint32_t)(p->first + at);
            const rmat_arrays a = {memory, memory + room * id,
                                   rmat_own_weights(gen) ? memory + 2 * room * id : NULL, (int)id};

            n = end - at < room ? end - at : room;
            if (given) {
                RMAT_TRY(rmat_source_edges(gen, p->first + at, n, &a));
            } else {
                n = n < most ? n : most;
                kernels->generate(&gen->view, p->first + at, n, a.src, a.dst, (int)id);
            }
            RMAT_TRY(hand_on(p, thread, n, a));
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

/* Stores keys as far as there is room. */
static int gather_piece(void *to, int thread, uint64_t n, const rmat_arrays *from)
{
    rmat_cpu_interval *s = to;
    _Alignas(64) rmat_key keys[GATHER_PIECE];
    uint64_t at, fit;

    n = s->ops->keep(&s->in, n, from->src, from->dst, from->weight, from->id_bytes, keys);
    if (n == 0) {
        return RMAT_OK;
    }
    at = atomic_fetch_add(&s->n, n);
    fit = at < s->capacity ? s->capacity - at : 0;
    fit = fit < n ? fit : n;
    s->ops->spread(&s->chunks, s->chunks.workers[thread], keys, fit, s->in.bits - s->width,
                   s->width);
    return fit < n ? RMAT_ERR_FULL : RMAT_OK;
}

int rmat_cpu_gather(rmat_interval *b, uint64_t first, uint64_t count, uint64_t *keys)
{
    rmat_cpu_interval *s = b->state;
    const int st =
        run_pass(b->gen, first, count, rmat_team(s->chunks.threads, count), gather_piece, s);

    *keys = atomic_load(&s->n);
    return st;
}

int rmat_cpu_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    rmat_cpu_interval *s = b->state;
    rmat_list more[1 << RMAT_LEADING];

    if (n > s->capacity - s->n) {
        return RMAT_ERR_FULL;
    }
    for (uint64_t at = 0, some; at < n; at += some) {
        uint64_t src[GATHER_PIECE], dst[GATHER_PIECE];
        rmat_key keys[GATHER_PIECE];

        some = n - at < GATHER_PIECE ? n - at : GATHER_PIECE;
        for (uint64_t i = 0; i < some; i++) {
            src[i] = list[at + i].cell.src;
            dst[i] = list[at + i].cell.dst;
        }
        s->ops->keep(&s->in, some, src, dst, NULL, 8, keys);
        s->ops->spread(&s->chunks, s->chunks.workers[0], keys, some, s->in.bits - s->width,
                       s->width);
    }
    rmat_clear_lists(more, s->width);
    s->ops->collect(&s->chunks, s->width, more);
    s->ops->insert(&s->chunks, s->lists, more, s->width, s->in.bits);
    rmat_cpu_order(s);
    return RMAT_OK;
}

/* --- Counts of edges between cells --- */

/* Each thread finds the parts of its edges by bisection; the counts of all are added at the end. */
typedef struct {
    const rmat_cell *cells; /* part i is from cell i on and before cell i + 1 */
    uint64_t parts;
    bool no_loops;
    uint64_t *counts; /* [thread][part] */
} counting;

/* A number with the order of cells, compared without a branch. */
static rmat_key order_of(const rmat_cell *c)
{
    return (rmat_key)c->src << 64 | c->dst;
}

static int count_piece(void *to, int thread, uint64_t n, const rmat_arrays *from)
{
    const counting *c = to;
    const rmat_key first = order_of(&c->cells[0]), end = order_of(&c->cells[c->parts]);
    uint64_t *counts = c->counts + (uint64_t)thread * c->parts;

    for (uint64_t i = 0; i < n; i++) {
        const rmat_cell cell = {id_at(from->src, i, from->id_bytes),
                                id_at(from->dst, i, from->id_bytes)};
        const rmat_key edge = order_of(&cell);
        uint64_t low = 0, high = c->parts; /* its part is `low` or after it, and before `high` */

        while (high - low > 1) {
            const uint64_t middle = low + (high - low) / 2;

            if (edge < order_of(&c->cells[middle])) {
                high = middle;
            } else {
                low = middle;
            }
        }
        counts[low] += (edge >= first) & (edge < end) & !(c->no_loops && cell.src == cell.dst);
    }
    return RMAT_OK;
}

int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts)
{
    const int threads = rmat_team(rmat_cpu_threads(gen), count);
    counting c = {cells, n - 1, rmat_drops_loops(gen), NULL};
    int st;

    c.counts = calloc(c.parts, (size_t)threads * sizeof *c.counts);
    if (c.counts == NULL) {
        return RMAT_ERR_NOMEM;
    }
    st = run_pass(gen, first, count, threads, count_piece, &c);
    for (uint64_t i = 0; i < (uint64_t)threads * c.parts; i++) {
        counts[i % c.parts] += c.counts[i];
    }
    free(c.counts);
    return st;
}
