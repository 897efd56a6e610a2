/*
 * rmat_interval_unseen() on the CPU: the first occurrences, in a range of the stream, of edges that
 * a sorted interval lacks.
 *
 * The range is searched slice by slice.  The candidates of a slice, its edges in the interval, are
 * sorted by key and index; the first candidate of each key is unseen if neither the interval nor
 * the slices before have the key.  Where the interval has a bit map of its keys, a copy of it, to
 * which the list is added, drops the candidates that have been seen, before they are sorted.
 */
#include "rmat/cpu/arrays.h"
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SLICE_BITS = 25 }; /* of the number of edges of a slice */

/* Edges of the first slice and of others, at most, where a bit map leaves few candidates: slices
 * grow as these become fewer.  At the end of each all threads wait for the last one. */
#define FIRST_SEEN_SLICE ((uint64_t)1 << 17)
#define MOST_SEEN_SLICE  ((uint64_t)1 << 21)
#define FEW_CANDIDATES   16 /* of so many edges, one */

/* A candidate whose key and index do not fit into 128 bits together; others are key << index_bits |
 * index. */
typedef struct {
    rmat_key key;
    uint64_t index; /* in the slice, as everywhere here */
} candidate;

typedef struct {
    const rmat_interval *b;
    const rmat_cpu_interval *s;
    int threads, index_bits;
    uint64_t most_slice, slice; /* edges of a slice: that there is room for, now */
    uint64_t base;              /* the slice's first edge */
    _Atomic uint64_t n;         /* candidates */
    union {                     /* the candidates as they are gathered, then their keys in order */
        void *memory;
        candidate *wide;
        rmat_key *keys;
    } u;
    uint32_t *index; /* of the candidates, in the order of their keys */
    uint32_t *which; /* by index: 1 + the position of the unseen candidate among the keys, or 0 */
    uint64_t *seen;  /* bits of the keys in the interval and before the slice, or NULL */
    rmat_key *found; /* the keys of the list, in order, without a bit map */
    rmat_first_seen *list;
    uint64_t n_list, most;
} search;

/* The threads that so many candidates are worth. */
static int threads_for_search(const search *f, uint64_t n)
{
    const int most = rmat_threads_for(f->b->gen, n, RMAT_WORTH_THREAD);

    return most < f->threads ? most : f->threads;
}

static bool is_wide(const search *f)
{
    return f->s->in.bits + f->index_bits > 128;
}

/* The candidates that have not been seen.  Keys have few bits. */
static uint64_t keep_unseen(const search *f, uint64_t first, uint64_t n, const void *src,
                            const void *dst, int id_bytes, candidate *kept)
{
    const rmat_key_range *in = &f->s->in;
    const uint64_t first_src = in->first.src, first_dst = in->first.dst, rows = in->rows;
    const uint64_t last = (uint64_t)in->last;
    uint64_t k = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t s = id_at(src, i, id_bytes) - first_src, d = id_at(dst, i, id_bytes);
        const uint64_t key = (s << in->dst_bits) + d - first_dst;

        if (s <= rows && key <= last && !rmat_seen_has(f->seen, key) &&
            !(in->no_loops && s + first_src == d)) {
            kept[k++] = (candidate){key, first + i - f->base};
        }
    }
    return k;
}

static int search_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                        const void *dst, const void *weight, int id_bytes)
{
    search *f = to;
    const rmat_key_range *in = &f->s->in;
    candidate kept[RMAT_PASS_PIECE];
    uint64_t k = 0, at;

    (void)thread, (void)weight;
    if (f->seen != NULL) {
        k = keep_unseen(f, first, n, src, dst, id_bytes, kept);
    }
    for (uint64_t i = 0; i < n && f->seen == NULL; i++) {
        const uint64_t s = id_at(src, i, id_bytes), d = id_at(dst, i, id_bytes);

        kept[k].key = rmat_key_of(in, s, d);
        kept[k].index = first + i - f->base;
        k +=
            (s - in->first.src <= in->rows) & (kept[k].key <= in->last) & !(in->no_loops && s == d);
    }
    at = atomic_fetch_add(&f->n, k);
    if (is_wide(f)) {
        memcpy(f->u.wide + at, kept, k * sizeof *kept);
        return 0;
    }
    for (uint64_t i = 0; i < k; i++) {
        f->u.keys[at + i] = kept[i].key << f->index_bits | kept[i].index;
    }
    return 0;
}

