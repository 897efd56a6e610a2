/*
 * graphfile.h - writes graphs to files of all formats, piece by piece, from any number of threads
 * and processes.
 *
 * Functions return 0 or a negative edgefile_status (edgefile.h); they never print and never exit.
 * After an error edgefile_detail() describes it in full for the calling thread.  No two functions
 * may be called on one writer at the same time unless their comments say so.
 *
 * Memory depends on the size of a piece, not of the graph, except for small records.  A format that
 * needs sorted edges keeps up to 96 bytes per piece, Parquet keeps 24 per column chunk, and metis
 * holds the empty lines between two edges.
 *
 * A file under construction is called NAME.partial. graphfile_commit() completes it, syncs it to
 * disk and renames it to NAME.  Until then an older file NAME stays unchanged.  If NAME is a
 * symbolic link, the writer replaces its target.  The writer replaces a partial file left by a dead
 * process; one that a living process is writing is an error (EDGEFILE_ERR_OPEN).  The bytes of a
 * finished file depend only on the spec and the edges, not on the order and sizes of the pieces or
 * on the processes.  A caller under RLIMIT_FSIZE should ignore SIGXFSZ.
 *
 * The NAME "-" is standard output, for formats with GRAPHFILE_PIPE and one process.  Bytes on a
 * pipe cannot be taken back.  EDGEFILE_ERR_PEER then means that the pipe's reader has closed it.
 *
 * Flags in the structs below are int, not bool: 0 is false, anything else is true.
 */
#ifndef IO_GRAPHFILE_H
#define IO_GRAPHFILE_H

#include "io/edgefile.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The formats, in the order of help texts.  X(EL, el) stands for the constant GRAPHFILE_EL and the
 * descriptor graphfile_el_format, which the format's own file defines.  The first two have the
 * trait GRAPHFILE_EDGEFILE: they are the HDF5 files that edgefile.h reads.  Numbers may change
 * between releases; names and suffixes do not. */
#define GRAPHFILE_FORMATS(X)                                                                       \
    X(H5, h5)                                                                                      \
    X(CSR, csr)                                                                                    \
    X(EL, el)                                                                                      \
    X(WEL, wel)                                                                                    \
    X(TSV, tsv)                                                                                    \
    X(CSV, csv)                                                                                    \
    X(MTX, mtx)                                                                                    \
    X(METIS, metis)                                                                                \
    X(BIN32, bin32)                                                                                \
    X(BIN64, bin64)                                                                                \
    X(GRAPH500, graph500)                                                                          \
    X(NPY, npy)                                                                                    \
    X(PARQUET, parquet)                                                                            \
    X(ADJACENCY, adjacency)                                                                        \
    X(PARHIP, parhip)                                                                              \
    X(SG, sg)                                                                                      \
    X(WSG, wsg)
#define GRAPHFILE_CONSTANT(CONSTANT, id) GRAPHFILE_##CONSTANT,
typedef enum { GRAPHFILE_FORMATS(GRAPHFILE_CONSTANT) GRAPHFILE_N_FORMATS } graphfile_format;
#undef GRAPHFILE_CONSTANT

/* The contents that a format can hold, and its requirements. */
enum {
    GRAPHFILE_EDGEFILE = 1,           /* one of our HDF5 files, which edgefile.h reads */
    GRAPHFILE_TEXT = 2,               /* numbers are decimal text */
    GRAPHFILE_PIPE = 4,               /* can be written to a pipe */
    GRAPHFILE_HAS_VERTICES = 8,       /* records the number of vertices */
    GRAPHFILE_UNSIGNED_IDS = 32,      /* ids of 4 or 8 bytes, as the writer receives them, can be
                                         unsigned integers */
    GRAPHFILE_SIGNED_IDS = 64,        /* ids of 4 or 8 bytes can be signed integers; a format that
                                         also has UNSIGNED_IDS uses them if
                                         graphfile_graph.signed_ids is set */
    GRAPHFILE_HAS_WEIGHTS = 128,      /* can hold weights */
    GRAPHFILE_NEEDS_WEIGHTS = 256,    /* every edge must have one */
    GRAPHFILE_INT_WEIGHTS = 512,      /* weights must be integers */
    GRAPHFILE_WEIGHTS_FROM_0 = 1024,  /* weights below 0 are refused */
    GRAPHFILE_WEIGHTS_FROM_1 = 2048,  /* weights below 1 are refused */
    GRAPHFILE_NEEDS_SORTED = 4096,    /* edges must be sorted by source, then destination */
    GRAPHFILE_NEEDS_SIMPLE = 8192,    /* no edge may occur twice, every edge must have its reverse,
                                         and self-loops are refused */
    GRAPHFILE_NEEDS_POINTERS = 16384, /* may need the transposed graph: see graphfile_in_bytes() */
    GRAPHFILE_WEIGHTS_APART = 32768,  /* weights go to a second file, NAME GRAPHFILE_WEIGHTS */
};

