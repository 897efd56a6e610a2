/*
 * graphfile.h - graphs in files of all formats, written piece by piece by any number of threads and
 * processes.
 *
 * Functions return 0 or a negative edgefile_status (see edgefile.h); they never print and never
 * exit.  After an error edgefile_detail() describes it in full for the calling thread.  No two
 * functions may be called on one writer at the same time unless their comments say so.
 *
 * Memory depends on the size of a piece, not on the graph, except for small records: up to 96 bytes
 * for each piece of a format that needs sorted edges, 24 for each column chunk of Parquet.
 *
 * A file under construction is called NAME.partial.  graphfile_commit() completes it, syncs it to
 * the disk and renames it to NAME; until then nothing new has the name NAME, and an older file NAME
 * stays as it is.  If NAME is a symbolic link, the file that it points to is meant.  A partial file
 * that a dead writer left is replaced; one that a living process is writing is an error
 * (EDGEFILE_ERR_OPEN).  The bytes of a finished file depend on the spec and the edges alone, not on
 * the order and sizes of the pieces or on the processes.  A caller under RLIMIT_FSIZE should ignore
 * SIGXFSZ.
 *
 * The NAME "-" is standard output, for formats with GRAPHFILE_PIPE and one process.  Nothing
 * can be taken back there; EDGEFILE_ERR_PEER then means that the reader of the pipe has left.
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

/*
 * The formats: GRAPHFILE_H5, GRAPHFILE_CSR, GRAPHFILE_EL, ...  The first two (GRAPHFILE_EDGEFILE
 * below) are the HDF5 files of edgefile.h, which reads them.  Numbers may change between releases;
 * names and suffixes do not.
 */
typedef enum {
#define GRAPHFILE_FORMAT(CONSTANT, id) GRAPHFILE_##CONSTANT,
#include "io/formats/list.h"
    GRAPHFILE_N_FORMATS
} graphfile_format;

/* What a format can hold and what it needs. */
enum {
    GRAPHFILE_EDGEFILE = 1,           /* an HDF5 file of our own, which edgefile.h reads */
    GRAPHFILE_TEXT = 2,               /* numbers are decimal text */
    GRAPHFILE_PIPE = 4,               /* can be written to a pipe */
    GRAPHFILE_HAS_VERTICES = 8,       /* records the number of vertices */
    GRAPHFILE_HAS_BASE = 16,          /* vertices can be numbered from 1: see graphfile_spec */
    GRAPHFILE_UNSIGNED_IDS = 32,      /* ids of 4 or of 8 bytes, as the writer is given them, can be
                                         unsigned integers */
    GRAPHFILE_SIGNED_IDS = 64,        /* ids of 4 or of 8 bytes can be signed integers; of those
                                         that have UNSIGNED_IDS as well, if the graph says so */
    GRAPHFILE_HAS_WEIGHTS = 128,      /* can hold weights */
    GRAPHFILE_NEEDS_WEIGHTS = 256,    /* every edge must have one */
    GRAPHFILE_INT_WEIGHTS = 512,      /* weights must be integers */
    GRAPHFILE_WEIGHTS_FROM_0 = 1024,  /* weights below 0 are refused */
    GRAPHFILE_WEIGHTS_FROM_1 = 2048,  /* weights below 1 are refused */
    GRAPHFILE_NEEDS_SORTED = 4096,    /* edges must be sorted by source, then destination */
    GRAPHFILE_NEEDS_SIMPLE = 8192,    /* no edge may occur twice, every edge must have its reverse,
                                         and self-loops are refused */
    GRAPHFILE_NEEDS_POINTERS = 16384, /* may need the transposed graph: see graphfile_in_bytes() */
    GRAPHFILE_WEIGHTS_APART = 32768,  /* weights are in a second file, NAME GRAPHFILE_WEIGHTS */
};

#define GRAPHFILE_WEIGHTS ".weights"

/* The facts about a format. */
typedef struct {
    char name[16];      /* as in --format */
    const char *suffix; /* of file names, with the dot; "" if it has none of its own */
    const char *help;   /* one line that describes it */
    unsigned traits;    /* GRAPHFILE_PIPE and so on */
} graphfile_traits;

/* All formats, and their names with NULL at the end: the choices of an option. */
extern const graphfile_traits *const graphfile_table[GRAPHFILE_N_FORMATS];
extern const char *const graphfile_names[GRAPHFILE_N_FORMATS + 1];

/* Writes the names of all formats that have one of these traits (0: of all) to text, as "a, b, c";
 * what does not fit into size bytes is cut. */
void graphfile_list(unsigned traits, char *text, size_t size);

