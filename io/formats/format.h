/*
 * format.h - what a format is made of: the descriptor that each format's file defines, and the
 * table of all of them.  Private.
 */
#ifndef IO_FORMATS_FORMAT_H
#define IO_FORMATS_FORMAT_H

#include "io/graphfile.h"

/* How a format is written: see writer.h. */
typedef struct graphfile_write_ops graphfile_write_ops;

typedef struct {
    graphfile_traits facts;

    const graphfile_write_ops *write;
    unsigned edge_bytes; /* of every edge, where `encode` writes them all alike; 0: they differ, or
                            `write` places the bytes itself */
    /* Of text: the bytes in the line of an edge beside its numbers; 0: it is no text.  With
     * row_bytes, which a row has besides, the line is that of a row, and of an edge there is only
     * the destination. */
    unsigned line_bytes, row_bytes;
    uint64_t most_vertices; /* that its ids can tell apart; 0: more than any graph has */
    int (*check)(const graphfile_graph *g); /* what no trait says; NULL: all is said */

    /* The length of the file, if that is not simply the edges' bytes and the format is no text:
     * exactly, or at most, as graphfile_most_bytes().  NULL: it is, or the other one tells. */
    uint64_t (*length)(const graphfile_graph *g);
    uint64_t (*most)(const graphfile_spec *spec, int *exact);

} graphfile_descriptor;

/* Where sources and destinations are the same vertices: how many. */
static inline uint64_t graphfile_vertices(const graphfile_graph *g)
{
    return g->rows > g->cols ? g->rows : g->cols;
}

#define GRAPHFILE_FORMAT(CONSTANT, id) extern const graphfile_descriptor graphfile_##id##_format;
#include "io/formats/list.h"

/* table.c: the same facts as graphfile_table[], with the functions. */
extern const graphfile_descriptor *const graphfile_descriptors[GRAPHFILE_N_FORMATS];

/* Combinations of traits that several formats have. */
enum { GRAPHFILE_MUST_WEIGHTS = GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_WEIGHTS };

#endif
