/*
 * partition.c - a range of the stream, edge by edge to the owners of intervals, in host memory.
 *
 * Threads make pieces of the stream in their caches, as to gather an interval, turn them into keys
 * and write these to the arrays of their owners, in which each takes the places that it needs. When
 * an array is full, a thread with keys for it keeps them and stops; they come first in the next
 * batch, and the pass goes on.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/sorted/exchange.h"

#include <stdlib.h>

/* Of a thread. */
typedef struct {
    uint64_t n; /* keys that are left */
    uint32_t part[RMAT_PASS_PIECE];
    _Alignas(64) rmat_key keys[RMAT_PASS_PIECE];
} stage;

typedef struct {
    rmat_key_range in;
    const rmat_key_ops *ops;
    rmat_cuts cuts;
    rmat_shares shares;
    rmat_pass pass;
    stage *stages;
    uint64_t *next; /* [thread][owner] */
    int threads;
} state;

static int create(rmat_partition *p)
{
    state *s = calloc(1, sizeof *s);

    p->state = s;
    if (s == NULL) {
        return RMAT_ERR_NOMEM;
    }
    s->threads = rmat_threads_for(p->gen, UINT64_MAX - 1, 1);
    s->shares.owners = (uint64_t)p->owners;
    s->shares.room = p->quota;
    s->shares.taken = calloc((size_t)p->owners, sizeof *s->shares.taken);
    s->next = calloc((size_t)p->owners, (size_t)s->threads * sizeof *s->next);
    if (s->shares.taken == NULL || s->next == NULL ||
        posix_memalign((void **)&s->stages, 64, (size_t)s->threads * sizeof *s->stages)) {
        return RMAT_ERR_NOMEM;
    }
    return RMAT_OK;
}

static void destroy(rmat_partition *p)
{
    state *s = p->state;

    if (s != NULL) {
        (void)rmat_pass_end(&s->pass);
        free((void *)s->shares.taken);
        free(s->next);
        free(s->stages);
        free(s);
    }
}

static void *allocate(const rmat_gen *gen, size_t bytes, rmat_memory where)
{
    (void)gen, (void)where;
    return malloc(bytes);
}

static void release(const rmat_gen *gen, void *memory, rmat_memory where)
{
    (void)gen, (void)where;
    free(memory);
}

static int begin(rmat_partition *p, uint64_t first, uint64_t count)
{
    state *s = p->state;
    rmat_key last;

    (void)rmat_pass_end(&s->pass); /* one that was left before its end */
    s->pass = (rmat_pass){.gen = p->gen, .first = first, .count = count};
    s->in = rmat_key_range_of(p->gen, &p->first, &p->end);
    rmat_key_range_weigh(&s->in, p->gen);
    s->ops = p->key_bytes == 8 ? &rmat_keys64 : &rmat_keys128;
    last = ((s->in.last + 1) << rmat_weight_bits(&s->in)) - 1;
    rmat_cuts_set(&s->cuts, p->cuts, 2 * (uint64_t)p->owners, last);
    for (int t = 0; t < s->threads; t++) {
        s->stages[t].n = 0;
    }
    return RMAT_OK;
}

/* Returns whether keys are left. */
static bool share_out(state *s, int thread)
{
    stage *st = &s->stages[thread];

    st->n = s->ops->share_out(st->keys, st->n, &s->cuts, &s->shares,
                              s->next + (uint64_t)thread * s->shares.owners, st->part);
    return st->n != 0;
}

static int take_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                      const void *dst, const void *weight, int id_bytes)
{
    state *s = to;
    stage *st = &s->stages[thread];

    (void)first;
    st->n = s->ops->keep(&s->in, n, src, dst, weight, id_bytes, st->keys);
    return st->n != 0 && share_out(s, thread);
}

static bool is_left(state *s)
{
    bool left = false;

    for (int t = 0; t < s->threads; t++) {
        left |= s->stages[t].n != 0 && share_out(s, t);
    }
    return left;
}

static uint64_t made_of(const state *s)
{
    const uint64_t made = atomic_load(&s->pass.made);

    return made < s->pass.count ? made : s->pass.count;
}

static int batch(rmat_partition *p, void *const *to, uint64_t *counts, bool *more)
{
    state *s = p->state;
    const uint64_t before = made_of(s);

    s->shares.to = to;
    for (int k = 0; k < p->owners; k++) {
        atomic_store(&s->shares.taken[k], 0);
    }
    *more = is_left(s) || !rmat_run_pass(&s->pass, s->threads, take_piece, s) || is_left(s);
    atomic_fetch_add(p->made, made_of(s) - before);
    for (int k = 0; k < p->owners; k++) {
        counts[k] = atomic_load(&s->shares.taken[k]);
        counts[k] = counts[k] < p->quota ? counts[k] : p->quota;
    }
    return atomic_load(&s->pass.status);
}

const rmat_partition_ops *rmat_cpu_partition_ops(void)
{
    static const rmat_partition_ops ops = {.create = create,
                                           .destroy = destroy,
                                           .allocate = allocate,
                                           .release = release,
                                           .begin = begin,
                                           .batch = batch};

    return &ops;
}