static int compare_candidates(const void *x, const void *y)
{
    const candidate *a = x, *b = y;

    return a->key != b->key ? (a->key > b->key) - (a->key < b->key)
                            : (a->index > b->index) - (a->index < b->index);
}

/* Sorts by key and index, into f->u.keys and f->index. */
static int sort_candidates(search *f)
{
    const uint64_t n = f->n, mask = ((uint64_t)1 << f->index_bits) - 1;

    if (is_wide(f)) {
        qsort(f->u.wide, n, sizeof *f->u.wide, compare_candidates);
        for (uint64_t i = 0; i < n; i++) {
            const candidate c = f->u.wide[i];

            f->index[i] = (uint32_t)c.index;
            f->u.keys[i] = c.key; /* overwrites candidates that have been read */
        }
        return RMAT_OK;
    }
    RMAT_OR_RETURN(rmat_keys128.sort(f->u.keys, n, f->s->in.bits + f->index_bits, f->threads));
#pragma omp parallel for num_threads(threads_for_search(f, n))
    for (uint64_t i = 0; i < n; i++) {
        f->index[i] = (uint32_t)((uint64_t)f->u.keys[i] & mask);
        f->u.keys[i] >>= f->index_bits;
    }
    return RMAT_OK;
}

/* Marks the unseen candidates in f->which. */
static void mark_unseen(search *f)
{
    const rmat_cpu_interval *s = f->s;
    const rmat_key *keys = f->u.keys;
    const uint64_t n = f->n, n_found = f->seen == NULL ? f->n_list : 0;

    memset(f->which, 0, f->slice * sizeof *f->which);
#pragma omp parallel num_threads(threads_for_search(f, n))
    {
        uint32_t in_interval = 0;
        uint64_t in_found = 0;

#pragma omp for schedule(static)
        for (uint64_t i = 0; i < n; i++) {
            if (i && keys[i] == keys[i - 1]) {
                continue;
            }
            in_found = rmat_keys128.seek(f->found, n_found, in_found, keys[i]);
            if (!rmat_cpu_interval_has(s, &in_interval, keys[i]) &&
                (in_found == n_found || f->found[in_found] != keys[i])) {
                f->which[f->index[i]] = (uint32_t)i + 1;
            }
        }
    }
}

/* Appends the marked candidates to the list, by index. */
static int list_marked(search *f)
{
    uint64_t more = 0;
    rmat_first_seen *list;

    for (uint64_t i = 0; i < f->slice; i++) {
        more += f->which[i] != 0;
    }
    if (more > f->most - f->n_list) {
        return RMAT_ERR_FULL;
    }
    if (!more) {
        return RMAT_OK;
    }
    list = realloc(f->list, (f->n_list + more) * sizeof *list);
    if (list == NULL) {
        return RMAT_ERR_NOMEM;
    }
    f->list = list;
    for (uint64_t i = 0; i < f->slice; i++) {
        if (f->which[i]) {
            list[f->n_list++] =
                (rmat_first_seen){rmat_cell_of(&f->s->in, f->u.keys[f->which[i] - 1]), f->base + i};
        }
    }
    return RMAT_OK;
}

