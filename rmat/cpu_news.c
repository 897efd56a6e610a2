/*
 * Edges of the stream that a block of unique edges lacks.  Slice by slice of the stream: the
 * candidates are sorted by key and index; the first one of each key is new if neither the block nor
 * the slices before have it.
 */
#include "rmat/cpu_block_impl.h"
#include "rmat/cpu_pass.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_BITS = 22 };

typedef struct {
    rmat_key key;
    uint64_t index;
} candidate;

typedef struct {
    const rmat_block *b;
    const rmat_cpu_block *s;
    int threads;
    uint64_t slice;
    candidate *candidates;
    _Atomic uint64_t n; /* candidates */
    rmat_key *packed;   /* twice a slice */
    uint32_t *which;    /* by index in the slice: 1 + number of the new candidate, or 0 */
    rmat_key *found;    /* in order; of n_list keys, with room for as many again */
    rmat_new *list;
    uint64_t n_list, most;
} search;

static int take(void *to, int thread, uint64_t first, uint64_t n, const void *src, const void *dst,
                int id_bytes)
{
    search *f = to;
    const rmat_interval *in = &f->s->in;
    candidate kept[RMAT_PASS_PIECE];
    uint64_t k = 0;

    (void)thread;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t s = id_bytes == 4 ? ((const uint32_t *)src)[i] : ((const uint64_t *)src)[i];
        const uint64_t d = id_bytes == 4 ? ((const uint32_t *)dst)[i] : ((const uint64_t *)dst)[i];

        kept[k].key = rmat_key_of(in, s, d);
        kept[k].index = first + i;
        k += (s - in->first.src <= in->rows) & (kept[k].key <= in->last);
    }
    memcpy(f->candidates + atomic_fetch_add(&f->n, k), kept, k * sizeof *kept);
    return 0;
}

static int compare(const void *x, const void *y)
{
    const candidate *a = x, *b = y;

    return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
                            : (a->index > b->index) - (a->index < b->index);
}

/* By key and index, as one number where 128 bits are enough. */
static int sort_candidates(search *f, uint64_t base)
{
    const uint64_t n = f->n, mask = ((uint64_t)1 << SLICE_BITS) - 1;
    const int bits = f->s->in.bits + SLICE_BITS;
    rmat_key *sorted;

    if (bits > 128) {
        qsort(f->candidates, n, sizeof *f->candidates, compare);
        return RMAT_OK;
    }
#pragma omp parallel for num_threads(f->threads)
    for (uint64_t i = 0; i < n; i++) {
        f->packed[i] = f->candidates[i].key << SLICE_BITS | (f->candidates[i].index - base);
    }
    sorted = rmat_keys128.sort(f->packed, f->packed + (f->slice + 3) / 4 * 4, n, bits, f->threads);
    if (!sorted) {
        return RMAT_ERR_NOMEM;
    }
#pragma omp parallel for num_threads(f->threads)
    for (uint64_t i = 0; i < n; i++) {
        f->candidates[i].key = sorted[i] >> SLICE_BITS;
        f->candidates[i].index = base + ((uint64_t)sorted[i] & mask);
    }
    return RMAT_OK;
}

/* The place of a key at place `from` or behind, found in steps that double. */
static uint64_t seek(const rmat_key_ops *ops, const void *sorted, uint64_t n, uint64_t from,
                     rmat_key key)
{
    uint64_t step = 1;

    while (step < n - from && ops->at(sorted, from + step) < key) {
        step *= 2;
    }
    step = step < n - from ? step : n - from;
    return from + ops->below((const char *)sorted + from * ops->bytes, step, key);
}

static int has(const rmat_key_ops *ops, const void *sorted, uint64_t n, uint64_t at, rmat_key key)
{
    return at < n && ops->at(sorted, at) == key;
}

