/*
 * Degrees: an array of counters for sources and one for destinations.  Several threads read the
 * edges and add to them.  The results are the number of vertices of each degree, and the vertices
 * with the highest degrees.  A bit for each vertex distinguishes its first loop from copies.
 *
 * If memory does not hold the counters of all vertices, the edges are read several times, each time
 * for a range of the vertices.  If there are far fewer edges than vertices, only vertices with
 * edges have counters: a first pass collects and sorts them, and a binary search finds the counter.
 */
#include "apps/client/client.h"
#include "apps/common/system.h"
#include "apps/engine/job.h"
#include "apps/engine/sorted/plan.h"
#include "apps/stats/stats.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDES = 2,          /* DEGREE_OUT of sources, DEGREE_IN of destinations */
    SMALL = 1 << 13,    /* smaller degrees are counted in an array */
    AHEAD = 64,         /* ids whose counters are prefetched */
    BLOCK = 1 << 12,    /* counters of a thread at a time */
    FEWER = 16,         /* vertices per edge from which on only those with edges have counters */
    MOST_PASSES = 1024, /* the most passes: more would take hours */
    /* Bytes that each thread takes while edges are sorted, beside its pieces of edges; and the
     * least memory for sorting or for counters. */
    THREAD_BYTES = 3 << 19,
    LEAST_ROOM = 3 << 20
};

typedef struct {
    uint64_t small[SMALL];                /* vertices of each small degree */
    uint64_t *large, n_large, most_large; /* each larger degree */
    degree_distribution *to;              /* lists the vertices of the highest degrees so far */
    degree_top least;                     /* a vertex must come before it to enter that list */
} histogram;

typedef struct {
    edge_source *source;
    const degree_options *options;
    uint64_t vertices[SIDES], edges;
    uint64_t *ids;         /* vertices that have counters, in order; NULL: all */
    uint64_t slots[SIDES]; /* counters; of ids, the same number for each side */
    uint64_t pass, passes;
    uint64_t first[SIDES], count[SIDES]; /* slots of this pass; the last one may have fewer */
    int width;                           /* bytes of a counter */
    void *counters[SIDES];
    _Atomic unsigned char *looped; /* a bit for each source of this pass: it has a loop */
    bool square;
    _Atomic uint64_t loops, distinct_loops;
    histogram of[DEGREE_KINDS];
} counting;

int degree_room(const edge_source *s, const degree_options *o, uint64_t least, uint64_t *room)
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;
    const uint64_t edge = 2 * (uint64_t)g->id_bytes + (g->weight != EDGEFILE_NO_WEIGHT ? 4 : 0);
    const uint64_t threads = (uint64_t)o->threads * (EDGE_PIECE * edge + THREAD_BYTES);
    const uint64_t memory = o->memory != 0 ? o->memory : sorted_default_memory();

    least = threads + (least > LEAST_ROOM ? least : LEAST_ROOM);
    if (memory < least) {
        return engine_refuse("memory",
                             "%" PRIu64 " is too little for %d thread%s and %" PRIu64
                             " vertices, allowed: %" PRIu64 " bytes or more",
                             memory, o->threads, o->threads == 1 ? "" : "s",
                             g->rows > g->cols ? g->rows : g->cols, least);
    }
    *room = memory - threads;
    return ENGINE_OK;
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* --- Counting a piece of the edges --- */

