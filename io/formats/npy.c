/*
 * npy.c - npy: NumPy's array format.  An array of shape (2, edges): all sources, then all
 * destinations.  Written in version 1.0.
 */
#include "io/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The header fills a page, so that the first array begins on one and O_DIRECT can write it. */
enum { HEADER = 4096, PREFIX = 10 };

static const char magic[8] = "\x93NUMPY\x01";

static uint64_t length(const graphfile_graph *g)
{
    return HEADER + 2 * (uint64_t)g->id_bytes * g->edges;
}

static void put_header(char header[HEADER], const graphfile_graph *g)
{
    const int n =
        snprintf(header + PREFIX, HEADER - PREFIX,
                 "{'descr': '<%c%d', 'fortran_order': False, 'shape': (2, %" PRIu64 "), }",
                 g->signed_ids ? 'i' : 'u', g->id_bytes, g->edges);

    memcpy(header, magic, sizeof magic);
    header[8] = (char)((HEADER - PREFIX) % 256);
    header[9] = (char)((HEADER - PREFIX) / 256);
    memset(header + PREFIX + n, ' ', (size_t)(HEADER - PREFIX - n));
    header[HEADER - 1] = '\n';
}

static int begin_npy(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    char header[HEADER];

    put_header(header, g);
    EDGEFILE_TRY(io_file_reserve(&w->file, length(g)));
    return io_file_write(&w->file, 0, header, HEADER);
}

static int write_npy(graphfile_writer *w, const graphfile_piece *p)
{
    const int width = w->spec.graph.id_bytes;
    const uint64_t at = HEADER + p->first * (uint64_t)width;

    EDGEFILE_TRY(graphfile_write_column(w, at, p->src, p->count, width));
    return graphfile_write_column(w, at + w->spec.graph.edges * (uint64_t)width, p->dst, p->count,
                                  width);
}

static const graphfile_place place_npy = {.open = begin_npy, .piece = write_npy};

const graphfile_descriptor graphfile_npy_format = {
    .facts = {"npy", ".npy", "NumPy, shape (2, edges)",
              GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS},
    .place = &place_npy,
    .length = length,
};
