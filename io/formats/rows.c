/*
 * rows.c - formats of graphs by rows, whose columns lie at known places: adjacency, parhip, sg and
 * wsg.
 */
#include "io/formats/digits.h"
#include "io/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * The row pointers of a sorted graph: for each row the number of its first edge, and after the last
 * row the number of edges.
 *
 * A piece gives the pointers of the rows that begin inside it, after its first edge.  Pointers of
 * rows that begin between two pieces are written at the end, when the first and last edges of all
 * pieces are known.
 */

enum { WAITING = 1 << 15 }; /* bytes */

/* Collects the pointers of consecutive rows and writes many at once. */
typedef struct {
    graphfile_writer *w;
    uint64_t row; /* the next one; waiting holds the n before it */
    uint64_t n;
    char waiting[WAITING];
} pointer_run;

static int flush(pointer_run *r)
{
    const size_t width = (size_t)r->w->rows.width, bytes = r->n * width;
    const uint64_t at = r->w->rows.offset + (r->row - r->n) * width;

    r->n = 0;
    return bytes > 0 ? io_file_write(&r->w->file, at, r->waiting, bytes) : EDGEFILE_OK;
}

static void put(const graphfile_pointers *x, char *to, uint64_t edge)
{
    const uint64_t pointer = x->base + x->scale * edge;

    if (x->text) {
        graphfile_put_field(to, (int64_t)pointer, (size_t)x->width);
    } else {
        memcpy(to, &pointer, (size_t)x->width);
    }
}

/* All remaining rows up to this one begin at the same edge. */
static int put_rows(pointer_run *r, uint64_t row, uint64_t edge)
{
    const graphfile_pointers *x = &r->w->rows;
    const size_t width = (size_t)x->width;
    int st = EDGEFILE_OK;

    for (; r->row <= row && r->row < x->count && st == EDGEFILE_OK; r->row++) {
        if ((r->n + 1) * width > WAITING) {
            st = flush(r);
        }
        put(x, r->waiting + r->n++ * width, edge);
    }
    return st;
}

static int write_pointers(graphfile_writer *w, const graphfile_piece *p)
{
    const int id_bytes = w->spec.graph.id_bytes;
    uint64_t row = p->count > 0 ? graphfile_id(id_bytes, p->src, 0) : 0;
    pointer_run run = {.w = w, .row = row + 1};

    for (uint64_t i = 1; i < p->count; i++) {
        const uint64_t next = graphfile_id(id_bytes, p->src, i);

        if (next != row) {
            EDGEFILE_TRY(put_rows(&run, next, p->first + i));
        }
        row = next;
    }
    return flush(&run);
}

static int finish_pointers(graphfile_writer *w)
{
    pointer_run run = {.w = w};

    if (!edgefile_group_leads(w->spec.group)) {
        return EDGEFILE_OK;
    }
    for (uint64_t k = 0; k < w->n_ends; k++) {
        const graphfile_ends *ends = &w->ends[k];

        if (ends->count > 0) {
            EDGEFILE_TRY(put_rows(&run, ends->first_src, ends->first));
            EDGEFILE_TRY(flush(&run));
            run.row = ends->last_src + 1;
        }
    }
    EDGEFILE_TRY(put_rows(&run, w->rows.count, w->spec.graph.edges));
    return flush(&run);
}

/*
 * adjacency: the text of Ligra and GBBS.  The word AdjacencyGraph, or with weights
 * WeightedAdjacencyGraph; the numbers of vertices and of edges; for each vertex the number of its
 * first edge; the destinations; the weights.  Each stands on a line.
 *
 * All numbers of one kind have the width of the longest possible one, with leading blanks, which
 * readers skip.  So the place of each number is known before the earlier numbers are.
 */

/* Bytes of the longest header, and of the line of a weight. */
enum { ADJACENCY_HEADER = 80, WEIGHT = 12 };

typedef struct {
    char header[ADJACENCY_HEADER];
    size_t rows, row_width, id_width, destinations, weights, end; /* offsets, and widths of lines */
} adjacency_layout;

static adjacency_layout lay_out(const graphfile_graph *g)
{
    const bool weighted = g->weight != EDGEFILE_NO_WEIGHT;
    const uint64_t vertices = graphfile_vertices(g);
    adjacency_layout x = {.row_width = graphfile_n_digits(g->edges) + 1,
                          .id_width = graphfile_n_digits(vertices) + 1};

    x.rows =
        (size_t)snprintf(x.header, ADJACENCY_HEADER, "%sAdjacencyGraph\n%" PRIu64 "\n%" PRIu64 "\n",
                         weighted ? "Weighted" : "", vertices, g->edges);
    x.destinations = x.rows + x.row_width * vertices;
    x.weights = x.destinations + x.id_width * g->edges;
    x.end = x.weights + (weighted ? WEIGHT * g->edges : 0);
    return x;
}

