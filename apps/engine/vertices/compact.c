/*
 * compact.c - an edge source whose vertices are those that have an edge, numbered from 0.
 *
 * A first pass finds which ids occur: in a bitmap, whose ranks are counted for every 512 bits; or,
 * where the ids are few among many, in a hash table that grows.  The ids in order make the list
 * `old`, and the place of an id in it is its index.  If vertices are left out or numbered by their
 * appearance, `number` has the number of each index.  Edges are renumbered whenever they are read.
 *
 * All threads fill the bitmap or the table at once, by atomic operations; the table grows between
 * two batches, while nobody else has the lock.  A pass that finds the order of appearance is made
 * by one thread, which gets the edges in their order.
 */
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "apps/engine/vertices/vertices.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE   UINT64_MAX       /* no such vertex, or one that is left out */
#define UNSEEN (UINT64_MAX - 1) /* it will have a number once it appears */

enum { BATCH = 512, WORDS = 8 };

typedef struct {
    edge_source *inner;
    compact_options options;
    vertices_run run;
    uint64_t range, bytes; /* ids are below it; memory so far */

    /* A bitmap and, for every WORDS of it, the ids before them; or NULL, and: */
    _Atomic uint64_t *bits;
    uint64_t *before;
    /* A table of ids plus 1, 0 where there is none, with their indices beside. */
    _Atomic uint64_t *keys;
    uint64_t *values, slots;
    _Atomic uint64_t used;
    pthread_rwlock_t lock;
    atomic_bool full; /* the table cannot grow */

    uint64_t *old, n;    /* by index; and how many, at last by the new numbers */
    uint64_t *number;    /* by index, or NULL: the index itself */
    uint64_t *component; /* while they are found: `number` */
    uint64_t *first;     /* the edges before each piece that are kept, or NULL: all are */
    uint64_t next;       /* number */
} compaction;

int vertices_memory(const vertices_run *run, uint64_t bytes, uint64_t more, const char *what)
{
    const uint64_t most = run->memory != 0 ? run->memory : sorted_default_memory();

    return bytes <= most && more <= most - bytes
               ? ENGINE_OK
               : engine_refuse("memory", "%s take %" PRIu64 " bytes, allowed: up to %" PRIu64, what,
                               bytes + more, most);
}

/* *out: n elements of 8 bytes, all 0, which count as memory. */
static int allocate(compaction *x, void *out, uint64_t n, const char *what)
{
    const int status = vertices_memory(&x->run, x->bytes, 8 * n, what);
    void *memory = status == ENGINE_OK ? calloc(n + 1, 8) : NULL;

    if (status != ENGINE_OK || memory == NULL) {
        return status != ENGINE_OK ? status : engine_fail("memory is exhausted");
    }
    x->bytes += 8 * n;
    memcpy(out, &memory, sizeof memory);
    return ENGINE_OK;
}

/* Which ids there are. */

static uint64_t slot_of(const compaction *x, uint64_t id)
{
    return (id ^ id >> 31) * 0x9e3779b97f4a7c15 >> __builtin_clzll(x->slots - 1);
}

static uint64_t index_of(const compaction *x, uint64_t id)
{
    const uint64_t word = id / 64, begin = word / WORDS * WORDS, bit = (uint64_t)1 << id % 64;
    uint64_t rank;

    if (id >= x->range) {
        return NONE;
    }
    if (x->bits == NULL) {
        for (uint64_t at = slot_of(x, id);; at = (at + 1) & (x->slots - 1)) {
            if (x->keys[at] == id + 1) {
                return x->values[at];
            }
            if (x->keys[at] == 0) {
                return NONE;
            }
        }
    }
    if (!(x->bits[word] & bit)) {
        return NONE;
    }
    rank = x->before[word / WORDS] + (uint64_t)__builtin_popcountll(x->bits[word] & (bit - 1));
    for (uint64_t i = begin; i < word; i++) {
        rank += (uint64_t)__builtin_popcountll(x->bits[i]);
    }
    return rank;
}

