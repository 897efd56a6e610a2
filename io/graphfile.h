/*
 * graphfile.h - graphs in the formats of other programs: written piece by piece by any number of
 * threads, read likewise.  For HDF5 files of ours there is edgefile.h.
 *
 * Statuses are those of edgefile.h, and edgefile_detail() describes the last error.  Functions
 * never print and never exit.  Memory depends on the size of a piece, never on the graph, but for
 * 24 bytes per piece of a file that is read, and 48 of one whose format must be sorted.
 *
 * A file under construction is called NAME.partial, as in edgefile.h; graphfile_commit() renames
 * it.  NAME "-" is standard output, which cannot be taken back; EDGEFILE_ERR_PEER: whoever read it
 * has left.
 */
#ifndef IO_GRAPHFILE_H
#define IO_GRAPHFILE_H

#include "io/edgefile.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    GRAPHFILE_H5,        /* ours: src, dst, weight; see edgefile.h, not written here */
    GRAPHFILE_CSR,       /* likewise */
    GRAPHFILE_EL,        /* text, "src dst" (GAPBS, SNAP) */
    GRAPHFILE_WEL,       /* text, "src dst weight" (GAPBS) */
    GRAPHFILE_TSV,       /* the same with tabulators, the weight where there is one */
    GRAPHFILE_MTX,       /* Matrix Market, coordinate, general; from 1 */
    GRAPHFILE_GR,        /* DIMACS shortest paths: "a src dst weight"; from 1, integer weights */
    GRAPHFILE_METIS,     /* neighbours of each vertex on a line; from 1, undirected and simple */
    GRAPHFILE_BIN32,     /* src, dst as pairs of uint32 (KaGen, X-Stream), little-endian */
    GRAPHFILE_BIN64,     /* the same of uint64 */
    GRAPHFILE_GRAPH500,  /* packed_edge of Graph500's reference code: 12 bytes with ids of 47 bits;
                            float32 weights in NAME.weights */
    GRAPHFILE_NPY,       /* NumPy, shape (2, edges), uint32 or uint64 */
    GRAPHFILE_SG,        /* GAPBS's serialized graph, ids of 32 bits, without weights */
    GRAPHFILE_WSG,       /* the same with int32 weights */
    GRAPHFILE_PBG,       /* PyTorch-BigGraph's edges_0_0.h5: int64 lhs, rhs, rel */
    GRAPHFILE_BINSPARSE, /* binsparse 0.1 in HDF5, COO */
    GRAPHFILE_N_FORMATS
} graphfile_format;

/* What a format is like. */
enum {
    GRAPHFILE_READS = 1,            /* graphfile_open() reads it (not ours) */
    GRAPHFILE_PIPE = 2,             /* can be written to a pipe */
    GRAPHFILE_HAS_WEIGHTS = 4,      /* keeps them */
    GRAPHFILE_NEEDS_WEIGHTS = 8,    /* has a place for each */
    GRAPHFILE_INT_WEIGHTS = 16,     /* takes no others */
    GRAPHFILE_NEEDS_SORTED = 32,    /* by src, then dst */
    GRAPHFILE_NEEDS_UNIQUE = 64,    /* no edge twice */
    GRAPHFILE_NEEDS_POINTERS = 128, /* perhaps graphfile_write_in_pointers() */
    GRAPHFILE_NEEDS_PAIRS = 256,    /* with each edge its reverse, and no loops */
    GRAPHFILE_LOSSLESS = 512,       /* edges, order and weights can be read back */
    GRAPHFILE_HAS_VERTICES = 1024,  /* says how many there are */
    GRAPHFILE_TEXT = 2048           /* numbers as decimal digits */
};

typedef struct {
    const char *name;   /* as in --format */
    const char *suffix; /* of file names, with the dot; "" if it has none of its own */
    const char *help;
    unsigned traits;
} graphfile_traits;

extern const graphfile_traits graphfile_table[GRAPHFILE_N_FORMATS];

/* Their names, and NULL at the end: the choices of an option. */
extern const char *const graphfile_names[GRAPHFILE_N_FORMATS + 1];

/* Of the suffix that the name ends with; -1: of none. */
int graphfile_format_of(const char *name);

/* A graph, as far as formats care. */
typedef struct {
    uint64_t rows, cols, edges;
    int id_bytes;           /* of the arrays that are written: 4 or 8 */
    edgefile_weight weight; /* likewise */
    int sorted, unique;     /* known to be */
    int pairs;              /* known to have with each edge its reverse, as --symmetrize gives it */
    int no_loops;           /* known to have none */
} graphfile_graph;

typedef struct {
    graphfile_format format;
    graphfile_graph graph;
    int replace;         /* nonzero: commit may take the place of an existing file */
    const char *comment; /* a line for formats that have a place for it, or NULL */
} graphfile_spec;

