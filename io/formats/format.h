/*
 * format.h - what a format is made of: the descriptor that each format's file defines, and the
 * table of all of them.  Private.
 */
#ifndef IO_FORMATS_FORMAT_H
#define IO_FORMATS_FORMAT_H

#include "io/graphfile.h"

#include <stdbool.h>

/* How a format is written and read: see writer.h and reader.h. */
typedef struct graphfile_write_ops graphfile_write_ops;
typedef struct graphfile_read_ops graphfile_read_ops;

typedef struct {
    graphfile_traits facts;

    const graphfile_write_ops *write;
    unsigned edge_bytes; /* of every edge in the main file; 0: they differ.  Where `write` places
                            the bytes itself: what an edge takes at least, to check for room. */
    unsigned row_bytes;  /* of text: bytes of each row beside those of its edges */
    /* Edges: see graphfile_round().  NULL: they do not matter to the format. */
    uint64_t (*round)(const graphfile_spec *s);
    uint64_t most_vertices; /* that its ids can tell apart; 0: more than any graph has */
    int (*check)(const graphfile_graph *g); /* what no trait says; NULL: all is said */

    /* The length of the file, if that is not simply the edges' bytes.  NULL for text, which is
     * measured from a sample. */
    uint64_t (*length)(const graphfile_graph *g);
    bool length_is_estimate;
    /* Finds out the length by making the file in memory.  NULL: the above tell. */
    int (*lay_out)(const graphfile_spec *spec, uint64_t *bytes);
    /* Where `write` encodes the edges: the bytes of those of a sample, and of what is in the file
     * beside edges.  NULL: that is not so. */
    int (*measure)(const graphfile_spec *spec, const graphfile_piece *sample, uint64_t *edges,
                   uint64_t *beside);
    /* Of text: bytes of the files beside the main one; NULL: there are none.  row_bytes are then
     * bytes of these files and no part of the main one's length. */
    uint64_t (*beside)(const graphfile_graph *g);

    const graphfile_read_ops *read; /* NULL: graphfile_open() does not read it */
    /* Do the file's first `count` bytes prove that it has this format?  NULL: no bytes do. */
    bool (*recognise)(const void *start, size_t count);
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