/* The counter of a vertex, counted from the first one of this pass. */
static uint64_t slot_of(const counting *c, degree_kind side, uint64_t id)
{
    uint64_t low = 0, high = c->slots[side];

    if (c->ids == NULL) {
        return id - c->first[side];
    }
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (c->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low - c->first[side];
}

/* Adds a run of the same id, as in sorted graphs, with one operation. */
static void add_ids(const counting *c, degree_kind side, const void *ids, const edge_block *e)
{
    const uint64_t count = c->count[side];
    uint64_t run = 1;

    for (uint64_t i = 0; i < e->count; i++, run++) {
        const uint64_t id = edge_id(ids, i, e->id_bytes);
        uint64_t slot;

        if (i + AHEAD < e->count && c->ids == NULL) {
            const uint64_t later = slot_of(c, side, edge_id(ids, i + AHEAD, e->id_bytes));

            if (later < count) {
                __builtin_prefetch((char *)c->counters[side] + later * (uint64_t)c->width, 1);
            }
        }
        if (i + 1 < e->count && edge_id(ids, i + 1, e->id_bytes) == id) {
            continue;
        }
        slot = slot_of(c, side, id);
        if (slot < count && c->width == 4) {
            __atomic_fetch_add((uint32_t *)c->counters[side] + slot, (uint32_t)run,
                               __ATOMIC_RELAXED);
        } else if (slot < count) {
            __atomic_fetch_add((uint64_t *)c->counters[side] + slot, run, __ATOMIC_RELAXED);
        }
        run = 0;
    }
}

/* Whether this is the first loop of a vertex of this pass. */
static bool is_first_loop(counting *c, uint64_t id)
{
    const uint64_t i = slot_of(c, DEGREE_OUT, id);
    const unsigned char bit = (unsigned char)(1U << i % 8);

    return i < c->count[DEGREE_OUT] && (atomic_fetch_or(&c->looped[i / 8], bit) & bit) == 0;
}

/* An edge_visit.  The file may change between passes, so ids are checked in each. */
static int count_piece(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    counting *c = state;
    const uint64_t rows = c->vertices[DEGREE_OUT], cols = c->vertices[DEGREE_IN];
    uint64_t loops = 0, distinct = 0;

    (void)thread;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = edge_id(e->src, i, e->id_bytes), v = edge_id(e->dst, i, e->id_bytes);

        if (u >= rows || v >= cols) {
            snprintf(text, size, "%s: edge %" PRIu64 " has %s %" PRIu64 ", allowed: below %" PRIu64,
                     c->options->name, e->first + i, u >= rows ? "source" : "destination",
                     u >= rows ? u : v, u >= rows ? rows : cols);
            return -1;
        }
        if (u == v && c->square) {
            loops++;
            distinct += is_first_loop(c, u);
        }
    }
    c->loops += c->pass == 0 ? loops : 0;
    c->distinct_loops += distinct;
    add_ids(c, DEGREE_OUT, e->src, e);
    add_ids(c, DEGREE_IN, e->dst, e);
    return 0;
}

/* --- Vertices with edges --- */

/* An edge_visit: collects the ends of edges. */
static int collect_ends(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    const counting *c = state;

    (void)thread, (void)text, (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        c->ids[2 * (e->first + i)] = edge_id(e->src, i, e->id_bytes);
        c->ids[2 * (e->first + i) + 1] = edge_id(e->dst, i, e->id_bytes);
    }
    return 0;
}

/* Finds the vertices with edges, sources or destinations. */
static int find_vertices(counting *c, engine_meter *meter)
{
    uint64_t n = 0;
    int status;

    c->ids = malloc((size_t)(2 * c->edges + 1) * sizeof *c->ids);
    if (c->ids == NULL) {
        return engine_fail("memory is exhausted");
    }
    status = edge_walk(c->source, c->options->threads, collect_ends, c, meter);
    if (status == ENGINE_OK) {
        qsort(c->ids, 2 * c->edges, sizeof *c->ids, compare_u64);
        for (uint64_t i = 0; i < 2 * c->edges; i++) {
            if (i == 0 || c->ids[i] != c->ids[n - 1]) {
                c->ids[n++] = c->ids[i];
            }
        }
    }
    c->slots[DEGREE_OUT] = c->slots[DEGREE_IN] = n;
    return status;
}

/* --- Histograms: the counters of a pass are added to those of earlier ones --- */

static bool comes_before(const degree_top *a, const degree_top *b)
{
    return a->degree != b->degree ? a->degree > b->degree : a->vertex < b->vertex;
}

/* Adds a vertex of a large degree, or one that comes before h->least.  Few vertices do. */
static void add_notable(histogram *h, uint64_t most_top, degree_top new)
{
    degree_top *top = h->to->top;
    uint64_t at;

    if (new.degree >= SMALL && h->n_large < h->most_large) { /* more: the file has changed */
        h->large[h->n_large++] = new.degree;
    }
    if (!comes_before(&new, &h->least)) {
        return;
    }
    h->to->n_top += h->to->n_top < most_top;
    for (at = h->to->n_top - 1; at > 0 && comes_before(&new, &top[at - 1]); at--) {
        top[at] = top[at - 1];
    }
    top[at] = new;
    h->least = h->to->n_top == most_top ? top[most_top - 1] : h->least;
}