static uint64_t adjacency_length(const graphfile_spec *s)
{
    return lay_out(&s->graph).end;
}

static int open_adjacency(graphfile_writer *w)
{
    const adjacency_layout x = lay_out(&w->spec.graph);

    w->rows = (graphfile_pointers){.count = graphfile_vertices(&w->spec.graph),
                                   .offset = x.rows,
                                   .scale = 1,
                                   .width = (int)x.row_width,
                                   .text = true};
    EDGEFILE_TRY(io_file_reserve(&w->file, x.end));
    return io_file_write(&w->file, 0, x.header, x.rows);
}

static int write_adjacency(graphfile_writer *w, const graphfile_piece *p)
{
    const adjacency_layout x = lay_out(&w->spec.graph);
    graphfile_buffer *b;
    char *to;

    EDGEFILE_TRY(write_pointers(w, p));
    to = graphfile_open_chunk(w, &b, x.id_width * p->count);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        const uint64_t id = graphfile_id(w->spec.graph.id_bytes, p->dst, i);

        graphfile_put_field(to + x.id_width * i, (int64_t)id, x.id_width);
    }
    EDGEFILE_TRY(
        graphfile_close_chunk(w, &w->file, x.destinations + x.id_width * p->first, b, EDGEFILE_OK));
    if (w->spec.graph.weight == EDGEFILE_NO_WEIGHT) {
        return EDGEFILE_OK;
    }
    to = graphfile_open_chunk(w, &b, WEIGHT * p->count);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        graphfile_put_field(to + WEIGHT * i, ((const int32_t *)p->weight)[i], WEIGHT);
    }
    return graphfile_close_chunk(w, &w->file, x.weights + WEIGHT * p->first, b, EDGEFILE_OK);
}

static const graphfile_place place_adjacency = {
    .open = open_adjacency, .piece = write_adjacency, .finish = finish_pointers};

const graphfile_descriptor graphfile_adjacency_format = {
    .facts = {"adjacency", ".adj", "Ligra's and GBBS's AdjacencyGraph, or WeightedAdjacencyGraph",
              GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS | GRAPHFILE_NEEDS_SORTED},
    .place = &place_adjacency,
    .length = adjacency_length,
};

/*
 * parhip: the binary graphs (.bgf) of KaHIP's ParHIP, which KaMinPar reads as well.  It
 * holds the version, the numbers of vertices and of directed edges, the offsets in the file of each
 * vertex's neighbors and of their end, and the neighbors.  All are 64-bit integers.
 */

enum { PARHIP_HEADER = 24, PARHIP_VERSION = 3 };

static uint64_t parhip_neighbors(const graphfile_graph *g)
{
    return PARHIP_HEADER + 8 * (g->rows + 1);
}

static uint64_t parhip_length(const graphfile_spec *s)
{
    return parhip_neighbors(&s->graph) + 8 * s->graph.edges;
}

static int open_parhip(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    const uint64_t header[] = {PARHIP_VERSION, g->rows, g->edges};

    w->rows = (graphfile_pointers){.count = g->rows + 1,
                                   .offset = PARHIP_HEADER,
                                   .base = parhip_neighbors(g),
                                   .scale = 8,
                                   .width = 8};
    EDGEFILE_TRY(io_file_reserve(&w->file, parhip_length(&w->spec)));
    return io_file_write(&w->file, 0, header, PARHIP_HEADER);
}

static int write_parhip(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(write_pointers(w, p));
    return graphfile_write_column(w, parhip_neighbors(&w->spec.graph) + 8 * p->first, p->dst,
                                  p->count, 8);
}

static const graphfile_place place_parhip = {
    .open = open_parhip, .piece = write_parhip, .finish = finish_pointers};

const graphfile_descriptor graphfile_parhip_format = {
    .facts = {"parhip", ".bgf", "ParHIP's binary graph (KaHIP, KaMinPar)",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_SIMPLE},
    .place = &place_parhip,
    .length = parhip_length,
};