#define GRAPHFILE_WEIGHTS ".weights"

/* The facts about a format. */
typedef struct {
    char name[16];      /* as in --format */
    const char *suffix; /* of file names, with the dot; "" if the format has no suffix */
    const char *help;   /* one line that describes it */
    unsigned traits;    /* GRAPHFILE_PIPE and so on, combined by | */
} graphfile_traits;

/* All formats; and their names, with NULL at the end, as the choices of an option. */
extern const graphfile_traits *const graphfile_table[GRAPHFILE_N_FORMATS];
extern const char *const graphfile_names[GRAPHFILE_N_FORMATS + 1];

/* Writes to text, as "a, b, c", the names of all formats that have one of these traits (0: all
 * formats).  Text beyond size bytes is cut off. */
void graphfile_list(unsigned traits, char *text, size_t size);

/* Returns the format whose suffix ends the file name, or -1. .txt means tsv, as in SNAP's files. */
int graphfile_format_of(const char *name);

/*
 * Like graphfile_format_of(), for the name of a file to write, where an unknown suffix is more
 * likely a mistake than intended. *format becomes the format, or -1 if the name has no suffix ("-",
 * "out", "runs.d/out").  EDGEFILE_ERR_ARG: the suffix belongs to no format (x.orc, A.EL).
 * edgefile_detail() then quotes it and lists all known ones.
 */
int graphfile_format_of_name(const char *name, int *format);

/* Writes the default file name: "graph" and the suffix. */
void graphfile_default_name(graphfile_format format, char *name, size_t size);

/* The properties of a graph that formats depend on. */
typedef struct {
    uint64_t rows, cols, edges; /* source vertices, destination vertices, edges */
    int id_bytes;               /* of an element of src and dst: 4 or 8 */
    int signed_ids;             /* flag: store ids as signed integers if the format allows both;
                                   they must be below 2^31 or 2^63 */
    edgefile_weight weight;     /* type of an element of weight */
    int weight_text;            /* characters of the longest weight as text; 0: any weight */
    int sorted, unique;         /* flags: the edges are known to be sorted; distinct */
    int pairs;                  /* flag: every edge is known to have its reverse */
    int no_loops;               /* flag: the graph is known to have no self-loops */
} graphfile_graph;

typedef struct {
    graphfile_format format;
    graphfile_graph graph;
    int replace;         /* flag: commit may replace an existing file */
    const char *comment; /* a comment line, for formats that have comments, or NULL; borrowed until
                            commit or abort */
    const edgefile_group *group; /* the processes that write the file together, or NULL for this one
                                    alone; borrowed until commit or abort */
    int buffered; /* flag: write through the page cache even where the file system has O_DIRECT */

    /* The rest applies to h5 and csr only. */

    const edgefile_attr *attrs; /* of the root group, in this order; borrowed until commit or
                                   abort */
    size_t n_attrs;
    /* Flag: processes may meet at any edge, not only at multiples of edgefile_unit(). Always true
     * for csr.  Two processes may then write parts of one page.  Several hosts therefore need a
     * file system that supports several writers of a file (EDGEFILE_ERR_ARG on others: nfs, cifs,
     * ...). */
    int unaligned;
} graphfile_spec;

