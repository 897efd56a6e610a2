/*
 * format.h - what a format is made of: the descriptor that each format's file defines, and the
 * table of all of them.  Private.
 */
#ifndef IO_FORMATS_FORMAT_H
#define IO_FORMATS_FORMAT_H

#include "io/graphfile.h"

#include <stdbool.h>

/* How a format is written: see writer.h. */
typedef struct graphfile_write_ops graphfile_write_ops;

typedef struct {
    graphfile_traits facts;

    const graphfile_write_ops *write;
    unsigned edge_bytes; /* of every edge in the main file; 0: they differ.  Where `write` places
                            the bytes itself: what an edge takes at least, to check for room. */
    /* Of text: the bytes in the line of an edge beside its numbers; 0: it is no text.  With
     * row_bytes, which a row has besides, the line is that of a row, and of an edge there is only
     * the destination. */
    unsigned line_bytes, row_bytes;
    /* Edges: see graphfile_round().  NULL: they do not matter to the format. */
    uint64_t (*round)(const graphfile_spec *s);
    uint64_t most_vertices; /* that its ids can tell apart; 0: more than any graph has */
    int (*check)(const graphfile_graph *g); /* what no trait says; NULL: all is said */

    /* The length of the files, if that is not simply the edges' bytes.  NULL: it is, or the file is
     * text. */
    uint64_t (*length)(const graphfile_graph *g);
    bool length_is_estimate;
    /* Finds out the length by making the file in memory.  NULL: the above tell. */
    int (*lay_out)(const graphfile_spec *spec, uint64_t *bytes);
    /* The most that the main file can have, where edges take more or fewer bytes.  NULL: the above
     * tell. */
    uint64_t (*most)(const graphfile_spec *spec);
    /* Bytes of the files beside the main one.  NULL: there are none, or they are counted above. */
    uint64_t (*beside)(const graphfile_graph *g);

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
enum {
    GRAPHFILE_MUST_WEIGHTS = GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_WEIGHTS,
    GRAPHFILE_SIMPLE = GRAPHFILE_NEEDS_SORTED | GRAPHFILE_NEEDS_UNIQUE
};

#endif
