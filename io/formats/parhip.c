/*
 * parhip.c - parhip: the binary graphs (.bgf) of KaHIP's ParHIP, which KaMinPar reads as well.  It
 * holds the version, the numbers of vertices and of directed edges, the offsets in the file of each
 * vertex's neighbors and of their end, and the neighbors.  All are 64-bit integers.
 */
#include "io/writer.h"

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

    w->rows = (graphfile_pointers){
        .count = g->rows + 1, .offset = HEADER, .base = neighbours_at(g), .scale = 8, .width = 8};
    EDGEFILE_TRY(io_file_reserve(&w->file, length(g)));
    return io_file_write(&w->file, 0, header, HEADER);
}

static int write_parhip(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(graphfile_write_rows(w, p));
    return graphfile_write_column(w, neighbours_at(&w->spec.graph) + 8 * p->first, p->dst, p->count,
                                  8);
}

static const graphfile_place place_parhip = {
    .open = open_parhip, .piece = write_parhip, .finish = graphfile_finish_rows};

const graphfile_descriptor graphfile_parhip_format = {
    .facts = {"parhip", ".bgf", "ParHIP's binary graph (KaHIP, KaMinPar)",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_SIMPLE},
    .place = &place_parhip,
    .length = length,
};
