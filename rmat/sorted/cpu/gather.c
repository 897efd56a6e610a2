/*
 * Gathers the keys of an interval from the stream, and sorts them.
 *
 * Each thread makes keys in its cache and distributes them over its lists by their leading bits, so
 * many as there is room for.  If there is none, each thread keeps the keys that are left.  An
 * interval of unique edges then makes room by sorting what it has and dropping copies, and the
 * threads go on.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"

#include <stdlib.h>
#include <string.h>

/* The keys that a thread has not distributed yet. */
typedef struct {
    uint64_t n;
    _Alignas(64) rmat_key keys[RMAT_PASS_PIECE];
} stage;

typedef struct {
    rmat_interval *b;
    rmat_cpu_interval *s;
    stage *stages;
    int threads;
    _Atomic uint64_t n; /* keys that places were asked for: may be more than the capacity */
} gathering;

/* Distributes what there is room for; returns whether something is left. */
static bool distribute(gathering *g, int thread)
{
    rmat_cpu_interval *s = g->s;
    stage *from = &g->stages[thread];
    const uint64_t at = atomic_fetch_add(&g->n, from->n), capacity = g->b->capacity;
    const uint64_t room = at < capacity ? capacity - at : 0, n = from->n < room ? from->n : room;
    const size_t bytes = s->ops->bytes;
    char *keys = (char *)from->keys;

    s->ops->spread(&s->chunks, s->chunks.workers[thread], keys, n, s->in.bits - s->width, s->width);
    from->n -= n;
    memmove(keys, keys + n * bytes, from->n * bytes);
    return from->n != 0;
}

/* Keeps of n keys those that are new.  Returns how many. */
static uint64_t drop_seen(_Atomic uint64_t *seen, uint64_t n, uint64_t *keys)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = keys[i];

        keys[kept] = key;
        kept += rmat_seen_add(seen, key);
    }
    return kept;
}

static int take(void *to, int thread, uint64_t first, uint64_t n, const void *src, const void *dst,
                const void *weight, int id_bytes)
{
    gathering *g = to;
    stage *st = &g->stages[thread];

    (void)first;
    st->n = g->s->ops->keep(&g->s->in, n, src, dst, weight, id_bytes, st->keys);
    if (g->s->seen != NULL) {
        st->n = drop_seen(g->s->seen, st->n, (uint64_t *)st->keys); /* keys of 8 bytes */
    }
    return st->n != 0 && distribute(g, thread);
}

static int count_only(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                      const void *dst, const void *weight, int id_bytes)
{
    gathering *g = to;
    stage *st = &g->stages[thread];

    (void)first;
    st->n += g->s->ops->keep(&g->s->in, n, src, dst, weight, id_bytes, st->keys);
    return 0;
}

bool rmat_cpu_interval_settle(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    s->ops->collect(&s->chunks, s->width, s->lists);
    s->ops->sort_lists(&s->chunks, s->lists, s->width, s->in.bits, rmat_weight_bits(&s->in),
                       b->unique);
    rmat_cpu_interval_order(s);
    return !atomic_load(&s->chunks.stopped);
}

/* Distributes what the threads have kept; returns whether something is left. */
static bool is_left(gathering *g)
{
    bool full = false;

    for (int t = 0; t < g->threads; t++) {
        full |= g->stages[t].n && distribute(g, t);
    }
    return full;
}

/* Runs the pass to its end, making room for unique edges as often as necessary. */
static int gather(gathering *g, rmat_pass *pass)
{
    rmat_cpu_interval *s = g->s;

    for (;;) {
        const bool done = !is_left(g) && rmat_run_pass(pass, g->threads, take, g) && !is_left(g);

        s->n = atomic_load(&g->n);
        s->n = s->n < g->b->capacity ? s->n : g->b->capacity;
        if (done || atomic_load(&pass->status) != RMAT_OK) {
            return RMAT_OK; /* or what rmat_pass_end() returns */
        }
        if (!g->b->unique) {
            return RMAT_ERR_FULL;
        }
        if (!rmat_cpu_interval_settle(g->b)) {
            return RMAT_ERR_STOPPED;
        }
        if (s->n > g->b->capacity / 4 * 3) {
            return RMAT_ERR_FULL;
        }
        atomic_store(&g->n, s->n);
    }
}

int rmat_cpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count)
{
    rmat_cpu_interval *s = b->state;
    gathering g = {.b = b, .s = s, .threads = rmat_threads_for(b->gen, count, RMAT_WORTH_THREAD)};
    rmat_pass pass = {.gen = b->gen, .first = first, .count = count};
    int st = RMAT_OK, ended;

    g.threads = g.threads < s->chunks.threads ? g.threads : s->chunks.threads;
    if (posix_memalign((void **)&g.stages, 64, (size_t)g.threads * sizeof *g.stages)) {
        return RMAT_ERR_NOMEM;
    }
    for (int t = 0; t < g.threads; t++) {
        g.stages[t].n = 0;
    }
    atomic_init(&g.n, s->n);
    if (s->counted) {
        rmat_run_pass(&pass, g.threads, count_only, &g);
        for (int t = 0; t < g.threads; t++) {
            s->n += g.stages[t].n;
        }
    } else {
        st = gather(&g, &pass);
    }
    ended = rmat_pass_end(&pass);
    free(g.stages);
    return st != RMAT_OK ? st : ended;
}