typedef struct graphfile_writer graphfile_writer;

/* Checks that the format can hold this graph.  Returns 0, or EDGEFILE_ERR_ARG; edgefile_detail()
 * then says what the graph lacks, as in "metis needs a sorted graph". */
int graphfile_check(graphfile_format format, const graphfile_graph *graph);

/*
 * Checks the graph as graphfile_check() does, checks the free space, and creates NAME.partial. *out
 * is a new writer; graphfile_commit() or graphfile_abort() frees it.  On error *out is NULL.
 *
 * h5 and csr files get these attributes besides spec->attrs: `format` ("rmat-edges" or "rmat-csr"),
 * `format_version`, `edges`, `rows` (csr only), `fingerprint` and `complete` (0 until commit).  If
 * the length of the file is known, the writer reserves its space where the file system can, so that
 * no other program takes it.  It does not in tmpfs, where that takes as long as writing.
 */
int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec);

/* Edges [first, first + count) of the graph.  The arrays belong to the caller. */
typedef struct {
    uint64_t number, first, count;
    const void *src, *dst; /* count elements of id_bytes; src is NULL for csr */
    const void *weight;    /* count elements of 4 bytes; NULL if the graph has no weights */
    uint64_t fingerprint;  /* of these edges without their weights, which follow from the edges.  h5
                              and csr store the sum of all pieces modulo 2^64. */
} graphfile_piece;

/*
 * Writes a piece.
 *
 * h5 and csr: pieces may come in any order and from any process, and their numbers have no effect.
 * The writer does not check src and dst.  Writes are fastest, because nothing is copied, under
 * three conditions.  The arrays begin at a multiple of edgefile_alignment() bytes.  `first` is a
 * multiple of edgefile_alignment() / id_bytes (with weights: / 4).  The arrays are on huge pages
 * (MADV_HUGEPAGE).
 *
 * Other formats: pieces are numbered from 0 without a gap, in the order of the edges, over all
 * processes of a group.  Any number of threads may write them at the same time.  A call may wait
 * until all earlier pieces have their places, so every thread must take the lowest number that no
 * thread has taken yet.
 *
 * EDGEFILE_ERR_FORMAT: a vertex is not below rows or cols, the format cannot hold a weight, or the
 * edges are not in the order that the format needs.  graphfile_commit() may be the first to find
 * wrong order between two pieces.
 */
int graphfile_write(graphfile_writer *w, const graphfile_piece *piece);

/*
 * Parts of a file that are not pieces:
 *
 * POINTERS: pointers_to_1 of a csr file, rows + 1 elements of 8 bytes.
 *
 * IN_POINTERS, IN_NEIGHBORS: the transposed graph, for formats with GRAPHFILE_NEEDS_POINTERS.
 * graphfile_in_bytes() returns the bytes of one in-neighbor, or 0 if the file needs no transposed
 * graph.  There are vertices + 1 pointers of 8 bytes, where vertices is the larger of rows and
 * cols.  Vertex v has the in-neighbors [pointers[v], pointers[v + 1]), in ascending order.  There
 * are as many in-neighbors as edges.  An in-neighbor of 4 bytes is a source; one of 8 bytes is a
 * source and its weight.
 */
typedef enum {
    GRAPHFILE_POINTERS,
    GRAPHFILE_IN_POINTERS,
    GRAPHFILE_IN_NEIGHBORS,
    GRAPHFILE_N_PARTS
} graphfile_part;
size_t graphfile_in_bytes(const graphfile_writer *w);

/* Writes elements [first, first + count) of a part, before or after the edges.  Any thread may call
 * it, in any order.  EDGEFILE_ERR_ARG: the file has no such part. */
int graphfile_write_part(graphfile_writer *w, graphfile_part part, uint64_t first, uint64_t count,
                         const void *elements);

/* h5 and csr: gives a scalar EDGEFILE_U64 attribute of spec->attrs another value at commit, for
 * values that are not known earlier.  Process 0's last call counts.  EDGEFILE_ERR_ATTR: there is no
 * such attribute. */
int graphfile_set_u64(graphfile_writer *w, const char *name, uint64_t value);

