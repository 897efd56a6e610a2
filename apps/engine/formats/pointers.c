/*
 * The transposed graph of a serialized one: in-neighbours, by counting sort, in bounded memory.
 *
 * First edges are counted by groups of destinations, small enough that the counters take half of
 * the memory at most: by each destination where there is room for that.  Then come ranges of
 * groups, as long as their in-neighbours fit in the rest, and for each the edges are read once more
 * (twice where a group is not one destination).  A range takes at least one group.  The edges are
 * placed by one thread: as they come in the order of their sources, so do the in-neighbours.
 */
#include "apps/common/huge_alloc.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/edge_source.h"
#include "apps/engine/status.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITE_BYTES = 16 << 20, AHEAD = 16 };

typedef struct {
    edge_source *source;
    graphfile_writer *writer;
    engine_meter *meter;
    int threads, shift; /* a group has 2^shift destinations */
    uint64_t vertices, edges, groups, memory;
    size_t width; /* bytes of a neighbour */

    uint64_t first, end; /* destinations of this range: */
    uint64_t before;     /* edges of those before it */
    uint64_t *place;     /* by destination, of the next in-neighbour; from before on */
    void *neighbours;
} transposed;

/* In the range, every 2^shift destinations have one counter. */
typedef struct {
    const transposed *t;
    int shift;
    uint64_t *count;
} counting;

static int outside(uint64_t vertex, uint64_t vertices, char *text, size_t size)
{
    snprintf(text, size,
             "an edge has the destination %" PRIu64 ", but there are only %" PRIu64 " vertices",
             vertex, vertices);
    return -1;
}

static int count_piece(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const counting *c = state;
    const transposed *t = c->t;
    const uint64_t length = t->end - t->first;
    const int id_bytes = m->edges.id_bytes, shift = c->shift;

    (void)thread;
    for (uint64_t i = 0; i < m->edges.count; i++) {
        uint64_t dst = edge_id(m->edges.dst, i, id_bytes);

        if (dst - t->first < length) {
            __atomic_fetch_add(&c->count[(dst - t->first) >> shift], 1, __ATOMIC_RELAXED);
        } else if (dst >= t->vertices) {
            return outside(dst, t->vertices, text, size);
        }
    }
    return 0;
}

static void place_edge(const transposed *t, const edge_piece_memory *m, uint64_t i, uint64_t dst)
{
    const uint64_t at = t->place[dst - t->first]++ - t->before;
    const uint32_t src = (uint32_t)edge_id(m->edges.src, i, m->edges.id_bytes);

    if (t->width == 4) {
        ((uint32_t *)t->neighbours)[at] = src;
    } else {
        ((uint32_t *)t->neighbours)[2 * at] = src;
        ((uint32_t *)t->neighbours)[2 * at + 1] = ((const uint32_t *)m->edges.weight)[i];
    }
}

static int place_piece(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const transposed *t = state;
    const uint64_t length = t->end - t->first;
    const int id_bytes = m->edges.id_bytes;

    (void)thread;
    (void)text;
    (void)size;
    for (uint64_t i = 0; i < m->edges.count; i++) {
        uint64_t dst = edge_id(m->edges.dst, i, id_bytes) - t->first;

        if (i + AHEAD < m->edges.count) {
            uint64_t later = edge_id(m->edges.dst, i + AHEAD, id_bytes) - t->first;

            __builtin_prefetch(&t->place[later < length ? later : 0], 1);
        }
        if (dst < length) {
            place_edge(t, m, i, dst + t->first);
        }
    }
    return 0;
}

/* Before a write that takes long. */
static int stopped(const transposed *t)
{
    int reason = engine_meter_tick(t->meter, 0, 0);

    return reason != 0 ? engine_stop_with(reason) : ENGINE_OK;
}

static int count_edges(const transposed *t, int shift, uint64_t *count)
{
    counting c = {t, shift, count};
    const edge_walk_body body = {count_piece, NULL, &c};

    return edge_walk(t->source, t->threads, &body, t->meter);
}

/* counts become places: edges before, and those of lower destinations. */
static uint64_t add_up(uint64_t *count, uint64_t n, uint64_t before)
{
    for (uint64_t i = 0; i < n; i++) {
        uint64_t own = count[i];

        count[i] = before;
        before += own;
    }
    return before;
}

static int write_pointers(const transposed *t)
{
    const uint64_t step = WRITE_BYTES / sizeof *t->place, n = t->end - t->first;

    for (uint64_t i = 0; i < n; i += step) {
        int status = stopped(t);

        if (status != ENGINE_OK) {
            return status;
        }
        if (graphfile_write_part(t->writer, GRAPHFILE_IN_POINTERS, t->first + i,
                                 n - i < step ? n - i : step, t->place + i) != EDGEFILE_OK) {
            return engine_fail("%s", edgefile_detail());
        }
    }
    return ENGINE_OK;
}

