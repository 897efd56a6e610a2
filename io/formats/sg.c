/*
 * sg.c - sg and wsg: GAPBS's serialized graphs, without and with int32 weights.  They hold a byte
 * that says whether the graph is directed, the numbers of edges and of vertices, the row pointers,
 * and the neighbors of all vertices (in wsg pairs of neighbor and weight).  For a directed graph
 * the pointers and neighbors of the transposed graph follow.
 *
 * A graph is written as undirected if every edge has its reverse and there are no self-loops.  The
 * transposed graph would be the same, and GAPBS counts each pair as one edge.
 */
#include "io/writer.h"

#include <inttypes.h>
#include <string.h>

enum { HEADER = 17 };

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

static uint64_t neighbour_bytes(const graphfile_writer *w)
{
    return w->spec.format == GRAPHFILE_WSG ? 8 : 4;
}

static uint64_t neighbours_at(const graphfile_graph *g)
{
    return HEADER + 8 * (graphfile_vertices(g) + 1);
}

static int begin_sg(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    const uint64_t vertices = graphfile_vertices(g), width = neighbour_bytes(w);
    char header[HEADER];

    w->rows = (graphfile_pointers){.count = vertices + 1, .offset = HEADER, .width = 8, .scale = 1};
    if (is_directed(g)) {
        const uint64_t at = neighbours_at(g) + width * g->edges;

        w->part[GRAPHFILE_IN_POINTERS] =
            (graphfile_part_place){.offset = at, .width = 8, .length = vertices + 1};
        w->part[GRAPHFILE_IN_NEIGHBOURS] = (graphfile_part_place){
            .offset = at + 8 * (vertices + 1), .width = width, .length = g->edges};
    }
    EDGEFILE_TRY(io_file_reserve(&w->file, w->about->length(g)));
    header[0] = (char)is_directed(g);
    memcpy(header + 1, &g->edges, 8);
    memcpy(header + 9, &vertices, 8);
    return io_file_write(&w->file, 0, header, HEADER);
}

/* Neighbors and weights, alternating. */
static int write_weighted(graphfile_writer *w, const graphfile_piece *p)
{
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
        if (weight[i] > INT32_MAX) { /* a shortest path of GAPBS cannot be shorter than its parts */
            st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "wsg needs weights of at least 0, edge %" PRIu64 " has %" PRId32,
                               p->first + i, (int32_t)weight[i]);
        }
    }
    return graphfile_close_chunk(w, &w->file, neighbours_at(&w->spec.graph) + 8 * p->first, b, st);
}

static int write_sg(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(graphfile_write_rows(w, p));
    return neighbour_bytes(w) == 8
               ? write_weighted(w, p)
               : graphfile_write_column(w, neighbours_at(&w->spec.graph) + 4 * p->first, p->dst,
                                        p->count, 4);
}

static const graphfile_place place_sg = {
    .open = begin_sg, .piece = write_sg, .finish = graphfile_finish_rows};

enum { TRAITS = GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_POINTERS | GRAPHFILE_HAS_VERTICES };

/* The number of pointers, one more than the number of vertices, is an int in GAPBS. */
#define MOST_VERTICES (((uint64_t)1 << 31) - 2)

const graphfile_descriptor graphfile_sg_format = {
    .facts = {"sg", ".sg", "GAPBS's serialized graph", TRAITS},
    .place = &place_sg,
    .most_vertices = MOST_VERTICES,
    .length = length_sg,
};

const graphfile_descriptor graphfile_wsg_format = {
    .facts = {"wsg", ".wsg", "GAPBS's serialized graph with int32 weights",
              TRAITS | GRAPHFILE_MUST_WEIGHTS | GRAPHFILE_INT_WEIGHTS | GRAPHFILE_WEIGHTS_FROM_0},
    .place = &place_sg,
    .most_vertices = MOST_VERTICES,
    .length = length_wsg,
};
