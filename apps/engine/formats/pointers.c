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
    int threads;
    uint64_t vertices, memory;
    size_t width; /* bytes of a neighbour */

    uint64_t *group, groups; /* edges by group */
    int group_shift;         /* a group has 2^group_shift destinations */

    uint64_t first, end; /* destinations of this range: */
    uint64_t before;     /* edges of those before it */
    int shift;           /* 2^shift destinations have one of these: */
    uint64_t *place;     /* edges; then, by destination, the place of the next in-neighbour */
    void *neighbours;    /* from `before` on */
} transposed;

static int count_piece(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    const transposed *t = state;
    const uint64_t length = t->end - t->first;

    (void)thread;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t dst = edge_id(e->dst, i, e->id_bytes);

        if (dst - t->first < length) {
            __atomic_fetch_add(&t->place[(dst - t->first) >> t->shift], 1, __ATOMIC_RELAXED);
        } else if (dst >= t->vertices) {
            snprintf(text, size,
                     "an edge has the destination %" PRIu64 ", but there are only %" PRIu64
                     " vertices",
                     dst, t->vertices);
            return -1;
        }
    }
    return 0;
}

static void place_edge(const transposed *t, const edge_block *e, uint64_t i, uint64_t dst)
{
    const uint64_t at = t->place[dst]++ - t->before;
    const uint32_t src = (uint32_t)edge_id(e->src, i, e->id_bytes);

    if (t->width == 4) {
        ((uint32_t *)t->neighbours)[at] = src;
    } else {
        ((uint32_t *)t->neighbours)[2 * at] = src;
        ((uint32_t *)t->neighbours)[2 * at + 1] = ((const uint32_t *)e->weight)[i];
    }
}

static int place_piece(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    const transposed *t = state;
    const uint64_t length = t->end - t->first;

    (void)thread, (void)text, (void)size;
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t dst = edge_id(e->dst, i, e->id_bytes) - t->first;

        if (i + AHEAD < e->count) {
            const uint64_t later = edge_id(e->dst, i + AHEAD, e->id_bytes) - t->first;

            __builtin_prefetch(&t->place[later < length ? later : 0], 1);
        }
        if (dst < length) {
            place_edge(t, e, i, dst);
        }
    }
    return 0;
}

/* Edges of the range, for each 2^shift destinations. */
static int count_edges(transposed *t, int shift, uint64_t *count)
{
    t->shift = shift;
    t->place = count;
    return edge_walk(t->source, t->threads, count_piece, t, t->meter);
}

/* Counts become places. */
static void add_up(uint64_t *count, uint64_t n, uint64_t before)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t own = count[i];

        count[i] = before;
        before += own;
    }
}

/* n elements of so many bytes, from number `first` on.  Each write may take long. */
static int write_part(const transposed *t, graphfile_part part, uint64_t first, uint64_t n,
                      const void *elements, size_t bytes)
{
    const uint64_t step = WRITE_BYTES / bytes;

    for (uint64_t i = 0; i < n; i += step) {
        const int reason = engine_meter_tick(t->meter, 0, 0);

        if (reason != 0) {
            return engine_stop_with(reason);
        }
        if (graphfile_write_part(t->writer, part, first + i, n - i < step ? n - i : step,
                                 (const char *)elements + i * bytes) != EDGEFILE_OK) {
            return engine_fail("%s", edgefile_detail());
        }
    }
    return ENGINE_OK;
}

/* The range has so many edges; in memory for its neighbours and places.  Those of single
 * destinations are counted here, where the groups are larger. */
static int place_range(transposed *t, uint64_t edges)
{
    const uint64_t n = t->end - t->first;
    int status = ENGINE_OK;

    if (t->group_shift > 0 && edges > 0) {
        status = count_edges(t, 0, t->place);
    }
    add_up(t->place, n, t->before);
    if (status == ENGINE_OK) {
        status = write_part(t, GRAPHFILE_IN_POINTERS, t->first, n, t->place, sizeof *t->place);
    }
    if (status == ENGINE_OK && edges > 0) {
        status = edge_walk(t->source, 1, place_piece, t, t->meter);
    }
    return status == ENGINE_OK
               ? write_part(t, GRAPHFILE_IN_NEIGHBOURS, t->before, edges, t->neighbours, t->width)
               : status;
}

static uint64_t *new_counters(uint64_t n)
{
    uint64_t *count = huge_alloc((n + 1) * sizeof *count);

    if (count != NULL) {
        memset(count, 0, n * sizeof *count);
    }
    return count;
}

/* Groups [begin, end), which have so many edges. */
static int transpose_range(transposed *t, uint64_t begin, uint64_t end, uint64_t edges)
{
    uint64_t *own = NULL;
    int status;

    t->first = begin << t->group_shift;
    t->end = end == t->groups ? t->vertices : end << t->group_shift;
    if (t->group_shift > 0) {
        own = new_counters(t->end - t->first);
    }
    t->place = t->group_shift > 0 ? own : t->group + begin;
    t->neighbours = huge_alloc((edges + 1) * t->width);
    status = t->place != NULL && t->neighbours != NULL ? place_range(t, edges)
                                                       : engine_fail("memory is exhausted");
    free(t->neighbours);
    free(own);
    return status;
}

/* The end of the groups from `begin` on that fit, and their edges. */
static uint64_t take_groups(const transposed *t, uint64_t begin, uint64_t *edges)
{
    const uint64_t room = t->memory - t->groups * sizeof *t->group;
    const uint64_t counters = t->group_shift > 0 ? sizeof *t->place << t->group_shift : 0;
    uint64_t g = begin;

    for (*edges = 0; g < t->groups; g++) {
        const uint64_t more = *edges + t->group[g];

        if (g > begin && more * t->width + (g + 1 - begin) * counters > room) {
            break;
        }
        *edges = more;
    }
    return g;
}

static int transpose(transposed *t)
{
    uint64_t edges, end;
    int status;

    t->end = t->vertices;
    status = count_edges(t, t->group_shift, t->group);
    for (uint64_t g = 0; g < t->groups && status == ENGINE_OK; g = end) {
        end = take_groups(t, g, &edges);
        status = transpose_range(t, g, end, edges);
        t->before += edges;
    }
    return status == ENGINE_OK
               ? write_part(t, GRAPHFILE_IN_POINTERS, t->vertices, 1, &t->before, sizeof t->before)
               : status;
}

int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    engine_meter meter = engine_meter_of(options->watch, "collecting in-neighbours", g->edges, 0);
    transposed t = {.source = source,
                    .writer = writer,
                    .meter = &meter,
                    .threads = options->threads,
                    .vertices = g->rows > g->cols ? g->rows : g->cols,
                    .memory = options->memory != 0 ? options->memory : sorted_default_memory(),
                    .width = graphfile_in_bytes(writer)};
    int status;

    if (t.width == 0) {
        return ENGINE_OK;
    }
    t.groups = t.vertices;
    while (t.groups * sizeof *t.group > t.memory / 2 && t.groups > 1) {
        t.group_shift++;
        t.groups = (t.vertices + ((uint64_t)1 << t.group_shift) - 1) >> t.group_shift;
    }
    t.group = new_counters(t.groups);
    status = t.group != NULL ? transpose(&t) : engine_fail("memory is exhausted");
    free(t.group);
    return status;
}
