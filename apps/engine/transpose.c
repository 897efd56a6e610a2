/*
 * transpose.c - the in-neighbors of a serialized graph, by counting sort, in bounded memory.
 *
 * Destinations are processed in ranges whose counters take at most half of the memory.  If all fit,
 * there is one range.  The edges of a range are counted by destination.  The range is then divided
 * into parts whose in-neighbors fit into the rest of the memory.  For each part the edges are read
 * once more.  A part has at least one destination.  One thread places the edges, so in-neighbors
 * have the order of the edges' sources.
 */
#include "apps/common/system.h"
#include "apps/engine/convert.h"
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
    uint64_t vertices;
    size_t width; /* bytes of a neighbor */

    uint64_t first, end; /* destinations of the range, or of a part of it: */
    uint64_t before;     /* edges of those before it */
    uint64_t *place;     /* by destination: edges; then the place of the next in-neighbor */
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
            __atomic_fetch_add(&t->place[dst - t->first], 1, __ATOMIC_RELAXED);
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

/* Counts become places. */
static void add_up(uint64_t *count, uint64_t n, uint64_t before)
{
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t own = count[i];

        count[i] = before;
        before += own;
    }
}

/* Writes n elements of `bytes` bytes, from number `first` on, in steps, as a write may take long.
 */
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

/* Writes the part's in-neighbors, `edges` of them; its counts become places. */
static int place_part(transposed *t, uint64_t edges)
{
    const uint64_t n = t->end - t->first;
    int status;

    t->neighbours = huge_alloc((edges + 1) * t->width);
    if (t->neighbours == NULL) {
        return engine_fail("memory is exhausted");
    }
    add_up(t->place, n, t->before);
    status = write_part(t, GRAPHFILE_IN_POINTERS, t->first, n, t->place, sizeof *t->place);
    if (status == ENGINE_OK && edges > 0) {
        status = edge_walk(t->source, 1, place_piece, t, t->meter);
    }
    if (status == ENGINE_OK) {
        status = write_part(t, GRAPHFILE_IN_NEIGHBOURS, t->before, edges, t->neighbours, t->width);
    }
    free(t->neighbours);
    t->before += edges;
    return status;
}

/* The range of n destinations from t->first on, with these counters. */
static int transpose_range(transposed *t, uint64_t *count, uint64_t n, uint64_t room)
{
    const uint64_t first = t->first;
    int status;

    memset(count, 0, n * sizeof *count);
    t->place = count;
    t->end = first + n;
    status = edge_walk(t->source, t->threads, count_piece, t, t->meter);
    for (uint64_t i = 0, begin = 0; i < n && status == ENGINE_OK; begin = i) {
        uint64_t edges = count[i++];

        while (i < n && (edges + count[i]) * t->width <= room) {
            edges += count[i++];
        }
        t->first = first + begin;
        t->end = first + i;
        t->place = count + begin;
        status = place_part(t, edges);
    }
    return status;
}

static int transpose(transposed *t, uint64_t memory)
{
    const uint64_t fit = memory / 2 / sizeof *t->place;
    const uint64_t most = fit < 1 ? 1 : fit < t->vertices ? fit : t->vertices;
    const uint64_t room = memory - most * sizeof *t->place;
    uint64_t *count = huge_alloc((most + 1) * sizeof *count);
    int status = count != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    while (t->end < t->vertices && status == ENGINE_OK) {
        t->first = t->end;
        status = transpose_range(
            t, count, t->vertices - t->first < most ? t->vertices - t->first : most, room);
    }
    free(count);
    return status == ENGINE_OK
               ? write_part(t, GRAPHFILE_IN_POINTERS, t->vertices, 1, &t->before, sizeof t->before)
               : status;
}

int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    engine_meter meter = engine_meter_of(options->watch, "collecting in-neighbors", g->edges, 0);
    transposed t = {.source = source,
                    .writer = writer,
                    .meter = &meter,
                    .threads = options->threads,
                    .vertices = g->rows > g->cols ? g->rows : g->cols,
                    .width = graphfile_in_bytes(writer)};

    return t.width == 0
               ? ENGINE_OK
               : transpose(&t, options->memory != 0 ? options->memory : sorted_default_memory());
}