static uint64_t number_of(const compaction *x, uint64_t id)
{
    const uint64_t index = index_of(x, id);

    return index == NONE || x->number == NULL ? index : x->number[index];
}

/* Returns 1 if the id is new to the table. */
static uint64_t insert(compaction *x, uint64_t id)
{
    for (uint64_t at = slot_of(x, id);; at = (at + 1) & (x->slots - 1)) {
        uint64_t there = atomic_load_explicit(&x->keys[at], memory_order_relaxed);

        if (there == 0 && atomic_compare_exchange_strong(&x->keys[at], &there, id + 1)) {
            return 1;
        }
        if (there == id + 1) {
            return 0;
        }
    }
}

static bool is_crowded(const compaction *x)
{
    const uint64_t coming = 2 * BATCH * (uint64_t)x->run.threads;

    return x->used + coming > x->slots / 4 * 3;
}

/* Twice the slots.  Holding the lock alone. */
static void grow(compaction *x)
{
    _Atomic uint64_t *old = x->keys;
    const uint64_t slots = x->slots;

    if (allocate(x, &x->keys, 2 * slots, "tables of the vertices") != ENGINE_OK) {
        atomic_store(&x->full, true);
        return;
    }
    x->slots = 2 * slots;
    for (uint64_t i = 0; i < slots; i++) {
        if (old[i] != 0) {
            insert(x, old[i] - 1);
        }
    }
    free((void *)old);
    x->bytes -= 8 * slots;
}

static void insert_batch(compaction *x, const edge_block *e, uint64_t from, uint64_t to)
{
    uint64_t new = 0;

    pthread_rwlock_rdlock(&x->lock);
    while (is_crowded(x) && !x->full) {
        pthread_rwlock_unlock(&x->lock);
        pthread_rwlock_wrlock(&x->lock);
        if (is_crowded(x) && !x->full) {
            grow(x);
        }
        pthread_rwlock_unlock(&x->lock);
        pthread_rwlock_rdlock(&x->lock);
    }
    for (uint64_t i = from; i < to && !x->full; i++) {
        const uint64_t u = edge_id(e->src, i, e->id_bytes), v = edge_id(e->dst, i, e->id_bytes);

        if (u != v || !x->options.no_isolated) {
            new += insert(x, u) + insert(x, v);
        }
    }
    atomic_fetch_add(&x->used, new);
    pthread_rwlock_unlock(&x->lock);
}

static void set_bit(compaction *x, uint64_t id)
{
    _Atomic uint64_t *word = &x->bits[id / 64];
    const uint64_t bit = (uint64_t)1 << id % 64;

    if (!(atomic_load_explicit(word, memory_order_relaxed) & bit)) {
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
    }
}

static int find_ids(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    compaction *x = state;
    const edge_block *e = &m->edges;

    (void)thread;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = edge_id(e->src, i, e->id_bytes), v = edge_id(e->dst, i, e->id_bytes);

        if (u >= x->range || v >= x->range) {
            snprintf(text, size,
                     "an edge has the vertex %" PRIu64 ", but there are only %" PRIu64 " vertices",
                     u > v ? u : v, x->range);
            return -1;
        }
        if (x->bits != NULL && (u != v || !x->options.no_isolated)) {
            set_bit(x, u);
            set_bit(x, v);
        }
    }
    for (uint64_t i = 0; i < e->count && x->bits == NULL; i += BATCH) {
        insert_batch(x, e, i, e->count - i < BATCH ? e->count : i + BATCH);
    }
    if (x->full) {
        snprintf(text, size, "%s", "");
    }
    return x->full ? -1 : 0;
}

static int compare_ids(const void *a, const void *b, void *unused)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    (void)unused;
    return (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b, void *names)
{
    size_t n[2];
    const char *x = graphfile_name_of(names, *(const uint64_t *)a, &n[0]),
               *y = graphfile_name_of(names, *(const uint64_t *)b, &n[1]);
    const int order = memcmp(x, y, n[0] < n[1] ? n[0] : n[1]);

    return order != 0 ? order : (n[0] > n[1]) - (n[0] < n[1]);
}