/* The format whose suffix the file name ends with, or -1: it ends with none.  .txt is that of tsv,
 * as SNAP's files are. */
int graphfile_format_of(const char *name);

/* The format that readers will take the file for, by the suffix of its name, where it is one of
 * this other format that is not read alike; else -1. */
int graphfile_format_contradicted(const char *name, graphfile_format format);

/*
 * The same for the name of a file that is to be written, where a wrong suffix is more likely a
 * mistake than a wish.  *format: the format, or -1 where the name has no suffix at all ("-", "out",
 * "runs.d/out").  EDGEFILE_ERR_ARG: the name has a suffix that belongs to no format (x.orc, A.EL);
 * edgefile_detail() quotes it, proposes the nearest known suffix if one is close, and lists all of
 * them.
 */
int graphfile_format_of_name(const char *name, int *format);

/* The file name to use if the user gives none: "graph" and the suffix. */
void graphfile_default_name(graphfile_format format, char *name, size_t size);

/* What formats need to know about a graph. */
typedef struct {
    uint64_t rows, cols, edges; /* source vertices, destination vertices, edges */
    int id_bytes;               /* of an element of src and dst: 4 or 8 */
    int signed_ids;             /* flag: the file is to have ids as signed integers, where the
                                   format leaves a choice; they are below 2^31 or 2^63 then */
    edgefile_weight weight;     /* type of an element of weight */
    int weight_text;            /* characters of the longest weight as text; 0: any of its type */
    int sorted, unique;         /* flags: the edges are known to be sorted; distinct */
    int pairs;                  /* flag: every edge is known to have its reverse */
    int no_loops;               /* flag: the graph is known to have no self-loops */
} graphfile_graph;

typedef struct {
    graphfile_format format;
    graphfile_graph graph;
    int replace;         /* flag: commit may replace an existing file */
    const char *comment; /* a line for formats that have a place for comments, or NULL; borrowed
                            until commit or abort */
    const edgefile_group *group; /* the processes that write the file together, or NULL: this one
                                    alone; borrowed likewise */
    unsigned base;               /* 0 or, with GRAPHFILE_HAS_BASE, 1: the number of vertex 0 */
    int buffered; /* flag: write through the page cache even where the file system has O_DIRECT */

    /* What follows is of h5 and csr alone. */

    const edgefile_attr *attrs; /* of the root group, in this order; borrowed during the call */
    size_t n_attrs;
    /* Flag: the ranges of processes may meet anywhere, not only at multiples of edgefile_unit();
     * always so of csr.  Two processes may then write parts of one page, so several hosts need a
     * file system that supports several writers of a file (EDGEFILE_ERR_ARG on others: nfs, cifs,
     * ...). */
    int unaligned;
} graphfile_spec;

typedef struct graphfile_writer graphfile_writer;

/* Can the format hold this graph?  0, or EDGEFILE_ERR_ARG with edgefile_detail() naming what the
 * graph lacks, as in "metis needs a sorted graph". */
int graphfile_check(graphfile_format format, const graphfile_graph *graph);

/* Can the first vertex have this number?  EDGEFILE_ERR_ARG: likewise. */
int graphfile_check_base(graphfile_format format, unsigned base);

/*
 * Checks the graph and the columns as above and the room on the file system, and creates
 * NAME.partial.  *out is a new writer, to be passed to graphfile_commit() or graphfile_abort();
 * NULL on error.
 *
 * In addition to spec->attrs h5 and csr files get the attributes `format` ("rmat-edges" or
 * "rmat-csr"), `format_version`, `edges`, for csr `rows`, `fingerprint` and `complete` (0 until
 * commit).  Space for formats whose length is known is reserved if the file system can do that, so
 * that nobody else can take it meanwhile; but not in tmpfs, where that takes as long as writing.
 */
int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec);

/* Edges [first, first + count) of the graph.  The arrays belong to the caller. */
typedef struct {
    uint64_t number, first, count;
    const void *src, *dst; /* count elements of id_bytes; src NULL: of csr */
    const void *weight;    /* count elements of 4 bytes, or NULL where the graph has no weights */
    uint64_t fingerprint;  /* that of these edges without their weights, which follow from the
                              edges; those of all pieces are added up modulo 2^64, and h5 and csr
                              keep the sum */
} graphfile_piece;

