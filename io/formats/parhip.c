/*
 * parhip.c - parhip: the binary graphs (.bgf) of KaHIP's ParHIP, which KaMinPar reads as well.
 * Version, numbers of vertices and of directed edges; for each vertex the byte in the file at which
 * its neighbours begin, and where the last ones end; the neighbours.  All are 64-bit integers.
 */
#include "io/formats/reader.h"

#include <endian.h>

enum { HEADER = 24, VERSION = 3 };

static uint64_t neighbours_at(const graphfile_graph *g)
{
    return HEADER + 8 * (g->rows + 1);
}

static uint64_t length(const graphfile_graph *g)
{
    return neighbours_at(g) + 8 * g->edges;
}

static int open_parhip(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    const uint64_t header[] = {VERSION, g->rows, g->edges};

    w->rows = (graphfile_pointers){.file = &w->file,
                                   .last = g->rows,
                                   .offset = HEADER,
                                   .base = neighbours_at(g),
                                   .scale = 8,
                                   .width = 8};
    graphfile_plain_reserve(&w->file, length(g));
    return graphfile_plain_write(&w->file, 0, header, HEADER);
}

static int write_parhip(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(graphfile_write_rows(w, p));
    return graphfile_write_column(w, neighbours_at(&w->spec.graph) + 8 * p->first, p->dst, p->count,
                                  8);
}

static const graphfile_write_ops write_ops = {
    .open = open_parhip, .write = write_parhip, .finish = graphfile_finish_rows};

static int open_to_read(graphfile_reader *r)
{
    uint64_t header[3] = {0};
    graphfile_csr *x;

    EDGEFILE_TRY(graphfile_csr_begin(r, &x));
    EDGEFILE_TRY(graphfile_pread(r, 0, header, r->bytes < HEADER ? (size_t)r->bytes : HEADER));
    const uint64_t vertices = le64toh(header[1]), edges = le64toh(header[2]);

    if (r->bytes < HEADER || le64toh(header[0]) != VERSION) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: is no binary graph of ParHIP without weights", r->name);
    }
    x->base = HEADER + 8 * (vertices + 1);
    x->scale = 8;
    if (vertices > r->bytes / 8 || edges > r->bytes / 8 || x->base + 8 * edges != r->bytes) {
        return graphfile_csr_refuse(r, vertices, edges);
    }
    x->pointers = (graphfile_array){HEADER, .type = {8, false}};
    x->dst = (graphfile_array){x->base, .type = {8, true}};
    return graphfile_csr_open(r, vertices, vertices, edges);
}

static const graphfile_read_ops read_ops = GRAPHFILE_CSR_READ(open_to_read);

const graphfile_descriptor graphfile_parhip_format = {
    .facts = {"parhip", ".bgf", "ParHIP's binary graph (KaHIP, KaMinPar)",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_SIMPLE | GRAPHFILE_NEEDS_PAIRS},
    .write = &write_ops,
    .read = &read_ops,
    .edge_bytes = 8,
    .length = length,
};
