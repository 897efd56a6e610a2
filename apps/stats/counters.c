/*
 * Degree counters of all vertices, dense or sparse, and histograms of degrees.
 *
 * Dense counters of one vertex lie side by side, since both are likely to be large.  The counters
 * that the next edges need are fetched into the cache in advance.  Threads add atomically, which
 * takes most of the time; where memory is plenty, each has counters of its own, which are added up.
 *
 * A histogram is an array for small degrees, and a list of the few large ones, which is sorted at
 * the end.
 */
#include "apps/stats/counters.h"
#include "apps/common/interrupt.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Histograms. */

bool histogram_create(histogram *h, uint64_t most_top)
{
    memset(h, 0, sizeof *h);
    h->most_top = most_top;
    h->top = malloc((size_t)(most_top + 1) * sizeof *h->top);
    return h->top != NULL;
}

void histogram_free(histogram *h)
{
    free(h->large);
    free(h->top);
    h->large = NULL;
    h->top = NULL;
}

static bool comes_before(const degree_top *a, const degree_top *b)
{
    return a->degree != b->degree ? a->degree > b->degree : a->vertex < b->vertex;
}

static void add_top(histogram *h, degree_top new)
{
    uint64_t at = h->n_top;

    if (at == h->most_top && (at == 0 || !comes_before(&new, &h->top[at - 1]))) {
        return;
    }
    h->n_top += at < h->most_top;
    for (at = h->n_top - 1; at > 0 && comes_before(&new, &h->top[at - 1]); at--) {
        h->top[at] = h->top[at - 1];
    }
    h->top[at] = new;
}

static void add_large(histogram *h, uint64_t degree)
{
    if (h->n_large == h->room) {
        uint64_t room = h->room > 0 ? 2 * h->room : 1024;
        uint64_t *large = realloc(h->large, (size_t)room * sizeof *large);

        if (large == NULL) {
            h->failed = true;
            return;
        }
        h->large = large;
        h->room = room;
    }
    h->large[h->n_large++] = degree;
}

static void histogram_add(histogram *h, uint64_t vertex, uint64_t degree)
{
    if (degree < HISTOGRAM_SMALL) {
        h->small[degree]++;
    } else {
        add_large(h, degree);
    }
    if (degree > 0) {
        add_top(h, (degree_top){vertex, degree});
    }
}

static void histogram_add_all(histogram *h, const histogram *more)
{
    for (uint64_t d = 0; d < HISTOGRAM_SMALL; d++) {
        h->small[d] += more->small[d];
    }
    for (uint64_t i = 0; i < more->n_large; i++) {
        add_large(h, more->large[i]);
    }
    for (uint64_t i = 0; i < more->n_top; i++) {
        add_top(h, more->top[i]);
    }
    h->failed = h->failed || more->failed;
}