/*
 * sg and wsg: GAPBS's serialized graphs, without and with int32 weights.  They hold a byte
 * that says whether the graph is directed, the numbers of edges and of vertices, the row pointers,
 * and the neighbors of all vertices (in wsg pairs of neighbor and weight).  For a directed graph
 * the pointers and neighbors of the transposed graph follow.
 *
 * A graph is written as undirected if every edge has its reverse and there are no self-loops.  The
 * transposed graph would be the same, and GAPBS counts each pair as one edge.
 */

enum { SG_HEADER = 17 };

static bool is_directed(const graphfile_graph *g)
{
    return !(g->pairs && g->no_loops);
}

static uint64_t neighbor_bytes(const graphfile_spec *s)
{
    return s->format == GRAPHFILE_WSG ? 8 : 4;
}

static uint64_t sg_length(const graphfile_spec *s)
{
    const graphfile_graph *g = &s->graph;
    const uint64_t side = 8 * (graphfile_vertices(g) + 1) + neighbor_bytes(s) * g->edges;

    return SG_HEADER + side * (is_directed(g) ? 2 : 1);
}

static uint64_t sg_neighbors(const graphfile_graph *g)
{
    return SG_HEADER + 8 * (graphfile_vertices(g) + 1);
}

static int begin_sg(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    const uint64_t vertices = graphfile_vertices(g), width = neighbor_bytes(&w->spec);
    char header[SG_HEADER];

    w->rows =
        (graphfile_pointers){.count = vertices + 1, .offset = SG_HEADER, .width = 8, .scale = 1};
    if (is_directed(g)) {
        const uint64_t at = sg_neighbors(g) + width * g->edges;

        w->part[GRAPHFILE_IN_POINTERS] =
            (graphfile_part_place){.offset = at, .width = 8, .length = vertices + 1};
        w->part[GRAPHFILE_IN_NEIGHBORS] = (graphfile_part_place){
            .offset = at + 8 * (vertices + 1), .width = width, .length = g->edges};
    }
    EDGEFILE_TRY(io_file_reserve(&w->file, sg_length(&w->spec)));
    header[0] = (char)is_directed(g);
    memcpy(header + 1, &g->edges, 8);
    memcpy(header + 9, &vertices, 8);
    return io_file_write(&w->file, 0, header, SG_HEADER);
}

/* Neighbors and weights, alternating. */
static int write_weighted(graphfile_writer *w, const graphfile_piece *p)
{
    const uint32_t *weight = p->weight;
    graphfile_buffer *b;
    uint32_t *to = graphfile_open_chunk(w, &b, 8 * p->count);
    int st = EDGEFILE_OK;

    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    graphfile_put_ids(w, to, 4, 2, p->dst, p->count);
    for (uint64_t i = 0; i < p->count && st == EDGEFILE_OK; i++) {
        to[2 * i + 1] = weight[i];
        if (weight[i] > INT32_MAX) { /* a shortest path of GAPBS cannot be shorter than its parts */
            st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "wsg needs weights of at least 0, edge %" PRIu64 " has %" PRId32,
                               p->first + i, (int32_t)weight[i]);
        }
    }
    return graphfile_close_chunk(w, &w->file, sg_neighbors(&w->spec.graph) + 8 * p->first, b, st);
}

static int write_sg(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(write_pointers(w, p));
    return neighbor_bytes(&w->spec) == 8
               ? write_weighted(w, p)
               : graphfile_write_column(w, sg_neighbors(&w->spec.graph) + 4 * p->first, p->dst,
                                        p->count, 4);
}

static const graphfile_place place_sg = {
    .open = begin_sg, .piece = write_sg, .finish = finish_pointers};

enum { SG_TRAITS = GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_POINTERS | GRAPHFILE_HAS_VERTICES };

/* The number of pointers, one more than the number of vertices, is an int in GAPBS. */
#define SG_MOST_VERTICES (((uint64_t)1 << 31) - 2)

const graphfile_descriptor graphfile_sg_format = {
    .facts = {"sg", ".sg", "GAPBS's serialized graph", SG_TRAITS},
    .place = &place_sg,
    .most_vertices = SG_MOST_VERTICES,
    .length = sg_length,
};

const graphfile_descriptor graphfile_wsg_format = {
    .facts = {"wsg", ".wsg", "GAPBS's serialized graph with int32 weights",
              SG_TRAITS | GRAPHFILE_MUST_WEIGHTS | GRAPHFILE_INT_WEIGHTS |
                  GRAPHFILE_WEIGHTS_FROM_0},
    .place = &place_sg,
    .most_vertices = SG_MOST_VERTICES,
    .length = sg_length,
};
