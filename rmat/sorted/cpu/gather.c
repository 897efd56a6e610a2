/*
 * Gathers the keys of an interval from the stream, and sorts them.
 *
 * Each thread collects keys in its cache and then appends them to those of the interval, at places
 * that it takes from a shared counter: so they are contiguous, in no order.  If they do not fit,
 * each thread keeps what it could not append.  An interval of unique edges then makes room by
 * sorting what it has and dropping copies, and the threads go on.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"

#include <stdlib.h>
#include <string.h>

enum { STAGE = 8192 }; /* keys of a thread from which on it appends them */

/* The keys that a thread has not appended yet. */
typedef struct {
    uint64_t n;
    _Alignas(64) rmat_key keys[STAGE + RMAT_PASS_PIECE];
} stage;

typedef struct {
    rmat_interval *b;
    rmat_cpu_interval *s;
    stage *stages;
    int threads;
    _Atomic uint64_t next; /* the next place to be taken; may be beyond the capacity */
} gathering;

/* Appends what fits; returns whether something is left. */
static bool append(gathering *g, stage *from)
{
    const uint64_t at = atomic_fetch_add(&g->next, from->n), capacity = g->b->capacity;
    const uint64_t room = at < capacity ? capacity - at : 0, n = from->n < room ? from->n : room;
    const size_t bytes = g->s->ops->bytes;
    char *keys = (char *)from->keys;

    if (n) {
        memcpy((char *)g->s->keys + at * bytes, keys, n * bytes);
    }
    from->n -= n;
    memmove(keys, keys + n * bytes, from->n * bytes);
    return from->n != 0;
}

static int take(void *to, int thread, uint64_t first, uint64_t n, const void *src, const void *dst,
                const void *weight, int id_bytes)
{
    gathering *g = to;
    stage *st = &g->stages[thread];
    const rmat_key_ops *ops = g->s->ops;

    (void)first;
    st->n +=
        ops->keep(&g->s->in, n, src, dst, weight, id_bytes, (char *)st->keys + st->n * ops->bytes);
    return st->n >= STAGE && append(g, st);
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

int rmat_cpu_interval_settle(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;
    const int threads = rmat_threads_for(b->gen, s->n, 1 << 14);
    void *sorted = s->ops->sort(s->keys, s->scratch, s->n, s->in.bits, threads);
    void *other = sorted == s->keys ? s->scratch : s->keys;

    if (sorted == NULL) {
        return RMAT_ERR_NOMEM;
    }
    if (b->unique) {
        s->n = s->ops->unique(&s->in, sorted, s->n, other, threads);
    }
    s->keys = b->unique ? other : sorted;
    s->scratch = b->unique ? sorted : other;
    return RMAT_OK;
}

/* Appends what the threads have kept; returns whether something is left. */
static bool is_left(gathering *g)
{
    bool full = false;

    for (int t = 0; t < g->threads; t++) {
        full |= g->stages[t].n && append(g, &g->stages[t]);
    }
    return full;
}

/* Runs the pass to its end, making room for unique edges as often as necessary. */
static int gather(gathering *g, rmat_pass *pass)
{
    rmat_cpu_interval *s = g->s;

    for (;;) {
        const bool done = !is_left(g) && rmat_run_pass(pass, g->threads, take, g) && !is_left(g);
        int st;

        s->n = atomic_load(&g->next);
        s->n = s->n < g->b->capacity ? s->n : g->b->capacity;
        if (done || atomic_load(&pass->status) != RMAT_OK) {
            return RMAT_OK; /* or what rmat_pass_end() returns */
        }
        if (!g->b->unique) {
            return RMAT_ERR_FULL;
        }
        st = rmat_cpu_interval_settle(g->b);
        if (st != RMAT_OK) {
            return st;
        }
        if (s->n > g->b->capacity / 4 * 3) {
            return RMAT_ERR_FULL;
        }
        atomic_store(&g->next, s->n);
    }
}

int rmat_cpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count)
{
    rmat_cpu_interval *s = b->state;
    gathering g = {.b = b, .s = s, .threads = rmat_threads_for(b->gen, count, RMAT_PASS_PIECE)};
    rmat_pass pass = {.gen = b->gen, .first = first, .count = count};
    int st = RMAT_OK, ended;

    if (posix_memalign((void **)&g.stages, 64, (size_t)g.threads * sizeof *g.stages)) {
        return RMAT_ERR_NOMEM;
    }
    for (int t = 0; t < g.threads; t++) {
        g.stages[t].n = 0;
    }
    atomic_init(&g.next, s->n);
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
