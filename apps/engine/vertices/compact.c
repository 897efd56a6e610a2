/*
 * compact.c - an edge source whose vertices are those that have an edge, numbered from 0.
 *
 * A first pass finds which ids occur: in a bitmap, whose ranks are counted for every 512 bits; or,
 * where the ids are few among many, in a hash table that grows.  The ids in order make the list
 * `old`, and the place of an id in it is its index.  If vertices are left out or numbered by their
 * appearance, `number` has the number of each index.  Edges are renumbered whenever they are read.
 * The pass that finds the order of appearance is made by one thread, which gets the edges in order.
 */
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "apps/engine/vertices/vertices.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE   UINT64_MAX       /* no such vertex, or one that is left out */
#define UNSEEN (UINT64_MAX - 1) /* it will have a number once it appears */
#define WHAT   "the numbers of the vertices"

enum { WORDS = 8, LEAST = 1 << 12 };

typedef struct {
    edge_source *inner;
    compact_options options;
    vertices_run run;
    uint64_t range, bytes; /* ids are below it; memory so far */
    enum { FIND, UNITE, ORDER, COUNT } step;

    /* A bitmap and, for every WORDS of it, the ids before them; or NULL, and: */
    uint64_t *bits, *before;
    /* A table of ids plus 1, 0 where there is none, with their indices beside; its memory where it
     * cannot grow to that. */
    uint64_t *keys, *values, slots, missing;
    pthread_mutex_t lock;

    uint64_t *old, n; /* by index; and how many, at last by the new numbers */
    uint64_t *number; /* by index, or NULL: the index itself */
    uint64_t *first;  /* the edges before each piece that are kept, or NULL: all are */
    uint64_t next;    /* number */
} compaction;

int vertices_memory(const vertices_run *run, uint64_t bytes, uint64_t more, const char *what)
{
    const uint64_t most = run->memory != 0 ? run->memory : sorted_default_memory();

    return bytes <= most && more <= most - bytes
               ? ENGINE_OK
               : engine_refuse("memory", "%s take %" PRIu64 " bytes, allowed: up to %" PRIu64, what,
                               bytes + more, most);
}

/* *out: n elements, all 0, which count as memory. */
static int allocate(compaction *x, uint64_t **out, uint64_t n)
{
    const int status = vertices_memory(&x->run, x->bytes, 8 * n, WHAT);

    if (status != ENGINE_OK) {
        return status;
    }
    *out = calloc(n + 1, sizeof **out);
    x->bytes += 8 * n;
    return *out != NULL ? ENGINE_OK : engine_fail("memory is exhausted");
}

/* The slot of an id, or the empty one where it would be. */
static uint64_t slot_of(const compaction *x, uint64_t id)
{
    uint64_t at = (id ^ id >> 31) * 0x9e3779b97f4a7c15 >> __builtin_clzll(x->slots - 1);

    while (x->keys[at] != 0 && x->keys[at] != id + 1) {
        at = (at + 1) & (x->slots - 1);
    }
    return at;
}

static uint64_t index_of(const compaction *x, uint64_t id)
{
    const uint64_t word = id / 64, bit = (uint64_t)1 << id % 64;
    uint64_t rank;

    if (x->bits == NULL) {
        const uint64_t at = slot_of(x, id);

        return x->keys[at] != 0 ? x->values[at] : NONE;
    }
    if (id >= x->range || !(x->bits[word] & bit)) {
        return NONE;
    }
    rank = x->before[word / WORDS] + (uint64_t)__builtin_popcountll(x->bits[word] & (bit - 1));
    for (uint64_t i = word / WORDS * WORDS; i < word; i++) {
        rank += (uint64_t)__builtin_popcountll(x->bits[i]);
    }
    return rank;
}

static uint64_t number_of(const compaction *x, uint64_t id)
{
    const uint64_t index = index_of(x, id);

    return index == NONE || x->number == NULL ? index : x->number[index];
}

/* Twice the slots. */
static int grow(compaction *x)
{
    uint64_t *const old = x->keys, slots = x->slots;
    const int status = allocate(x, &x->keys, 2 * slots);

    if (status != ENGINE_OK) {
        x->keys = old;
        x->missing = 16 * slots;
        return status;
    }
    x->slots = 2 * slots;
    for (uint64_t i = 0; i < slots; i++) {
        if (old[i] != 0) {
            x->keys[slot_of(x, old[i] - 1)] = old[i];
        }
    }
    free(old);
    x->bytes -= 8 * slots;
    return ENGINE_OK;
}

static int add(compaction *x, uint64_t id)
{
    uint64_t *word, at;

    if (x->bits != NULL) {
        word = &x->bits[id / 64];
        if (!(__atomic_load_n(word, __ATOMIC_RELAXED) >> id % 64 & 1)) {
            __atomic_fetch_or(word, (uint64_t)1 << id % 64, __ATOMIC_RELAXED);
        }
        return ENGINE_OK;
    }
    at = slot_of(x, id);
    x->n += x->keys[at] == 0;
    x->keys[at] = id + 1;
    return 4 * x->n > 3 * x->slots ? grow(x) : ENGINE_OK;
}