static uint64_t counter_value(const counting *c, degree_kind side, uint64_t i)
{
    return c->width == 4 ? ((const uint32_t *)c->counters[side])[i]
                         : ((const uint64_t *)c->counters[side])[i];
}

static void collect(counting *c, degree_kind kind)
{
    const degree_kind side = kind == DEGREE_IN ? DEGREE_IN : DEGREE_OUT;
    const uint64_t first = c->first[side];
    const uint64_t left = c->slots[side] > first ? c->slots[side] - first : 0;
    const uint64_t n = left < c->count[side] ? left : c->count[side];
    histogram *h = &c->of[kind];
    uint64_t *small = h->small;

#pragma omp parallel for num_threads(c->options->threads) reduction(+ : small[:SMALL])
    for (uint64_t from = 0; from < n; from += BLOCK) {
        const uint64_t end = n - from < BLOCK ? n : from + BLOCK;
        degree_top least;

#pragma omp critical
        least = h->least;
        for (uint64_t i = from; i < end && interrupt_signal() == 0; i++) {
            degree_top v = {c->ids != NULL ? c->ids[first + i] : first + i,
                            counter_value(c, side, i)};

            v.degree += kind == DEGREE_TOTAL ? counter_value(c, DEGREE_IN, i) : 0;
            if (v.degree < SMALL) {
                small[v.degree]++;
            }
            if (v.degree >= SMALL || (v.degree > 0 && comes_before(&v, &least))) {
#pragma omp critical
                add_notable(h, c->options->top, v);
            }
        }
    }
}

static int make_bins(histogram *h)
{
    degree_distribution *d = h->to;

    d->bins = malloc((size_t)(SMALL + h->n_large) * sizeof *d->bins);
    if (d->bins == NULL) {
        return engine_fail("memory is exhausted");
    }
    for (uint64_t i = 0; i < SMALL; i++) {
        if (h->small[i] > 0) {
            d->bins[d->n_bins++] = (degree_bin){i, h->small[i]};
        }
    }
    qsort(h->large, h->n_large, sizeof *h->large, compare_u64);
    for (uint64_t i = 0; i < h->n_large; i++) {
        if (i == 0 || h->large[i] != h->large[i - 1]) {
            d->bins[d->n_bins++] = (degree_bin){h->large[i], 0};
        }
        d->bins[d->n_bins - 1].vertices++;
    }
    return ENGINE_OK;
}

/* --- Passes over the edges --- */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* Chooses the vertices that have counters, and finds the fewest passes that memory allows. */
static int plan_passes(counting *c, engine_meter *meter)
{
    const uint64_t rows = c->vertices[DEGREE_OUT], cols = c->vertices[DEGREE_IN];
    const uint64_t width = c->edges >> 32 == 0 ? 4 : 8;
    /* With ids and counters of both ends of each edge. */
    const uint64_t of_ends = c->edges * (2 * sizeof(uint64_t) + 4 * width);
    const bool few = c->edges < (rows > cols ? rows : cols) / FEWER;
    uint64_t least = (divide_up(rows, MOST_PASSES) + divide_up(cols, MOST_PASSES) + SIDES) * width;
    uint64_t room = 0;
    int status;

    least = few && of_ends < least ? of_ends : least;
    status = degree_room(c->source, c->options, least + least / 31, &room);
    if (status != ENGINE_OK) {
        return status;
    }
    room -= room / 32; /* for the bits */
    c->width = (int)width;
    c->slots[DEGREE_OUT] = rows;
    c->slots[DEGREE_IN] = cols;
    c->passes = divide_up(rows + cols, room / width - SIDES); /* each side is rounded up */
    if (few && of_ends <= room) {
        c->passes = 1;
        return find_vertices(c, meter);
    }
    c->passes += c->passes == 0;
    return ENGINE_OK;
}