/* The list of ids in the table, in order, which then has their indices. */
static int list_table(compaction *x)
{
    int status;

    x->n = x->used;
    status = allocate(x, &x->old, x->n, "the numbers of the vertices");
    if (status == ENGINE_OK) {
        status = allocate(x, &x->values, x->slots, "tables of the vertices");
    }
    if (status != ENGINE_OK) {
        return status;
    }
    for (uint64_t i = 0, n = 0; i < x->slots; i++) {
        if (x->keys[i] != 0) {
            x->old[n++] = x->keys[i] - 1;
        }
    }
    qsort_r(x->old, x->n, sizeof *x->old,
            x->options.names != NULL && !x->options.first ? compare_names : compare_ids,
            (void *)x->options.names);
    for (uint64_t i = 0; i < x->n; i++) {
        uint64_t at = slot_of(x, x->old[i]);

        while (x->keys[at] != x->old[i] + 1) {
            at = (at + 1) & (x->slots - 1);
        }
        x->values[at] = i;
    }
    return ENGINE_OK;
}

static int list_bitmap(compaction *x)
{
    const uint64_t words = x->range / 64 + 1;
    int status;

    for (uint64_t i = 0; i < words; i++) {
        if (i % WORDS == 0) {
            x->before[i / WORDS] = x->n;
        }
        x->n += (uint64_t)__builtin_popcountll(x->bits[i]);
    }
    status = allocate(x, &x->old, x->n, "the numbers of the vertices");
    for (uint64_t i = 0, n = 0; i < words && status == ENGINE_OK; i++) {
        for (uint64_t word = x->bits[i]; word != 0; word &= word - 1) {
            x->old[n++] = 64 * i + (uint64_t)__builtin_ctzll(word);
        }
    }
    return status;
}

/* A bitmap, unless a table of all ends of edges would be smaller. */
static int choose_table(compaction *x)
{
    const graphfile_graph *g = &edge_source_facts_of(x->inner)->graph;
    const uint64_t words = x->range / 64 + 1, least = 16 * BATCH * (uint64_t)x->run.threads;
    const uint64_t bytes = words < UINT64_MAX / 16 ? 9 * words : UINT64_MAX;

    if (x->options.names == NULL && (words < least || words / 8 < g->edges) &&
        vertices_memory(&x->run, 0, bytes, "a bitmap of the vertices") == ENGINE_OK) {
        const int status = allocate(x, &x->bits, words, "a bitmap of the vertices");

        return status == ENGINE_OK
                   ? allocate(x, &x->before, words / WORDS + 1, "a bitmap of the vertices")
                   : status;
    }
    for (x->slots = 1; x->slots < least;) {
        x->slots *= 2;
    }
    return allocate(x, &x->keys, x->slots, "tables of the vertices");
}

/* All edges once. */
static int pass(compaction *x, const char *phase, int threads,
                int (*visit)(void *, int, const edge_piece_memory *, char *, size_t))
{
    const edge_walk_body body = {visit, NULL, x};
    engine_meter meter =
        engine_meter_of(x->run.watch, phase, edge_source_facts_of(x->inner)->graph.edges, 0);

    return edge_walk(x->inner, threads, &body, &meter);
}

/* The numbers of vertices that are left out, or numbered as they appear. */

static int unite(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const compaction *x = state;
    const edge_block *e = &m->edges;

    (void)thread;
    (void)text;
    (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = index_of(x, edge_id(e->src, i, e->id_bytes));
        const uint64_t v = index_of(x, edge_id(e->dst, i, e->id_bytes));

        if (u != NONE && v != NONE) {
            components_unite(x->component, u, v);
        }
    }
    return 0;
}

static void appear(compaction *x, uint64_t id)
{
    const uint64_t index = index_of(x, id);

    if (index != NONE && x->number[index] == UNSEEN) {
        x->number[index] = x->next++;
    }
}