typedef struct graphfile_writer graphfile_writer;
typedef struct graphfile_reader graphfile_reader;

/* Can the format hold this graph?  0, or EDGEFILE_ERR_ARG with edgefile_detail() saying what it
 * lacks, as "metis needs ...". */
int graphfile_check(graphfile_format format, const graphfile_graph *graph);

int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec);

/*
 * Edges [first, first + count) as piece `number`.  Pieces are numbered from 0 on, without a gap, in
 * the order of the edges, and come from any number of threads at once.  The call may wait until
 * the pieces before are placed: every thread must take the lowest number that nobody has.  src and
 * dst of id_bytes elements, weight of 4 bytes or NULL where the graph has none.
 */
typedef struct {
    uint64_t number, first, count;
    const void *src, *dst, *weight;
} graphfile_piece;
/* EDGEFILE_ERR_FORMAT: a vertex is not below rows or cols, or the edges are not in the order that
 * the format needs; between pieces graphfile_commit() may be the one to find that. */
int graphfile_write(graphfile_writer *w, const graphfile_piece *piece);

/* Bytes of the finished file: exact, or about so many.  sample: some of its edges, at least one if
 * it has any, from which the length of text is estimated. */
int graphfile_measure(const graphfile_spec *spec, const graphfile_piece *sample, uint64_t *bytes,
                      int *exact);

/*
 * Formats with GRAPHFILE_NEEDS_POINTERS may want the transposed graph too.  The first says so:
 * bytes of an in-neighbour, 0: they do not.  Else the other two must be called, before or after the
 * edges, by any thread in any order.
 *
 * Pointers: elements [first, first + count) of vertices + 1, where vertices is the larger of rows
 * and cols, and vertex v has the in-neighbours from pointers[v] to before pointers[v + 1].
 * Neighbours: elements [first, first + count) of as many as there are edges: sources of 4 bytes;
 * where an in-neighbour has 8, pairs of source and weight.  Those of a vertex in ascending order.
 */
size_t graphfile_in_bytes(const graphfile_writer *w);
int graphfile_write_in_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                                const uint64_t *pointers);
int graphfile_write_in_neighbours(graphfile_writer *w, uint64_t first, uint64_t count,
                                  const void *neighbours);

/* As it was given to graphfile_create(). */
const char *graphfile_name(const graphfile_writer *w);

/* Some thread failed: from now on calls of graphfile_write() fail, also those that wait. */
void graphfile_cancel(graphfile_writer *w);

/* Every edge must have been written, or EDGEFILE_ERR_RANGE.  Frees *w in every case and sets it to
 * NULL; on error the partial file is removed.  *bytes (may be NULL): of the file. */
int graphfile_commit(graphfile_writer **w, uint64_t *bytes);
void graphfile_abort(graphfile_writer **w); /* NULL and pointer to NULL are allowed */

/*
 * Reading.  The file is cut into pieces of about a MiB, at ends of lines.  First every piece is
 * scanned, once, by any threads in any order; then the numbers below are known, and pieces can be
 * read, by any threads in any order.  A malformed file is EDGEFILE_ERR_FORMAT, and
 * edgefile_detail() names the line (binary: the byte).  The file must be a regular one and must
 * not change meanwhile, or it is an error.
 *
 * Text: numbers between blanks (spaces and tabulators), one edge on a line of at most 64 KiB, which
 * may end in CR LF.  Lines may be empty, or begin with # or % (mtx: %).  Ids are below 2^62.
 * Whether a tsv has weights is said by its first edge; an mtx may be general or symmetric, whose
 * entries off the diagonal are edges and their reverse.  Weights are int32 where all of them are
 * written as such, else float32; of mtx "real", always that.
 */
int graphfile_open(graphfile_reader **out, const char *name, graphfile_format format);
/* The same of a descriptor, which is closed in every case; name: for messages. */
int graphfile_open_fd(graphfile_reader **out, int fd, const char *name, graphfile_format format);
uint64_t graphfile_pieces(const graphfile_reader *r);
int graphfile_scan(graphfile_reader *r, uint64_t piece);
/* All are scanned: do the parts fit together?  rows and cols: as many as the file says; or both the
 * highest id and 1.  Or as many as are asked for here, if not 0: EDGEFILE_ERR_ARG where the file
 * has more.  sorted and the like are 0. */
int graphfile_scanned(graphfile_reader *r, uint64_t rows, uint64_t cols, graphfile_graph *graph);
uint64_t graphfile_most(const graphfile_reader *r); /* edges of a piece */
/* A piece into src and dst of graph.id_bytes elements and weight of 4 bytes or NULL; the number of
 * its edges, and of all before it. */
int graphfile_read(graphfile_reader *r, uint64_t piece, uint64_t *first, uint64_t *count, void *src,
                   void *dst, void *weight);
void graphfile_close(graphfile_reader *r); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