static int write_neighbours(const transposed *t, uint64_t edges)
{
    const uint64_t step = WRITE_BYTES / t->width;

    for (uint64_t i = 0; i < edges; i += step) {
        int status = stopped(t);

        if (status != ENGINE_OK) {
            return status;
        }
        if (graphfile_write_part(t->writer, GRAPHFILE_IN_NEIGHBOURS, t->before + i,
                                 edges - i < step ? edges - i : step,
                                 (const char *)t->neighbours + i * t->width) != EDGEFILE_OK) {
            return engine_fail("%s", edgefile_detail());
        }
    }
    return 0;
}

/* Of the range, which has so many edges; its places are known. */
static int transpose_range(transposed *t, uint64_t edges)
{
    const edge_walk_body body = {place_piece, NULL, t};
    int status;

    t->neighbours = huge_alloc((edges + 1) * t->width);
    if (t->neighbours == NULL) {
        return engine_fail("memory is exhausted");
    }
    status = write_pointers(t);
    if (status == ENGINE_OK && edges > 0) {
        status = edge_walk(t->source, 1, &body, t->meter);
    }
    if (status == ENGINE_OK) {
        status = write_neighbours(t, edges);
    }
    free(t->neighbours);
    return status;
}

/* The counters of single destinations, where those of groups are of more. */
static int count_range(transposed *t, uint64_t edges)
{
    const uint64_t n = t->end - t->first;
    int status;

    t->place = huge_alloc((n + 1) * sizeof *t->place);
    if (t->place == NULL) {
        return engine_fail("memory is exhausted");
    }
    memset(t->place, 0, n * sizeof *t->place);
    status = edges > 0 ? count_edges(t, 0, t->place) : 0;
    if (status == ENGINE_OK) {
        add_up(t->place, n, t->before);
        status = transpose_range(t, edges);
    }
    free(t->place);
    return status;
}

/* Groups from g on, as many as fit; their edges. */
static uint64_t take_groups(const transposed *t, const uint64_t *count, uint64_t *g)
{
    const uint64_t room = t->memory - t->groups * sizeof *count;
    const uint64_t counters = t->shift > 0 ? sizeof *t->place << t->shift : 0;
    uint64_t edges = 0, begin = *g;

    for (; *g < t->groups; ++*g) {
        uint64_t more = edges + count[*g];

        if (*g > begin && more * t->width + (*g + 1 - begin) * counters > room) {
            break;
        }
        edges = more;
    }
    return edges;
}

static int transpose_ranges(transposed *t, uint64_t *count)
{
    int status = 0;

    t->before = 0;
    for (uint64_t g = 0; g < t->groups && status == ENGINE_OK;) {
        const uint64_t begin = g, edges = take_groups(t, count, &g);

        t->first = begin << t->shift;
        t->end = g == t->groups ? t->vertices : g << t->shift;
        if (t->shift > 0) {
            status = count_range(t, edges);
        } else {
            t->place = count + begin;
            add_up(t->place, g - begin, t->before);
            status = transpose_range(t, edges);
        }
        t->before += edges;
    }
    if (status == ENGINE_OK &&
        graphfile_write_part(t->writer, GRAPHFILE_IN_POINTERS, t->vertices, 1, &t->before) != 0) {
        status = engine_fail("%s", edgefile_detail());
    }
    return status;
}

static int transpose(transposed *t)
{
    uint64_t *count;
    int status;

    while (t->groups * sizeof *count > t->memory / 2 && t->groups > 1) {
        t->shift++;
        t->groups = (t->vertices + ((uint64_t)1 << t->shift) - 1) >> t->shift;
    }
    count = huge_alloc((t->groups + 1) * sizeof *count);
    if (count == NULL) {
        return engine_fail("memory is exhausted");
    }
    memset(count, 0, t->groups * sizeof *count);
    t->end = t->vertices;
    status = count_edges(t, t->shift, count);
    if (status == ENGINE_OK) {
        status = transpose_ranges(t, count);
    }
    free(count);
    return status;
}

int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const uint64_t vertices = g->rows > g->cols ? g->rows : g->cols;
    engine_meter meter = engine_meter_of(options->watch, "collecting in-neighbours", g->edges, 0);
    transposed t = {.source = source,
                    .writer = writer,
                    .meter = &meter,
                    .threads = options->threads,
                    .vertices = vertices,
                    .edges = g->edges,
                    .groups = vertices,
                    .memory = options->memory != 0 ? options->memory : sorted_default_memory(),
                    .width = graphfile_in_bytes(writer)};

    return t.width == 0 ? ENGINE_OK : transpose(&t);
}