static int find_order(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const edge_block *e = &m->edges;

    (void)thread;
    (void)text;
    (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        appear(state, edge_id(e->src, i, e->id_bytes));
        appear(state, edge_id(e->dst, i, e->id_bytes));
    }
    return 0;
}

static bool is_kept(const compaction *x, const edge_block *e, uint64_t i)
{
    return number_of(x, edge_id(e->src, i, e->id_bytes)) != NONE &&
           number_of(x, edge_id(e->dst, i, e->id_bytes)) != NONE;
}

static int count_kept(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const compaction *x = state;
    uint64_t kept = 0;

    (void)thread;
    (void)text;
    (void)size;
    for (uint64_t i = 0; i < m->edges.count; i++) {
        kept += is_kept(x, &m->edges, i);
    }
    x->first[m->number] = kept;
    return 0;
}

static int find_largest(compaction *x)
{
    uint64_t largest;
    int status;

    components_begin(x->component, x->n);
    status = pass(x, "finding components", x->run.threads, unite);
    if (status == ENGINE_OK) {
        components_close(x->component, x->n, &largest);
        for (uint64_t i = 0; i < x->n; i++) {
            x->number[i] = x->component[i] != largest ? NONE : UNSEEN;
        }
    }
    return status;
}

/* `old` by the new numbers. */
static int reorder(compaction *x)
{
    uint64_t *by_number;
    int status = allocate(x, &by_number, x->next, "the numbers of the vertices");

    for (uint64_t i = 0; i < x->n && status == ENGINE_OK; i++) {
        if (x->number[i] < UNSEEN) {
            by_number[x->number[i]] = x->old[i];
        }
    }
    if (status == ENGINE_OK) {
        free(x->old);
        x->bytes -= 8 * x->n;
        x->old = by_number;
        x->n = x->next;
    }
    return status;
}

static int renumber(compaction *x)
{
    const compact_options *o = &x->options;
    int status = ENGINE_OK;

    if (!o->first && !o->largest) {
        return ENGINE_OK;
    }
    status = allocate(x, &x->number, x->n, "the numbers of the vertices");
    if (status != ENGINE_OK) {
        return status;
    }
    x->component = x->number;
    for (uint64_t i = 0; i < x->n; i++) {
        x->number[i] = UNSEEN;
    }
    if (o->largest) {
        status = find_largest(x);
    }
    if (status == ENGINE_OK && o->first) {
        status = pass(x, "numbering vertices", 1, find_order);
    }
    for (uint64_t i = 0; i < x->n && !o->first; i++) {
        x->number[i] = x->number[i] == UNSEEN ? x->next++ : NONE;
    }
    return status == ENGINE_OK ? reorder(x) : status;
}

/* Where edges are left out, how many of them the pieces have. */
static int count_edges(compaction *x, graphfile_graph *g)
{
    const uint64_t pieces = edge_source_facts_of(x->inner)->pieces;
    uint64_t sum = 0;
    int status;

    if (!x->options.largest && !x->options.no_isolated) {
        return ENGINE_OK;
    }
    status = allocate(x, &x->first, pieces + 1, "places of the edges");
    if (status == ENGINE_OK) {
        status = pass(x, "counting edges", x->run.threads, count_kept);
    }
    for (uint64_t i = 0; i <= pieces && status == ENGINE_OK; i++) {
        const uint64_t own = x->first[i];

        x->first[i] = sum;
        sum += own;
    }
    g->edges = sum;
    return status;
}

/* The source itself. */

static uint64_t first_of(const edge_source *s, uint64_t piece)
{
    const compaction *x = s->state;

    return x->first != NULL ? x->first[piece] : edge_source_first(x->inner, piece);
}

static void store(void *ids, uint64_t i, int id_bytes, uint64_t id)
{
    if (id_bytes == 4) {
        ((uint32_t *)ids)[i] = (uint32_t)id;
    } else {
        ((uint64_t *)ids)[i] = id;
    }
}

