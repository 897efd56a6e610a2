/*
 * io/formats/sg.c - GAPBS's serialized graph: a byte that says whether it is directed, the numbers
 * of edges and of vertices, the row pointers and the neighbours of all vertices (with weights pairs
 * of neighbour and weight), and for a directed graph pointers and neighbours once more, of the
 * transposed.
 *
 * A graph that has with each edge its reverse, and no loops, is written as undirected: the
 * transposed would be the same, and GAPBS counts each pair as one edge.
 *
 * A piece knows the pointers of the rows that begin inside it.  Those between two pieces wait for
 * the end, when all ends of pieces are known.
 */
#include "io/formats/writer.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 17, BLOCK = 4096 };

typedef struct {
    int directed, width;                                                 /* bytes of a neighbour */
    uint64_t vertices, pointers, neighbours, in_pointers, in_neighbours; /* offsets but for one */
    _Atomic uint64_t n_in_pointers, n_in_neighbours;                     /* written */
} serialized;

/* Pointers of one row after the other. */
typedef struct {
    graphfile_writer *w;
    uint64_t row, n; /* the next; how many wait, before it */
    uint64_t waiting[BLOCK];
} pointer_run;

static int flush(pointer_run *r)
{
    const serialized *x = r->w->state;
    int st =
        graphfile_plain_write(&r->w->file, x->pointers + 8 * (r->row - r->n), r->waiting, 8 * r->n);

    r->n = 0;
    return st;
}

/* All up to that row begin at an edge. */
static int put(pointer_run *r, uint64_t row, uint64_t edge)
{
    int st = EDGEFILE_OK;

    for (; r->row <= row && st == EDGEFILE_OK; r->row++) {
        if (r->n == BLOCK) {
            st = flush(r);
        }
        r->waiting[r->n++] = edge;
    }
    return st;
}

static int open_sg(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    serialized *x = calloc(1, sizeof *x);
    char header[HEADER];

    w->state = x;
    if (x == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", w->file.name);
    }
    x->directed = !(g->pairs && g->no_loops);
    x->width = w->spec.format == GRAPHFILE_WSG ? 8 : 4;
    x->vertices = g->rows > g->cols ? g->rows : g->cols;
    x->pointers = HEADER;
    x->neighbours = x->pointers + 8 * (x->vertices + 1);
    x->in_pointers = x->neighbours + g->edges * (uint64_t)x->width;
    x->in_neighbours = x->in_pointers + 8 * (x->vertices + 1);
    graphfile_plain_reserve(&w->file, x->directed ? x->in_neighbours + g->edges * (uint64_t)x->width
                                                  : x->in_pointers);
    header[0] = (char)x->directed;
    memcpy(header + 1, &g->edges, 8);
    memcpy(header + 9, &x->vertices, 8);
    return graphfile_plain_write(&w->file, 0, header, HEADER);
}

static uint64_t id_at(const graphfile_writer *w, const void *ids, uint64_t i)
{
    return w->spec.graph.id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

/* The pointers of all rows after that of the first edge. */
static int write_rows(graphfile_writer *w, const graphfile_piece *p)
{
    uint64_t row = id_at(w, p->src, 0);
    pointer_run run = {.w = w, .row = row + 1};
    int st = EDGEFILE_OK;

    for (uint64_t i = 1; i < p->count && st == EDGEFILE_OK; i++) {
        uint64_t next = id_at(w, p->src, i);

        if (next != row) {
            st = put(&run, next, p->first + i);
        }
        row = next;
    }
    return st == EDGEFILE_OK ? flush(&run) : st;
}

/* Neighbour and weight in turn. */
static int write_weighted(graphfile_writer *w, const graphfile_piece *p)
{
    const serialized *x = w->state;
    const uint32_t *dst = p->dst, *weight = p->weight;
    graphfile_buffer *b;
    uint32_t *to = graphfile_open_block(w, &b, 8 * p->count);
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
    for (uint64_t i = 0; i < p->count; i++) {
        to[2 * i + 1] = weight[i];
    }
    return graphfile_close_block(w, &w->file, x->neighbours + 8 * p->first, b, st);
}

static int write_sg(graphfile_writer *w, const graphfile_piece *p)
{
    const serialized *x = w->state;
    int st = p->count > 0 ? write_rows(w, p) : EDGEFILE_OK;

    if (st != EDGEFILE_OK) {
        return st;
    }
    return x->width == 8
               ? write_weighted(w, p)
               : graphfile_write_column(w, x->neighbours + 4 * p->first, p->dst, p->count, 4);
}

static int write_in_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                             const uint64_t *pointers)
{
    serialized *x = w->state;

    atomic_fetch_add(&x->n_in_pointers, count);
    return graphfile_write_block(w, &w->file, x->in_pointers + 8 * first, pointers, 8 * count);
}

static int write_in_neighbours(graphfile_writer *w, uint64_t first, uint64_t count,
                               const void *neighbours)
{
    serialized *x = w->state;
    const uint64_t width = (uint64_t)x->width;

    atomic_fetch_add(&x->n_in_neighbours, count);
    return graphfile_write_block(w, &w->file, x->in_neighbours + width * first, neighbours,
                                 width * count);
}

static int finish_sg(graphfile_writer *w)
{
    const serialized *x = w->state;
    pointer_run run = {.w = w};
    int st = EDGEFILE_OK;

    if (x->directed && (atomic_load(&x->n_in_pointers) != x->vertices + 1 ||
                        atomic_load(&x->n_in_neighbours) != w->spec.graph.edges)) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "not all in-neighbours were written");
    }
    for (uint64_t k = 0; k < w->n_ends && st == EDGEFILE_OK; k++) {
        const graphfile_ends *ends = &w->ends[k];

        if (ends->count == 0) {
            continue;
        }
        st = put(&run, ends->first_src, ends->first);
        if (st == EDGEFILE_OK) {
            st = flush(&run);
        }
        run.row = ends->last_src + 1;
    }
    if (st == EDGEFILE_OK) {
        st = put(&run, x->vertices, w->spec.graph.edges);
    }
    return st == EDGEFILE_OK ? flush(&run) : st;
}

static void close_sg(graphfile_writer *w)
{
    free(w->state);
}

size_t graphfile_in_bytes(const graphfile_writer *w)
{
    const serialized *x = w->state;

    return w->ops->in_pointers != NULL && x->directed ? (size_t)x->width : 0;
}

const graphfile_ops graphfile_sg_ops = {.open = open_sg,
                                        .write = write_sg,
                                        .edge_bytes = 4,
                                        .in_pointers = write_in_pointers,
                                        .in_neighbours = write_in_neighbours,
                                        .finish = finish_sg,
                                        .close = close_sg};
const graphfile_ops graphfile_wsg_ops = {.open = open_sg,
                                         .write = write_sg,
                                         .edge_bytes = 8,
                                         .in_pointers = write_in_pointers,
                                         .in_neighbours = write_in_neighbours,
                                         .finish = finish_sg,
                                         .close = close_sg};