/*
 * Several processes (graphfile_spec.group) write a file in rounds, and the bytes are those of one
 * process.  In a round, every process writes the pieces of consecutive edges, after those of the
 * lower ranks and of earlier rounds.  Each process writes a multiple of GRAPHFILE_ROUND edges per
 * round, except at the end of the file.  Then every process calls graphfile_end_round(). Process 0
 * writes the in-pointers and in-neighbors.
 *
 * With a group, graphfile_create(), graphfile_end_round() and graphfile_commit() are collective:
 * they fail on all processes or on none.  graphfile_abort() is not.  A process that gives up alone
 * has to end the others, which may wait for it (edgefile_abandon()).  The encoded pieces of a round
 * stay in memory until the round ends.  "-" cannot have a group.  Without a group
 * graphfile_end_round() does nothing.
 *
 * h5 and csr need no rounds.
 */
#define GRAPHFILE_ROUND ((uint64_t)1 << 20) /* edges */
int graphfile_end_round(graphfile_writer *w);

/* Returns the most bytes that a graph can take; graphfile_create() checks the free space for them.
 * *exact, unless it is NULL: the file takes exactly this size.  For h5 and csr the result is an
 * estimate, to within 1 MiB of metadata and alignment, or 2 MiB with weights. */
uint64_t graphfile_most_bytes(const graphfile_spec *spec, int *exact);

/* The name of the finished file, or "standard output"; valid as long as the writer. */
const char *graphfile_name(const graphfile_writer *w);

/* Makes all later and waiting calls that write fail with EDGEFILE_ERR_PEER.  A program calls it
 * when one of its threads fails.  Any thread may call it at any time before commit or abort. */
void graphfile_cancel(graphfile_writer *w);

/* What graphfile_commit() reports about the file. */
typedef struct {
    uint64_t bytes;       /* length of the file, and of the weights beside it */
    uint64_t fingerprint; /* sum of the pieces' fingerprints */
} graphfile_committed;

/* Completes, syncs and renames the file.  EDGEFILE_ERR_RANGE: edges or pointers are missing.
 * Always frees *w and sets it to NULL.  On error it removes the partial file.  done may be NULL. */
int graphfile_commit(graphfile_writer **w, graphfile_committed *done);

/* Removes the partial file, frees *w and sets it to NULL.  NULL and a pointer to NULL do nothing.
 * The message of edgefile_detail() stays. */
void graphfile_abort(graphfile_writer **w);

/*
 * A small file (a report, a table, a picture) that appears complete, or not at all.  It is
 * published as files of edges are.  One thread at a time may use an object; different objects are
 * independent of each other.
 */
typedef struct edgefile_small edgefile_small;

/*
 * Creates NAME.partial.  EDGEFILE_ERR_EXISTS: the file exists and `replace` is false.
 * EDGEFILE_ERR_OPEN: it exists and is not a regular file, or NAME.partial cannot be created, or
 * belongs to another writer.  The new file gets the permission bits of the one that it replaces.
 * After an error *file is NULL; otherwise the caller closes it.
 */
int edgefile_small_create(edgefile_small **file, const char *name, int replace);

/* Writes the whole contents, once, and publishes them. */
int edgefile_small_publish(edgefile_small *file, const void *data, size_t bytes);

/* Frees the object, and removes NAME.partial if it was not published.  NULL is allowed. */
void edgefile_small_close(edgefile_small *file);

/* Checks whether a file of this many bytes could be made under this name, and optionally whether
 * the name is an absolute path to other processes.  It leaves and changes nothing.  Errors and
 * their texts are those of graphfile_create() and edgefile_small_create(). */
int edgefile_could_create(const char *name, int absolute, int replace, uint64_t bytes);

/* Reads `bytes` bytes of the open file from `offset` on, or those up to its end.  It continues
 * after partial and interrupted reads.  Returns the number of bytes: fewer at the end of the file,
 * with errno 0, and after an error, with errno set.  Any number of threads may call it. */
uint64_t edgefile_get(int fd, uint64_t offset, uint64_t bytes, void *to);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
