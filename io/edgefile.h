/*
 * edgefile.h - graphs in HDF5 files: lists of edges and compressed sparse rows (CSR).  What they
 * are, and how they are read; graphfile.h writes them.
 *
 * A file holds contiguous 1-D datasets and attributes on the root group.  The datasets are `src`
 * and `dst`, of uint32 or uint64, or of int32 or int64 (graphfile_graph.signed_ids), and for graphs
 * with weights `weight`, of float32 or int32, all of the same length.  All numbers are
 * little-endian.  h5py, h5dump, pandas and MATLAB read such files without any code of ours.
 *
 * Functions return 0 or a negative edgefile_status; they never print and never exit.  After an
 * error edgefile_detail() describes it in full (path, text of errno, sizes) for the calling thread.
 * Statuses are between -299 and -201, so that they differ from those of the other modules and can
 * be passed on as they are.
 *
 * A reader is for one thread at a time, except for functions whose comments say
 * otherwise; different ones may be used at once.  Calls of HDF5 are serialized by a lock within
 * this library, which cannot cover calls of HDF5 that the application makes itself.
 *
 * Flags are int, not bool: 0 is false, anything else is true.
 */
#ifndef IO_EDGEFILE_H
#define IO_EDGEFILE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum edgefile_status {
    EDGEFILE_OK = 0,
    EDGEFILE_ERR_ARG = -201,    /* NULL pointer or a value outside its enum or range */
    EDGEFILE_ERR_EXISTS = -202, /* the file exists and replace is not set */
    EDGEFILE_ERR_SPACE = -203,  /* the file system has less room than the file needs */
    EDGEFILE_ERR_OPEN = -204, /* cannot be opened or created: permissions, a missing folder, ... */
    EDGEFILE_ERR_IO = -205,   /* a read, write, sync or rename failed */
    EDGEFILE_ERR_HDF5 = -206, /* the HDF5 library reported a failure */
    EDGEFILE_ERR_FORMAT = -207, /* not an edge file, a damaged one, or one that is not complete */
    EDGEFILE_ERR_NOMEM = -208,  /* memory is exhausted */
    EDGEFILE_ERR_RANGE = -209,  /* edges beyond the end of the file, or edges are missing */
    EDGEFILE_ERR_ATTR = -210,   /* there is no such attribute, or it has another type */
    EDGEFILE_ERR_PEER =
        -211, /* another process of the group failed, or the reader of a pipe left */
    EDGEFILE_ERR_NO_HDF5 = -212 /* this build has no HDF5 */
};

#define EDGEFILE_FORMAT_VERSION 1

/*
 * The processes that write one graph together.  Each of them makes the collective calls of
 * graphfile.h with the same spec.  The callbacks broadcast, sum and agree are collective as well:
 * all processes call them in the same order, from the thread that is in the call.
 */
typedef struct {
    int rank, size;
    int hosts;   /* the number of hosts that the processes run on */
    void *state; /* passed to the callbacks */
    /* Sends rank 0's data to all. */
    void (*broadcast)(void *state, void *data, size_t bytes);
    /* Adds up the processes' arrays, element by element; all get the sums. */
    void (*sum)(void *state, uint64_t *values, size_t count);
    /* Returns 0 if all processes pass 0, else the status of one that does not; `detail`, of `size`
     * bytes, becomes that one's on all processes. */
    int (*agree)(void *state, int status, char *detail, size_t size);
    /* NULL, or called by each process, not at the same time, when all have agreed that the file is
     * complete: process 0 now gives it its name. */
    void (*publishing)(void *state);
} edgefile_group;

typedef enum { EDGEFILE_U64, EDGEFILE_F64, EDGEFILE_STRING } edgefile_type;

/* An attribute of the root group.  value: a NUL-terminated UTF-8 string, with count 1; or an array
 * of numbers, which becomes a scalar if count is 1, else a 1-D array. */
typedef struct {
    const char *name;
    edgefile_type type;
    uint64_t count;
    const void *value;
} edgefile_attr;

/* The type of the dataset `weight`. */
typedef enum { EDGEFILE_NO_WEIGHT, EDGEFILE_WEIGHT_F32, EDGEFILE_WEIGHT_I32 } edgefile_weight;

/*
 * What a file contains.
 *
 * EDGES: a list of edges, as described above.
 *
 * CSR: compressed sparse rows, with the names of binsparse 0.1.  `pointers_to_1`, uint64, or int64
 * if the ids are signed, has rows + 1 elements: row r has the edges [pointers_to_1[r],
 * pointers_to_1[r + 1]).  `indices_1` has their columns, and `values` their weights; without
 * weights `values` is one uint8, 1, that stands for all.  The attribute `format` is "rmat-csr"
 * instead of "rmat-edges", and there is one more, `rows`.  A CSR file is unaligned in the sense of
 * graphfile_spec.
 */
typedef enum { EDGEFILE_EDGES, EDGEFILE_CSR } edgefile_format;

typedef struct edgefile_reader edgefile_reader;

size_t edgefile_alignment(void); /* bytes: see graphfile_write() */

/* Ranges of different processes should meet at multiples of so many edges, so that every page and
 * every stripe of a dataset belongs to one process.  This is 1 MiB of the narrowest dataset, 16 MiB
 * if src and dst have 1 GiB or more, and all edges if these are fewer. */