/* Merges the keys of the f->n_list - before marked candidates into f->found. */
static int add_found(search *f, uint64_t before)
{
    const uint64_t more = f->n_list - before;
    rmat_key *found;
    uint64_t k = 0;

    if (!more) {
        return RMAT_OK;
    }
    found = malloc(f->n_list * sizeof *found);
    if (found == NULL) {
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < f->n; i++) {
        if (f->which[f->index[i]] == i + 1) {
            f->u.keys[k++] = f->u.keys[i];
        }
    }
    rmat_keys128.merge(f->found, before, f->u.keys, more, found, f->threads);
    free(f->found);
    f->found = found;
    return RMAT_OK;
}

static int search_slice(search *f, uint64_t count, bool last)
{
    rmat_pass pass = {.gen = f->b->gen, .first = f->base, .count = count};
    const uint64_t before = f->n_list;

    atomic_store(&f->n, 0);
    rmat_run_pass(&pass, f->threads, search_piece, f);
    RMAT_OR_RETURN(rmat_pass_end(&pass));
    if (atomic_load(&f->n) == 0) {
        return RMAT_OK;
    }
    RMAT_OR_RETURN(sort_candidates(f));
    mark_unseen(f);
    RMAT_OR_RETURN(list_marked(f));
    for (uint64_t i = before; f->seen != NULL && i < f->n_list; i++) {
        const uint64_t key =
            (uint64_t)rmat_key_of(&f->s->in, f->list[i].cell.src, f->list[i].cell.dst);

        f->seen[key / 64] |= (uint64_t)1 << key % 64;
    }
    if (!last && f->seen == NULL) {
        RMAT_OR_RETURN(add_found(f, before));
    }
    return RMAT_OK;
}

/* A slice takes about 42 bytes for each of its edges while candidates are sorted, which is little
 * beside the interval. */
static int create_search(search *f, uint64_t count)
{
    const uint64_t most = (uint64_t)1 << MOST_SLICE_BITS, some = f->b->capacity / 16;

    if (f->s->seen != NULL) {
        const size_t bytes = rmat_seen_words(&f->s->in) * sizeof *f->seen;

        f->seen = malloc(bytes);
        if (f->seen == NULL) {
            return RMAT_ERR_NOMEM;
        }
        memcpy(f->seen, (const void *)f->s->seen, bytes);
    }
    f->slice = some < RMAT_PASS_PIECE ? RMAT_PASS_PIECE : some > most ? most : some;
    f->most_slice = f->seen != NULL && f->slice < MOST_SEEN_SLICE ? MOST_SEEN_SLICE : f->slice;
    f->most_slice = f->most_slice < count ? f->most_slice : count;
    f->slice = f->seen != NULL && f->slice < FIRST_SEEN_SLICE ? FIRST_SEEN_SLICE : f->slice;
    f->slice = f->slice < count ? f->slice : count;
    while (f->most_slice > (uint64_t)1 << f->index_bits) {
        f->index_bits++;
    }
    f->threads = rmat_threads_for(f->b->gen, f->most_slice, RMAT_WORTH_THREAD);
    f->u.memory = malloc(f->most_slice * (is_wide(f) ? sizeof *f->u.wide : sizeof *f->u.keys));
    f->index = malloc(f->most_slice * sizeof *f->index);
    f->which = malloc(f->most_slice * sizeof *f->which);
    return f->u.memory != NULL && f->index != NULL && f->which != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

int rmat_cpu_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                             rmat_first_seen **list, uint64_t *n)
{
    search f = {.b = b, .s = b->state, .most = most};
    int st;

    RMAT_TRY(create_search(&f, count));
    for (uint64_t at = 0, some; at < count; at += some) {
        const uint64_t left = count - at;

        f.base = first + at;
        some = left < f.slice ? left : f.slice;
        RMAT_TRY(search_slice(&f, some, left <= f.slice));
        if (f.n < some / FEW_CANDIDATES && f.slice <= f.most_slice / 2) {
            f.slice *= 2;
        }
    }
    *list = f.list;
    *n = f.n_list;
    f.list = NULL;
done:
    free(f.seen);
    free(f.u.memory);
    free(f.index);
    free(f.which);
    free(f.found);
    free(f.list);
    return st;
}