static int allocate(counting *c, degree_counts *counts)
{
    const uint64_t top = c->options->top;
    bool all = true;

    for (int side = 0; side < SIDES; side++) {
        c->count[side] = divide_up(c->slots[side], c->passes);
        c->counters[side] = huge_alloc((size_t)(c->count[side] + 1) * (size_t)c->width);
        all = all && c->counters[side] != NULL;
    }
    c->looped = malloc((size_t)c->count[DEGREE_OUT] / 8 + 1);
    for (int k = 0; k < DEGREE_KINDS; k++) {
        histogram *h = &c->of[k];

        h->to = &counts->of[k];
        h->to->top = malloc((size_t)(top + 1) * sizeof *h->to->top);
        h->least = top > 0 ? (degree_top){UINT64_MAX, 0} : (degree_top){0, UINT64_MAX};
        h->most_large = 2 * c->edges / SMALL;
        h->large = malloc((size_t)(h->most_large + 1) * sizeof *h->large);
        all = all && h->to->top != NULL && h->large != NULL;
    }
    return all && c->looped != NULL ? ENGINE_OK : engine_fail("memory is exhausted");
}

/* Clears the counters for the next pass.  The system clears memory at its first use, which may take
 * seconds, so the loop checks for signals. */
static void clear(counting *c, degree_kind side)
{
    const uint64_t bytes = c->count[side] * (uint64_t)c->width, block = BLOCK * sizeof(uint64_t);

#pragma omp parallel for num_threads(c->options->threads)
    for (uint64_t from = 0; from < bytes; from += block) {
        if (interrupt_signal() == 0) {
            memset((char *)c->counters[side] + from, 0,
                   bytes - from < block ? bytes - from : block);
        }
    }
    c->first[side] = c->pass * c->count[side];
}

static int run_pass(counting *c, engine_meter *meter)
{
    int status;

    clear(c, DEGREE_OUT);
    clear(c, DEGREE_IN);
    memset((void *)c->looped, 0, (size_t)c->count[DEGREE_OUT] / 8 + 1);
    status = edge_walk(c->source, c->options->threads, count_piece, c, meter);
    for (int k = 0; k < (c->square ? DEGREE_KINDS : DEGREE_TOTAL) && status == ENGINE_OK; k++) {
        collect(c, (degree_kind)k);
    }
    /* After a signal some counters may not have been cleared or collected. */
    return status == ENGINE_OK && interrupt_signal() != 0 ? engine_stop_with(interrupt_signal())
                                                          : status;
}

static int count_all(counting *c, const engine_watch *watch, degree_counts *counts)
{
    const int edge_bytes = 2 * edge_source_facts_of(c->source)->graph.id_bytes;
    engine_meter meter = engine_meter_of(watch, "counting degrees", c->edges, edge_bytes);
    int status = plan_passes(c, &meter);

    status = status == ENGINE_OK ? allocate(c, counts) : status;
    meter.work = (double)c->edges * (double)c->passes;
    for (; c->pass < c->passes && status == ENGINE_OK; c->pass++) {
        meter.before = (double)c->edges * (double)c->pass;
        status = run_pass(c, &meter);
    }
    for (int k = 0; k < DEGREE_KINDS && status == ENGINE_OK; k++) {
        const int side = k == DEGREE_IN;

        c->of[k].small[0] += k < DEGREE_TOTAL || c->square ? c->vertices[side] - c->slots[side] : 0;
        status = make_bins(&c->of[k]);
    }
    counts->loops = c->loops;
    counts->distinct_loops = c->distinct_loops;
    return status;
}

int degree_count(edge_source *s, const degree_options *options, const engine_watch *watch,
                 degree_counts *counts)
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;
    counting *c = calloc(1, sizeof *c);
    int status;

    *counts = (degree_counts){.square = g->rows == g->cols};
    if (c == NULL) {
        return engine_fail("memory is exhausted");
    }
    c->source = s;
    c->options = options;
    c->square = counts->square;
    c->vertices[DEGREE_OUT] = g->rows;
    c->vertices[DEGREE_IN] = g->cols;
    c->edges = g->edges;
    status = count_all(c, watch, counts);
    for (int k = 0; k < DEGREE_KINDS; k++) {
        free(c->of[k].large);
    }
    free(c->counters[DEGREE_OUT]);
    free(c->counters[DEGREE_IN]);
    free((void *)c->looped);
    free(c->ids);
    free(c);
    return status;
}

void degree_counts_free(degree_counts *counts)
{
    for (int i = 0; i < DEGREE_KINDS; i++) {
        free(counts->of[i].bins);
        free(counts->of[i].top);
    }
    *counts = (degree_counts){.square = false};
}