uint64_t edgefile_unit(uint64_t edges, int id_bytes, edgefile_weight weight);

/* The type of the file system that path is or would be on: "ext4", "lustre", ..., or "unknown". */
const char *edgefile_filesystem(const char *path);

/* Edges cut at multiples of edgefile_unit() into parts of about the same size, with which processes
 * may begin: part `part` of `parts` is [*first, *first + *count). */
void edgefile_split(uint64_t edges, int id_bytes, edgefile_weight weight, int parts, int part,
                    uint64_t *first, uint64_t *count);

/*
 * Opens a finished edge file for reading.  *out is a new reader, to be passed to edgefile_close();
 * NULL on error.  EDGEFILE_ERR_FORMAT: this is no edge file, or a damaged or incomplete one.
 *
 * Everything that later calls rely on is checked here: the format's name and version, completeness,
 * the ranks, types and equal lengths of the datasets, the attribute `edges`, for CSR `rows` and the
 * value that stands for all weights, that the data lies inside the file, and that the file is as
 * long as HDF5 made it.  Pointers are not checked: they may be any numbers.  Only contiguous
 * datasets inside the file are accepted.  No file that a link or a dataset names is opened.
 *
 * HDF5 itself can crash on a file that was crafted to that end: a program that opens files of
 * strangers does so in a sandbox.
 *
 * EDGEFILE_ERR_OPEN, EDGEFILE_ERR_IO, EDGEFILE_ERR_NOMEM, EDGEFILE_ERR_NO_HDF5: the system failed,
 * and nothing is known of the file.
 *
 * As HDF5 does, it holds a shared lock of the file (flock()) until edgefile_close().
 * EDGEFILE_ERR_OPEN: another program writes it.  Where the file system has no locks, it is read
 * without.  The environment variable HDF5_USE_FILE_LOCKING says otherwise: with FALSE nothing is
 * locked, with TRUE what cannot be locked is not read.
 */
int edgefile_open(edgefile_reader **out, const char *name);
void edgefile_close(edgefile_reader *r); /* NULL does nothing */

edgefile_format edgefile_format_of(const edgefile_reader *r);
uint64_t edgefile_rows(const edgefile_reader *r); /* 0 unless the file is CSR */
uint64_t edgefile_edges(const edgefile_reader *r);
int edgefile_id_bytes(const edgefile_reader *r);
int edgefile_signed_ids(const edgefile_reader *r); /* flag: as in graphfile_graph */
edgefile_weight edgefile_weight_of(const edgefile_reader *r);

/* Reads edges [first, first + count) into host arrays: src (NULL for CSR) and dst of
 * edgefile_id_bytes(), weight of float or int32_t, or NULL if weights are not wanted.
 * What a damaged file has below 0 becomes a number that is too large.  EDGEFILE_ERR_ARG: the file
 * has no weights; EDGEFILE_ERR_RANGE: it has fewer edges.  Any number of threads may call it. */
int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst,
                  void *weight);

/* Reads elements [first, first + count) of pointers_to_1 of a CSR file.  Any number of threads may
 * call it. */
int edgefile_read_pointers(edgefile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers);

/* After calls of the functions below: 0, or the status of the first one that could not find out
 * whether there is such an attribute, or what it says; edgefile_detail() then describes that.  To
 * be asked before something is said to be missing. */
int edgefile_unanswered(const edgefile_reader *r);

/* Read a scalar attribute.  A string is cut to size - 1 bytes and NUL-terminated.
 * EDGEFILE_ERR_ATTR: there is no such attribute, or it has another type. */
int edgefile_get_u64(edgefile_reader *r, const char *name, uint64_t *value);
int edgefile_get_f64(edgefile_reader *r, const char *name, double *value);
int edgefile_get_string(edgefile_reader *r, const char *name, char *value, size_t size);
/* Reads a 1-D array of doubles.  *count: its length; at most `capacity` elements go to values. */
int edgefile_get_f64s(edgefile_reader *r, const char *name, double *values, uint64_t capacity,
                      uint64_t *count);

/* For programs, before anything else of HDF5 and before MPI_Init(): nothing is closed when the
 * process ends.  HDF5 would close there what an error kept open, and crash.  It holds for the
 * application's own files, too.  After an error, of which HDF5 itself prints a trace on standard
 * error, HDF5 must not be used: it crashes.
 */
int edgefile_no_exit_handler(void);

/* Which HDF5 is linked, such as "1.10.8".  In a build without HDF5 this and all functions that open
 * or create an HDF5 file fail with EDGEFILE_ERR_NO_HDF5. */
#define EDGEFILE_HDF5_VERSION 32
int edgefile_hdf5_version(char version[EDGEFILE_HDF5_VERSION]);

/* For an exit handler of a program, in case a library ends the process, and for one of several
 * processes that ends them all: removes the partial files of all writers of this process, in any
 * format.  Returns 1 if it removed a file; -1 if there were some, but others had removed them; 0 if
 * there were none. */
int edgefile_abandon(void);

const char *edgefile_strerror(int status); /* a static English phrase; never NULL */
const char *edgefile_detail(void);         /* describes this thread's last error; never NULL, and
                                              valid until its next one */

/* The same without the name of this reader's file, with which it begins. */
const char *edgefile_detail_of(const edgefile_reader *r);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