static int find_ids(compaction *x, const edge_block *e, char *text, size_t size)
{
    int status = ENGINE_OK;

    for (uint64_t i = 0; i < e->count && status == ENGINE_OK; i++) {
        const uint64_t u = edge_id(e->src, i, e->id_bytes), v = edge_id(e->dst, i, e->id_bytes);

        if (u >= x->range || v >= x->range) {
            status = engine_fail("an edge has the vertex %" PRIu64 ", but there are only %" PRIu64
                                 " vertices",
                                 u > v ? u : v, x->range);
        } else if (u != v || !x->options.no_isolated) {
            status = add(x, u);
            status = status == ENGINE_OK ? add(x, v) : status;
        }
    }
    snprintf(text, size, "%s", status == ENGINE_OK ? "" : engine_detail());
    return status == ENGINE_OK ? 0 : -1;
}

/* The step on a piece. */
static int visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    compaction *x = state;
    const edge_block *e = &m->edges;
    uint64_t kept = 0;
    int status;

    (void)thread;
    if (x->step == FIND) {
        if (x->bits != NULL) {
            return find_ids(x, e, text, size);
        }
        pthread_mutex_lock(&x->lock);
        status = find_ids(x, e, text, size);
        pthread_mutex_unlock(&x->lock);
        return status;
    }
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = index_of(x, edge_id(e->src, i, e->id_bytes));
        const uint64_t v = index_of(x, edge_id(e->dst, i, e->id_bytes));

        if (u == NONE || v == NONE) {
            continue;
        }
        if (x->step == UNITE) {
            components_unite(x->number, u, v);
        } else if (x->step == ORDER) {
            x->number[u] = x->number[u] == UNSEEN ? x->next++ : x->number[u];
            x->number[v] = x->number[v] == UNSEEN ? x->next++ : x->number[v];
        } else {
            kept += x->number == NULL || (x->number[u] != NONE && x->number[v] != NONE);
        }
    }
    if (x->step == COUNT) {
        x->first[m->number] = kept;
    }
    return 0;
}

static int pass(compaction *x, int step, const char *phase)
{
    const edge_walk_body body = {visit, NULL, x};
    engine_meter meter =
        engine_meter_of(x->run.watch, phase, edge_source_facts_of(x->inner)->graph.edges, 0);

    x->step = step;
    return edge_walk(x->inner, step == ORDER ? 1 : x->run.threads, &body, &meter);
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
    int status = allocate(x, &x->old, x->n);

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
    status = allocate(x, &x->values, x->slots); /* more than sorting took */
    for (uint64_t i = 0; i < x->n && status == ENGINE_OK; i++) {
        x->values[slot_of(x, x->old[i])] = i;
    }
    return status;
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
    status = allocate(x, &x->old, x->n);
    for (uint64_t i = 0, n = 0; i < words && status == ENGINE_OK; i++) {
        for (uint64_t word = x->bits[i]; word != 0; word &= word - 1) {
            x->old[n++] = 64 * i + (uint64_t)__builtin_ctzll(word);
        }
    }
    return status;
}

/* In a bitmap, unless a table of all ends of edges would be smaller. */
static int find_vertices(compaction *x)
{
    const uint64_t words = x->range / 64 + 1;
    int status;

    if (x->options.names == NULL &&
        (words < LEAST || words / 8 < edge_source_facts_of(x->inner)->graph.edges) &&
        vertices_memory(&x->run, 0, 9 * words, WHAT) == ENGINE_OK) {
        status = allocate(x, &x->bits, words);
        status = status == ENGINE_OK ? allocate(x, &x->before, words / WORDS + 1) : status;
    } else {
        x->slots = LEAST;
        status = allocate(x, &x->keys, x->slots);
    }
    if (status == ENGINE_OK) {
        status = pass(x, FIND, "finding vertices");
    }
    if (status == ENGINE_ERR_RUN && x->missing > 0) { /* it comes from another thread */
        return vertices_memory(&x->run, x->bytes, x->missing, WHAT);
    }
    return status != ENGINE_OK ? status : x->bits != NULL ? list_bitmap(x) : list_table(x);
}