static int read_compact(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const compaction *x = s->state;
    const uint64_t first = first_of(s, m->number), count = first_of(s, m->number + 1) - first;
    uint64_t kept = 0;
    edge_block *e = &m->edges;

    if (edge_source_read(x->inner, m, text, size) != 0) {
        return -1;
    }
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = number_of(x, edge_id(m->src, i, e->id_bytes));
        const uint64_t v = number_of(x, edge_id(m->dst, i, e->id_bytes));

        if (u == NONE || v == NONE) {
            continue;
        }
        store(m->src, kept, e->id_bytes, u);
        store(m->dst, kept, e->id_bytes, v);
        if (m->weight != NULL) {
            ((uint32_t *)m->weight)[kept] = ((const uint32_t *)m->weight)[i];
        }
        kept++;
    }
    e->first = first;
    e->count = kept;
    if (kept != count) {
        snprintf(text, size, "the edges changed while they were read");
        return -1;
    }
    return 0;
}

static void free_compaction(compaction *x)
{
    pthread_rwlock_destroy(&x->lock);
    free((void *)x->bits);
    free(x->before);
    free((void *)x->keys);
    free(x->values);
    free(x->old);
    free(x->number);
    free(x->first);
    free(x);
}

static void close_compact(edge_source *s)
{
    compaction *x = s->state;

    edge_source_close(x->inner);
    free_compaction(x);
}

static const edge_source_ops ops = {read_compact, close_compact, first_of};

uint64_t compact_old(const edge_source *source, uint64_t v)
{
    return source->ops == &ops ? ((const compaction *)source->state)->old[v] : v;
}

/* What is known of the edges stays true, but for their order and their model. */
static void set_facts(edge_source *s, const compaction *x, uint64_t edges)
{
    edge_source_facts *f = &s->facts;
    const edge_source_facts *in = edge_source_facts_of(x->inner);

    *f = *in;
    f->reader = NULL;
    f->model = NULL;
    f->known = false;
    f->graph.rows = f->graph.cols = x->n;
    f->graph.edges = edges;
    f->graph.sorted = in->graph.sorted && !x->options.first;
    edge_source_set_ids(s, x->n <= (uint64_t)1 << (in->graph.signed_ids ? 31 : 32) ? 4 : 8,
                        in->graph.signed_ids);
}

static int make(compaction *x, uint64_t *edges)
{
    graphfile_graph g = edge_source_facts_of(x->inner)->graph;
    int status = choose_table(x);

    if (status == ENGINE_OK) {
        status = pass(x, "finding vertices", x->run.threads, find_ids);
        if (status == ENGINE_ERR_RUN && x->full) {
            status = vertices_memory(&x->run, x->bytes, 16 * x->slots, "tables of the vertices");
            status = status != ENGINE_OK ? status : engine_fail("memory is exhausted");
        }
    }
    if (status == ENGINE_OK) {
        status = x->bits != NULL ? list_bitmap(x) : list_table(x);
    }
    if (status == ENGINE_OK) {
        status = renumber(x);
    }
    if (status == ENGINE_OK) {
        status = count_edges(x, &g);
    }
    *edges = g.edges;
    return status;
}

int compact_source(edge_source **source, const compact_options *options, const vertices_run *run)
{
    const graphfile_graph *g = &edge_source_facts_of(*source)->graph;
    compaction *x = calloc(1, sizeof *x);
    edge_source *s = x != NULL ? edge_source_new(&ops, x) : NULL;
    uint64_t edges = 0;
    int status = s != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    if (x != NULL) {
        pthread_rwlock_init(&x->lock, NULL);
        x->inner = *source;
        x->options = *options;
        x->run = *run;
        x->range = g->rows;
    }
    if (status == ENGINE_OK) {
        status = make(x, &edges);
    }
    if (status == ENGINE_OK) {
        set_facts(s, x, edges);
        *source = s;
    } else if (x != NULL) {
        free_compaction(x);
        free(s);
    }
    return status;
}