/*
 * Writes a piece.
 *
 * h5 and csr: pieces may come in any order and from any process, and their numbers play no part;
 * src and dst are not looked at.  Writes are fastest, because nothing is copied, if the arrays
 * begin on a multiple of edgefile_alignment() bytes, `first` is a multiple of edgefile_alignment()
 * / id_bytes (with weights: of edgefile_alignment() / 4), and the arrays are on huge pages
 * (MADV_HUGEPAGE).
 *
 * Other formats:  Pieces are numbered from 0 without a gap, in the order of the edges, over all
 * processes of a group, and may be written by any number of threads at once.  A call may wait until
 * all earlier pieces have their places, so every thread must take the lowest number that nobody has
 * taken yet.
 *
 * EDGEFILE_ERR_FORMAT: a vertex is not below rows or cols, a weight is not one that the format has,
 * or the edges are not in the order that the format needs; wrong order between two pieces may be
 * found by graphfile_commit() only.
 */
int graphfile_write(graphfile_writer *w, const graphfile_piece *piece);

/*
 * Parts of a file that are not made of pieces, each of so many elements:
 *
 * POINTERS: pointers_to_1 of a csr file, rows + 1 elements of 8 bytes.
 *
 * IN_POINTERS, IN_NEIGHBOURS: the transposed graph, which formats with GRAPHFILE_NEEDS_POINTERS may
 * want: graphfile_in_bytes() returns the bytes of one in-neighbour, or 0 if they do not.  There are
 * vertices + 1 pointers of 8 bytes, where vertices is the larger of rows and cols, and vertex v has
 * the in-neighbours [pointers[v], pointers[v + 1]).  There are as many in-neighbours as edges,
 * those of a vertex in ascending order; one of 4 bytes is a source, one of 8 a source and its
 * weight.
 */
typedef enum {
    GRAPHFILE_POINTERS,
    GRAPHFILE_IN_POINTERS,
    GRAPHFILE_IN_NEIGHBOURS,
    GRAPHFILE_N_PARTS
} graphfile_part;
size_t graphfile_in_bytes(const graphfile_writer *w);

/* Writes elements [first, first + count) of a part, before or after the edges, by any thread in any
 * order.  EDGEFILE_ERR_ARG: the file has no such part. */
int graphfile_write_part(graphfile_writer *w, graphfile_part part, uint64_t first, uint64_t count,
                         const void *elements);

/* Of h5 and csr: gives a scalar EDGEFILE_U64 attribute of spec->attrs another value when the file
 * is committed, for what is known only then.  Process 0's last call counts.  EDGEFILE_ERR_ATTR:
 * there is no such attribute. */
int graphfile_set_u64(graphfile_writer *w, const char *name, uint64_t value);

/*
 * Several processes (graphfile_spec.group) write a file in rounds, and its bytes are those of one
 * process.  In a round, every process writes the pieces of consecutive edges; those of a process
 * follow those of the lower rank, and rounds follow each other.  All but the last edges of a file
 * come in multiples of GRAPHFILE_ROUND for each process.  Then every process calls
 * graphfile_end_round().  In-pointers and in-neighbours are written by process 0.
 *
 * graphfile_create(), graphfile_end_round(), and at the end graphfile_commit() are then collective:
 * they fail on all processes or on none.  graphfile_abort() is not: a process that gives up alone
 * has to end the others, which may wait for it (edgefile_abandon()).  What a process has encoded in
 * a round stays in its memory until the round ends.  "-" cannot be written so.  Without a group
 * graphfile_end_round() does nothing.
 *
 * h5 and csr need no rounds.
 */
#define GRAPHFILE_ROUND ((uint64_t)1 << 20) /* edges */
int graphfile_end_round(graphfile_writer *w);

/* The most bytes that a graph can take, for which graphfile_create() looks for room.  *exact: it
 * takes so many.  With exact NULL it is, of h5 and csr, what arithmetic says: within one MiB of
 * metadata and alignment, with weights two. */
uint64_t graphfile_most_bytes(const graphfile_spec *spec, int *exact);

/* The name of the finished file, or "standard output"; valid as long as the writer. */
const char *graphfile_name(const graphfile_writer *w);

/* A thread failed: from now on all calls that write fail with EDGEFILE_ERR_PEER, including those
 * that wait.  May be called by any thread at any time before commit or abort. */
void graphfile_cancel(graphfile_writer *w);

/* What graphfile_commit() tells of the file. */
typedef struct {
    uint64_t bytes;       /* its length */
    uint64_t fingerprint; /* the sum of the pieces' */
} graphfile_committed;

/* Completes, syncs and renames the file.  EDGEFILE_ERR_RANGE: edges or pointers are missing.  Frees
 * *w and sets it to NULL in every case; on error the partial file is removed.  done may be NULL. */
int graphfile_commit(graphfile_writer **w, graphfile_committed *done);

/* Removes the partial file, frees *w and sets it to NULL.  NULL and a pointer to NULL do nothing.
 * The message of edgefile_detail() stays. */
void graphfile_abort(graphfile_writer **w);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
