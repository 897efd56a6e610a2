/*
 * sg.c - sg and wsg: GAPBS's serialized graphs, without and with int32 weights.  A byte that says
 * whether the graph is directed, the numbers of edges and of vertices, the row pointers, and the
 * neighbours of all vertices (in wsg pairs of neighbour and weight); for a directed graph the
 * pointers and neighbours of the transposed graph follow.
 *
 * A graph in which every edge has its reverse, and no edge is a self-loop, is written as
 * undirected: the transposed graph would be the same, and GAPBS counts each pair as one edge.
 */
#include "io/formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 17 };

typedef struct {
    bool directed;
    int width; /* bytes of a neighbour */
    uint64_t vertices;
    uint64_t neighbours, in_pointers, in_neighbours; /* offsets in the file */
    _Atomic uint64_t n_in_pointers, n_in_neighbours; /* elements written so far */
} serialized;

static bool is_directed(const graphfile_graph *g)
{
    return !(g->pairs && g->no_loops);
}

static uint64_t length(const graphfile_graph *g, uint64_t neighbour)
{
    const uint64_t side = 8 * (graphfile_vertices(g) + 1) + neighbour * g->edges;

    return HEADER + side * (is_directed(g) ? 2 : 1);
}

static uint64_t length_sg(const graphfile_graph *g)
{
    return length(g, 4);
}

static uint64_t length_wsg(const graphfile_graph *g)
{
    return length(g, 8);
}

static int begin_sg(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    serialized *x = calloc(1, sizeof *x);
    char header[HEADER];

    w->state = x;
    if (x == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    x->directed = is_directed(g);
    x->width = w->spec.format == GRAPHFILE_WSG ? 8 : 4;
    x->vertices = graphfile_vertices(g);
    w->rows =
        (graphfile_pointers){.count = x->vertices + 1, .offset = HEADER, .width = 8, .scale = 1};
    x->neighbours = HEADER + 8 * (x->vertices + 1);
    x->in_pointers = x->neighbours + g->edges * (uint64_t)x->width;
    x->in_neighbours = x->in_pointers + 8 * (x->vertices + 1);
    graphfile_plain_reserve(&w->file, w->about->length(g));
    header[0] = (char)x->directed;
    memcpy(header + 1, &g->edges, 8);
    memcpy(header + 9, &x->vertices, 8);
    return graphfile_plain_write(&w->file, 0, header, HEADER);
}

/* Neighbours and weights, alternating. */
static int write_weighted(graphfile_writer *w, const graphfile_piece *p)
{
    const serialized *x = w->state;
    const uint32_t *dst = p->dst, *weight = p->weight;
    graphfile_buffer *b;
    uint32_t *to = graphfile_open_chunk(w, &b, 8 * p->count);
    int st = EDGEFILE_OK;

    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    if (w->spec.graph.id_bytes == 8) {
        st = graphfile_narrow(to, 2, p->dst, p->count);
    } else {
        for (uint64_t i = 0; i < p->count; i++) {
            to[2 * i] = dst[i];
        }
    }
    for (uint64_t i = 0; i < p->count && st == EDGEFILE_OK; i++) {
        to[2 * i + 1] = weight[i];
        if (weight[i] > INT32_MAX) { /* GAPBS's shortest paths cannot be shorter than their parts */
            st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "wsg needs weights of at least 0, edge %" PRIu64 " has %" PRId32,
                               p->first + i, (int32_t)weight[i]);
        }
    }
    return graphfile_close_chunk(w, &w->file, x->neighbours + 8 * p->first, b, st);
}

static int write_sg(graphfile_writer *w, const graphfile_piece *p)
{
    const serialized *x = w->state;

    EDGEFILE_TRY(graphfile_write_rows(w, p));
    return x->width == 8
               ? write_weighted(w, p)
               : graphfile_write_column(w, x->neighbours + 4 * p->first, p->dst, p->count, 4);
}

static int write_in_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                             const uint64_t *pointers)
{
    serialized *x = w->state;

    atomic_fetch_add(&x->n_in_pointers, count);
    return graphfile_write_chunk(w, &w->file, x->in_pointers + 8 * first, pointers, 8 * count);
}

static int write_in_neighbours(graphfile_writer *w, uint64_t first, uint64_t count,
                               const void *neighbours)
{
    serialized *x = w->state;
    const uint64_t width = (uint64_t)x->width;

    atomic_fetch_add(&x->n_in_neighbours, count);
    return graphfile_write_chunk(w, &w->file, x->in_neighbours + width * first, neighbours,
                                 width * count);
}

static int finish_sg(graphfile_writer *w)
{
    const serialized *x = w->state;

    if (graphfile_is_first(w) && x->directed &&
        (atomic_load(&x->n_in_pointers) != x->vertices + 1 ||
         atomic_load(&x->n_in_neighbours) != w->spec.graph.edges)) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "not all in-neighbours were written");
    }
    return graphfile_finish_rows(w);
}

static void end_sg(graphfile_writer *w)
{
    free(w->state);
}

static size_t in_bytes(const graphfile_writer *w)
{
    const serialized *x = w->state;

    return x->directed ? (size_t)x->width : 0;
}

static const graphfile_write_ops write_ops = {.open = begin_sg,
                                              .write = write_sg,
                                              .in_bytes = in_bytes,
                                              .in_pointers = write_in_pointers,
                                              .in_neighbours = write_in_neighbours,
                                              .finish = finish_sg,
                                              .close = end_sg};

enum { TRAITS = GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_POINTERS | GRAPHFILE_HAS_VERTICES };

/* The length of the pointers, one more than the number of vertices, is an int. */
#define MOST_VERTICES (((uint64_t)1 << 31) - 2)

const graphfile_descriptor graphfile_sg_format = {
    .facts = {"sg", ".sg", "GAPBS's serialized graph", TRAITS},
    .write = &write_ops,
    .most_vertices = MOST_VERTICES,
    .length = length_sg,
};

const graphfile_descriptor graphfile_wsg_format = {
    .facts = {"wsg", ".wsg", "GAPBS's serialized graph with int32 weights",
              TRAITS | GRAPHFILE_MUST_WEIGHTS | GRAPHFILE_INT_WEIGHTS | GRAPHFILE_WEIGHTS_FROM_0},
    .write = &write_ops,
    .most_vertices = MOST_VERTICES,
    .length = length_wsg,
};
