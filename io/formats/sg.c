/*
 * sg.c - sg and wsg: GAPBS's serialized graphs, without and with int32 weights.  A byte that says
 * whether the graph is directed, the numbers of edges and of vertices, the row pointers, and the
 * neighbours of all vertices (in wsg pairs of neighbour and weight); for a directed graph the
 * pointers and neighbours of the transposed graph follow.
 *
 * A graph in which every edge has its reverse, and no edge is a self-loop, is written as
 * undirected: the transposed graph would be the same, and GAPBS counts each pair as one edge.
 */
#include "io/formats/reader.h"

#include <endian.h>
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
    x->width = (int)w->about->edge_bytes;
    x->vertices = graphfile_vertices(g);
    w->rows = (graphfile_pointers){
        .file = &w->file, .offset = HEADER, .last = x->vertices, .width = 8, .scale = 1};
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

enum {
    TRAITS = GRAPHFILE_READ_BACK | GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_POINTERS |
             GRAPHFILE_HAS_VERTICES
};

/* The length of the pointers, one more than the number of vertices, is an int. */
#define MOST_VERTICES (((uint64_t)1 << 31) - 2)

const graphfile_descriptor graphfile_sg_format = {
    .facts = {"sg", ".sg", "GAPBS's serialized graph", TRAITS},
    .write = &write_ops,
    .edge_bytes = 4,
    .most_vertices = MOST_VERTICES,
    .length = length_sg,
    .read = &graphfile_sg_read,
};

const graphfile_descriptor graphfile_wsg_format = {
    .facts = {"wsg", ".wsg", "GAPBS's serialized graph with int32 weights",
              TRAITS | GRAPHFILE_MUST_WEIGHTS | GRAPHFILE_INT_WEIGHTS | GRAPHFILE_WEIGHTS_FROM_0},
    .write = &write_ops,
    .edge_bytes = 8,
    .most_vertices = MOST_VERTICES,
    .length = length_wsg,
    .read = &graphfile_sg_read,
};

/*
 * Reads GAPBS's serialized graphs (sg.c): the out-neighbours of all vertices, as edges
 * in their order.  The transposed graph of a directed one is not looked at.
 */

typedef struct {
    graphfile_rows pointers;
    uint64_t neighbours; /* offset in the file */
} sg_file;

static int get_pointers(const graphfile_reader *r, uint64_t first, uint64_t count,
                        uint64_t *pointers)
{
    EDGEFILE_TRY(graphfile_pread(r, HEADER + 8 * first, pointers, 8 * count));
    for (uint64_t i = 0; i < count; i++) {
        pointers[i] = le64toh(pointers[i]);
    }
    return EDGEFILE_OK;
}

/* Do these numbers make a file of this length? */
static bool is_length(const graphfile_reader *r, bool directed, uint64_t edges, uint64_t vertices)
{
    const uint64_t width = r->about->edge_bytes, sides = directed ? 2 : 1;

    return edges <= r->bytes / width && vertices <= r->bytes / 8 &&
           HEADER + sides * (8 * (vertices + 1) + width * edges) == r->bytes;
}

static int open_sg(graphfile_reader *r)
{
    sg_file *x = calloc(1, sizeof *x);
    unsigned char header[HEADER];
    uint64_t edges, vertices;

    r->state = x;
    if (x == NULL) {
        return edgefile_no_memory(r->name);
    }
    if (r->bytes < HEADER) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " bytes, less than the header of a serialized "
                             "graph",
                             r->name, r->bytes);
    }
    EDGEFILE_TRY(graphfile_pread(r, 0, header, HEADER));
    memcpy(&edges, header + 1, 8);
    memcpy(&vertices, header + 9, 8);
    edges = le64toh(edges);
    vertices = le64toh(vertices);
    if (header[0] > 1 || vertices > (uint64_t)1 << 31 ||
        !is_length(r, header[0], edges, vertices)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " bytes, which are not the %" PRId64
                             " vertices and %" PRId64 " edges that its header says",
                             r->name, r->bytes, (int64_t)vertices, (int64_t)edges);
    }
    x->pointers.get = get_pointers;
    x->pointers.rows = vertices;
    x->neighbours = HEADER + 8 * (vertices + 1);
    r->rows = r->cols = vertices;
    r->told = true;
    r->highest[0] = r->highest[1] = vertices - (vertices > 0);
    r->weights = r->about->edge_bytes == 8;
    r->whole_pieces = true;
    graphfile_cut_edges(r, edges, 8, 1);
    return graphfile_rows_open(r, &x->pointers);
}

static void close_sg(graphfile_reader *r)
{
    sg_file *x = r->state;

    if (x != NULL) {
        free(x->pointers.row);
        free(x);
    }
}

/* The neighbours, which take turns with weights where there are any. */
static int load_neighbours(const graphfile_reader *r, uint64_t piece, uint64_t first,
                           uint64_t count, graphfile_edges *e)
{
    const sg_file *x = r->state;
    const graphfile_element type = {4, true};
    const uint64_t at = x->neighbours + first * r->about->edge_bytes;
    uint64_t *weight = r->weights ? malloc(count * sizeof *weight) : NULL;
    uint64_t *const both[] = {e->dst, weight};
    int st;

    if (r->weights && weight == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_load_ids(r, at, count, type, r->weights ? 2 : 1, both);
    for (uint64_t i = 0; i < count && r->weights && st == EDGEFILE_OK; i++) {
        e->weight[i] = (double)(int64_t)weight[i];
    }
    free(weight);
    return st == EDGEFILE_OK ? graphfile_rows_fill(r, &x->pointers, piece, e->src) : st;
}

static int parse_sg(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    return graphfile_parse_edges(r, piece, b, load_neighbours, true);
}

const graphfile_read_ops graphfile_sg_read = {
    .open = open_sg, .parse = parse_sg, .close = close_sg, .own_pieces = true};