/* The numbers of vertices that are left out, or numbered as they appear; and `old` by them. */
static int renumber(compaction *x)
{
    uint64_t *by_number, largest = UNSEEN;
    int status = ENGINE_OK;

    if (!x->options.first && !x->options.largest) {
        return ENGINE_OK;
    }
    status = allocate(x, &x->number, x->n);
    if (status == ENGINE_OK && x->options.largest) {
        components_begin(x->number, x->n);
        status = pass(x, UNITE, "finding components");
        components_close(x->number, x->n, &largest);
    }
    for (uint64_t i = 0; i < x->n && status == ENGINE_OK; i++) {
        const bool kept = !x->options.largest || x->number[i] == largest;

        x->number[i] = !kept ? NONE : x->options.first ? UNSEEN : x->next++;
    }
    if (status == ENGINE_OK && x->options.first) {
        status = pass(x, ORDER, "numbering vertices");
    }
    status = status == ENGINE_OK ? allocate(x, &by_number, x->next) : status;
    if (status != ENGINE_OK) {
        return status;
    }
    for (uint64_t i = 0; i < x->n; i++) {
        if (x->number[i] < UNSEEN) {
            by_number[x->number[i]] = x->old[i];
        }
    }
    free(x->old);
    x->old = by_number;
    x->n = x->next;
    return ENGINE_OK;
}

/* Where edges are left out, how many of them the pieces have. */
static int count_edges(compaction *x, uint64_t *edges)
{
    const uint64_t pieces = edge_source_facts_of(x->inner)->pieces;
    int status;

    *edges = edge_source_facts_of(x->inner)->graph.edges;
    if (!x->options.largest && !x->options.no_isolated) {
        return ENGINE_OK;
    }
    status = allocate(x, &x->first, pieces + 1);
    status = status == ENGINE_OK ? pass(x, COUNT, "counting edges") : status;
    *edges = 0;
    for (uint64_t i = 0; i <= pieces && status == ENGINE_OK; i++) {
        const uint64_t own = x->first[i];

        x->first[i] = *edges;
        *edges += own;
    }
    return status;
}

/* The source itself. */

static uint64_t first_of(const edge_source *s, uint64_t piece)
{
    const compaction *x = s->state;

    return x->first != NULL ? x->first[piece] : edge_source_first(x->inner, piece);
}

static int read_compact(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const compaction *x = s->state;
    edge_block *e = &m->edges;
    uint64_t kept = 0;

    if (edge_source_read(x->inner, m, text, size) != 0) {
        return -1;
    }
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = number_of(x, edge_id(m->src, i, e->id_bytes));
        const uint64_t v = number_of(x, edge_id(m->dst, i, e->id_bytes));

        if (u != NONE && v != NONE) {
            edge_set_id(m->src, kept, e->id_bytes, u);
            edge_set_id(m->dst, kept, e->id_bytes, v);
            if (m->weight != NULL) {
                ((uint32_t *)m->weight)[kept] = ((const uint32_t *)m->weight)[i];
            }
            kept++;
        }
    }
    e->first = first_of(s, m->number);
    e->count = kept;
    if (kept != first_of(s, m->number + 1) - e->first) {
        snprintf(text, size, "the edges changed while they were read");
        return -1;
    }
    return 0;
}

static void free_compaction(compaction *x)
{
    pthread_mutex_destroy(&x->lock);
    free(x->bits);
    free(x->before);
    free(x->keys);
    free(x->values);
    free(x->old);
    free(x->number);
    free(x->first);
    free(x);
}

static void close_compact(edge_source *s)
{
    edge_source_close(((compaction *)s->state)->inner);
    free_compaction(s->state);
}

static const edge_source_ops ops = {read_compact, close_compact, first_of};

uint64_t compact_old(const edge_source *source, uint64_t v)
{
    return source->ops == &ops ? ((const compaction *)source->state)->old[v] : v;
}

int compact_source(edge_source **source, const compact_options *options, const vertices_run *run)
{
    const edge_source_facts *in = edge_source_facts_of(*source);
    compaction *x = calloc(1, sizeof *x);
    edge_source *s = x != NULL ? edge_source_new(&ops, x) : NULL;
    uint64_t edges = 0;
    int status;

    if (s == NULL) {
        free(x);
        return engine_fail("memory is exhausted");
    }
    *x = (compaction){.inner = *source, .options = *options, .run = *run, .range = in->graph.rows};
    pthread_mutex_init(&x->lock, NULL);
    status = find_vertices(x);
    status = status == ENGINE_OK ? renumber(x) : status;
    status = status == ENGINE_OK ? count_edges(x, &edges) : status;
    if (status != ENGINE_OK) {
        free_compaction(x);
        free(s);
        return status;
    }
    s->facts = *in; /* what is known of the edges stays true, but for their order and their model */
    s->facts.reader = NULL;
    s->facts.model = NULL;
    s->facts.known = false;
    s->facts.graph.rows = s->facts.graph.cols = x->n;
    s->facts.graph.edges = edges;
    s->facts.graph.sorted = in->graph.sorted && !options->first;
    edge_source_set_ids(s, x->n <= (uint64_t)1 << (in->graph.signed_ids ? 31 : 32) ? 4 : 8,
                        in->graph.signed_ids);
    *source = s;
    return ENGINE_OK;
}