static int compare_degrees(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool histogram_finish(histogram *h, degree_distribution *d)
{
    memset(d, 0, sizeof *d);
    d->bins = malloc((size_t)(HISTOGRAM_SMALL + h->n_large) * sizeof *d->bins);
    d->top = malloc((size_t)(h->n_top + 1) * sizeof *d->top);
    if (h->failed || d->bins == NULL || d->top == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < HISTOGRAM_SMALL; i++) {
        if (h->small[i] > 0) {
            d->bins[d->n_bins++] = (degree_bin){i, h->small[i]};
        }
    }
    if (h->n_large > 0) {
        qsort(h->large, h->n_large, sizeof *h->large, compare_degrees);
    }
    for (uint64_t i = 0; i < h->n_large; i++) {
        if (i == 0 || h->large[i] != h->large[i - 1]) {
            d->bins[d->n_bins++] = (degree_bin){h->large[i], 0};
        }
        d->bins[d->n_bins - 1].vertices++;
    }
    memcpy(d->top, h->top, (size_t)h->n_top * sizeof *d->top);
    d->n_top = h->n_top;
    return true;
}

/* Counters. */

#define INLINE static inline __attribute__((always_inline))

/* Entries of a hash table for each vertex in it. */
#define SPACE 1.5

/* Counters of each thread's own may take so much of the memory. */
enum { AHEAD = 128, COPIES_SHARE = 8 };

/* Edges, and counters to collect, between two looks at signals.  The first edges may each find a
 * huge page that the system has to clear: half a millisecond. */
enum { LOOK_EDGES = 64, LOOK_COUNTERS = 1 << 16 };

static double sparse_bytes(uint64_t rows, uint64_t cols, uint64_t edges)
{
    const double vertices = (double)rows + (double)cols, ends = 2 * (double)edges;

    return sizeof(counted_vertex) * (SPACE * (vertices < ends ? vertices : ends) + HASH_LEAST);
}

void counters_plan(degree_counters *c, uint64_t rows, uint64_t cols, uint64_t edges, bool square,
                   uint64_t memory, int threads)
{
    double dense, sparse = sparse_bytes(rows, cols, edges), bytes;

    *c = (degree_counters){.rows = rows,
                           .cols = cols,
                           .square = square,
                           .width = edges >> 32 == 0 ? 4 : 8,
                           .copies = 1};
    c->places = rows + cols;
    dense = (double)c->places * c->width;
    c->sparse = sparse < dense;
    bytes = c->sparse ? sparse : dense;
    memory -= c->sparse ? HASH_PROBES * sizeof(counted_vertex) : 0;
    c->passes = (uint64_t)(bytes / (double)memory) + 1;
    if (c->sparse) {
        c->range.slots = (uint64_t)(bytes / (double)c->passes / sizeof(counted_vertex)) + 1;
        c->range.slots = c->range.slots > HASH_LEAST ? c->range.slots : HASH_LEAST;
        c->range.passes = c->passes;
        c->bytes = (size_t)(c->range.slots + HASH_PROBES) * sizeof(counted_vertex);
    } else {
        c->count = (c->places / c->passes + 2) / 2 * 2; /* even: both counters of a vertex */
        if (bytes * threads <= (double)memory / COPIES_SHARE) {
            c->copies = (uint64_t)threads;
        }
        c->shared = c->copies < (uint64_t)threads;
        c->bytes = (size_t)(c->copies * c->count) * (size_t)c->width;
    }
}

bool counters_create(degree_counters *c, uint64_t pass)
{
    if (c->sparse) {
        c->range.pass = pass;
        c->table = table_alloc(c->bytes);
        return c->table != NULL;
    }
    c->first = pass * c->count;
    c->counters = table_alloc(c->bytes);
    return c->counters != NULL;
}

void counters_free(degree_counters *c)
{
    table_free(c->counters, c->bytes);
    table_free(c->table, c->bytes);
    c->counters = NULL;
    c->table = NULL;
}

INLINE void fetch_counter(const degree_counters *c, const char *counters, uint64_t place,
                          const int width)
{
    const uint64_t k = place - c->first;

    if (k < c->count) {
        __builtin_prefetch(counters + k * (uint64_t)width, 1);
    }
}

INLINE void increase_counter(const degree_counters *c, char *counters, uint64_t place, uint64_t by,
                             const int width)
{
    const uint64_t k = place - c->first;

    if (k >= c->count) {
        return;
    }
    if (width == 4 && c->shared) {
        __atomic_fetch_add((uint32_t *)(void *)counters + k, (uint32_t)by, __ATOMIC_RELAXED);
    } else if (c->shared) {
        __atomic_fetch_add((uint64_t *)(void *)counters + k, by, __ATOMIC_RELAXED);
    } else if (width == 4) {
        ((uint32_t *)(void *)counters)[k] += (uint32_t)by;
    } else {
        ((uint64_t *)(void *)counters)[k] += by;
    }
}

/* Runs of the same id, as sorted graphs have, are added at once. */
INLINE void add_dense(const degree_counters *c, char *counters, const void *ids, uint64_t n,
                      counter_placement p, const int id_bytes, const int width)
{
    uint64_t run = 1;

    for (uint64_t i = 0; i < n; i++, run++) {
        const uint64_t id = edge_id(ids, i, id_bytes);

        if (i % LOOK_EDGES == 0 && interrupt_signal() != 0) {
            return;
        }
        if (i + AHEAD < n) {
            fetch_counter(c, counters, (edge_id(ids, i + AHEAD, id_bytes) << p.shift) + p.offset,
                          width);
        }
        if (i + 1 == n || edge_id(ids, i + 1, id_bytes) != id) {
            increase_counter(c, counters, (id << p.shift) + p.offset, run, width);
            run = 0;
        }
    }
}

static void add_ids(const degree_counters *c, const void *ids, uint64_t n, counter_placement p,
                    int id_bytes, int thread)
{
    const uint64_t copy = c->shared ? 0 : (uint64_t)thread;
    char *counters = (char *)c->counters + copy * c->count * (uint64_t)c->width;

    if (id_bytes == 4 && c->width == 4) {
        add_dense(c, counters, ids, n, p, 4, 4);
    } else if (id_bytes == 4) {
        add_dense(c, counters, ids, n, p, 4, 8);
    } else if (c->width == 4) {
        add_dense(c, counters, ids, n, p, 8, 4);
    } else {
        add_dense(c, counters, ids, n, p, 8, 8);
    }
}

/* The vertex's entry, made if it has none; NULL: the table is full. */
static counted_vertex *find_vertex(counted_vertex *at, uint64_t key)
{
    for (const counted_vertex *end = at + HASH_PROBES; at < end; at++) {
        uint64_t found = __atomic_load_n(&at->key, __ATOMIC_RELAXED);

        if (found == key ||
            (found == 0 && (__atomic_compare_exchange_n(&at->key, &found, key, false,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                            found == key))) {
            return at;
        }
    }
    return NULL;
}

static bool add_sparse(const degree_counters *c, const void *ids, uint64_t n, uint64_t offset,
                       bool source, int id_bytes)
{
    uint64_t keys[HASH_AHEAD], slots[HASH_AHEAD], waiting = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t vertex = edge_id(ids, i, id_bytes) + offset;

        if (i % LOOK_EDGES == 0 && interrupt_signal() != 0) {
            return true;
        }

        if (hash_place(&c->range, hash_mix(vertex), &slots[waiting])) {
            __builtin_prefetch(&c->table[slots[waiting]], 1);
            keys[waiting++] = vertex + 1;
        }
        if (waiting == HASH_AHEAD || i + 1 == n) {
            for (uint64_t k = 0; k < waiting; k++) {
                counted_vertex *v = find_vertex(c->table + slots[k], keys[k]);

                if (v == NULL) {
                    return false;
                }
                __atomic_fetch_add(source ? &v->out : &v->in, 1, __ATOMIC_RELAXED);
            }
            waiting = 0;
        }
    }
    return true;
}

bool counters_add(degree_counters *c, const edge_block *e, int thread)
{
    if (c->sparse) {
        return add_sparse(c, e->src, e->count, 0, true, e->id_bytes) &&
               add_sparse(c, e->dst, e->count, c->square ? 0 : c->rows, false, e->id_bytes);
    }
    add_ids(c, e->src, e->count, counters_place(c, true), e->id_bytes, thread);
    add_ids(c, e->dst, e->count, counters_place(c, false), e->id_bytes, thread);
    return true;
}

static uint64_t counter_value(const degree_counters *c, uint64_t k)
{
    uint64_t sum = 0;

    for (uint64_t end = c->copies * c->count; k < end; k += c->count) {
        sum +=
            c->width == 4 ? ((const uint32_t *)c->counters)[k] : ((const uint64_t *)c->counters)[k];
    }
    return sum;
}

/* key: a vertex, or of rows and columns that are not the same, one after the other. */
static void collect_vertex(const degree_counters *c, uint64_t key, uint64_t out, uint64_t in,
                           histogram of[DEGREE_KINDS])
{
    if (c->square) {
        histogram_add(&of[DEGREE_OUT], key, out);
        histogram_add(&of[DEGREE_IN], key, in);
        histogram_add(&of[DEGREE_TOTAL], key, out + in);
    } else if (key < c->rows) {
        histogram_add(&of[DEGREE_OUT], key, out);
    } else {
        histogram_add(&of[DEGREE_IN], key - c->rows, in);
    }
}

static void collect_dense(const degree_counters *c, uint64_t k, histogram of[DEGREE_KINDS])
{
    const uint64_t place = c->first + k;

    if (place >= c->places) {
        return;
    }
    if (c->square) {
        collect_vertex(c, place / 2, counter_value(c, k), counter_value(c, k + 1), of);
    } else {
        collect_vertex(c, place, counter_value(c, k), counter_value(c, k), of);
    }
}

/* Looked at now and then; from then on the rest of a share is only run through. */
static bool collecting_is_stopped(uint64_t i)
{
    static _Thread_local bool stopped;

    if (i % LOOK_COUNTERS == 0) {
        stopped = interrupt_signal() != 0;
    }
    return stopped;
}

static void collect_share(const degree_counters *c, histogram of[DEGREE_KINDS])
{
    const uint64_t step = c->square ? 2 : 1;

    if (c->sparse) {
#pragma omp for schedule(static)
        for (uint64_t i = 0; i < c->range.slots + HASH_PROBES; i++) {
            if (collecting_is_stopped(i)) {
                continue;
            }
            if (c->table[i].key != 0) {
                collect_vertex(c, c->table[i].key - 1, c->table[i].out, c->table[i].in, of);
            }
        }
    } else {
#pragma omp for schedule(static)
        for (uint64_t k = 0; k < c->count; k += step) {
            if (!collecting_is_stopped(k)) {
                collect_dense(c, k, of);
            }
        }
    }
}

/* One histogram of each kind for each thread. */
static bool collect_on_threads(const degree_counters *c, int threads, histogram *all)
{
    bool good = true;

#pragma omp parallel num_threads(threads)
    collect_share(c, all + DEGREE_KINDS * omp_get_thread_num());
    for (int i = 0; i < DEGREE_KINDS * threads; i++) {
        good = good && !all[i].failed;
    }
    return good;
}

bool counters_collect(const degree_counters *c, int threads, histogram of[DEGREE_KINDS])
{
    const int n = DEGREE_KINDS * threads;
    const size_t bytes = (size_t)n * sizeof(histogram);
    histogram *all = aligned_alloc(_Alignof(histogram), bytes);
    bool good = all != NULL;

    if (good) {
        memset(all, 0, bytes);
    }
    for (int i = 0; good && i < n; i++) {
        good = histogram_create(&all[i], of[i % DEGREE_KINDS].most_top);
    }
    good = good && collect_on_threads(c, threads, all);
    for (int i = 0; all != NULL && i < n; i++) {
        if (good) {
            histogram_add_all(&of[i % DEGREE_KINDS], &all[i]);
        }
        histogram_free(&all[i]);
    }
    free(all);
    return good;
}