/* Marks the new ones in f->which. */
static void mark_new(search *f, uint64_t base)
{
    const rmat_cpu_block *s = f->s;
    const candidate *c = f->candidates;
    const uint64_t n = f->n;

    memset(f->which, 0, f->slice * sizeof *f->which);
#pragma omp parallel num_threads(f->threads)
    {
        uint64_t in_block = 0, in_found = 0;

#pragma omp for schedule(static)
        for (uint64_t i = 0; i < n; i++) {
            const rmat_key key = c[i].key;

            if (i && key == c[i - 1].key) {
                continue;
            }
            in_block = seek(s->ops, s->keys, s->n, in_block, key);
            in_found = seek(&rmat_keys128, f->found, f->n_list, in_found, key);
            if (!has(s->ops, s->keys, s->n, in_block, key) &&
                !has(&rmat_keys128, f->found, f->n_list, in_found, key)) {
                f->which[c[i].index - base] = (uint32_t)i + 1;
            }
        }
    }
}

/* The marked ones into the list, by index. */
static int list_new(search *f, uint64_t base, uint64_t count)
{
    uint64_t more = 0;
    rmat_new *list;

    for (uint64_t i = 0; i < count; i++) {
        more += f->which[i] != 0;
    }
    if (more > f->most - f->n_list) {
        return RMAT_ERR_FULL;
    }
    if (!more) {
        return RMAT_OK;
    }
    list = realloc(f->list, (f->n_list + more) * sizeof *list);
    if (!list) {
        return RMAT_ERR_NOMEM;
    }
    f->list = list;
    for (uint64_t i = 0; i < count; i++) {
        if (f->which[i]) {
            list[f->n_list++] =
                (rmat_new){rmat_cell_of(&f->s->in, f->candidates[f->which[i] - 1].key), base + i};
        }
    }
    return RMAT_OK;
}

/* The marked ones, which are f->n_list - before, to those found, by key. */
static int add_found(search *f, uint64_t base, uint64_t before)
{
    const uint64_t more = f->n_list - before;
    rmat_key *found, *keys = f->packed;

    if (!more) {
        return RMAT_OK;
    }
    found = malloc(f->n_list * sizeof *found);
    if (!found) {
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < f->n; i++) {
        if (f->which[f->candidates[i].index - base] == i + 1) {
            *keys++ = f->candidates[i].key;
        }
    }
    rmat_keys128.merge(f->found, before, f->packed, more, found, f->threads);
    free(f->found);
    f->found = found;
    return RMAT_OK;
}

static int search_slice(search *f, uint64_t base, uint64_t count, int last)
{
    rmat_pass pass = {.gen = f->b->gen, .first = base, .count = count};
    const uint64_t before = f->n_list;
    int st;

    atomic_store(&f->n, 0);
    rmat_run_pass(&pass, f->threads, take, f);
    st = sort_candidates(f, base);
    if (!st) {
        mark_new(f, base);
        st = list_new(f, base, count);
    }
    return st || last ? st : add_found(f, base, before);
}

int rmat_cpu_block_news(const rmat_block *b, uint64_t first, uint64_t count, uint64_t most,
                        rmat_new **list, uint64_t *n)
{
    const uint64_t some = b->capacity / 64, full = (uint64_t)1 << SLICE_BITS;
    search f = {.b = b, .s = b->state, .most = most};
    int st = RMAT_OK;

    /* A slice takes little beside the block. */
    f.slice = some < RMAT_PASS_PIECE ? RMAT_PASS_PIECE : some > full ? full : some;
    f.slice = f.slice < count ? f.slice : count;
    f.threads = rmat_threads_for(b->gen, f.slice, RMAT_PASS_PIECE);
    f.candidates = malloc(f.slice * sizeof *f.candidates);
    f.which = malloc(f.slice * sizeof *f.which);
    if (posix_memalign((void **)&f.packed, 64, 2 * (f.slice + 4) * sizeof *f.packed)) {
        f.packed = NULL;
    }
    if (!f.candidates || !f.which || !f.packed) {
        st = RMAT_ERR_NOMEM;
    }
    for (uint64_t at = 0; !st && at < count; at += f.slice) {
        const uint64_t some_of = count - at < f.slice ? count - at : f.slice;

        st = search_slice(&f, first + at, some_of, at + some_of == count);
    }
    free(f.candidates);
    free(f.which);
    free(f.packed);
    free(f.found);
    if (st) {
        free(f.list);
        return st;
    }
    *list = f.list;
    *n = f.n_list;
    return RMAT_OK;
}
