/*
 * edgefile.h - reads graphs in HDF5 files: edge lists and compressed sparse rows (CSR). graphfile.h
 * writes them.
 *
 * A file holds contiguous 1-D datasets and attributes on the root group.  The datasets of an edge
 * list are `src` and `dst`, of uint32 or uint64, or of int32 or int64 (graphfile_graph.signed_ids).
 * A graph with weights also has `weight`, of float32 or int32.  All have the same length.  All
 * numbers are little-endian.  h5py, h5dump, pandas and MATLAB read such files without any code of
 * ours.
 *
 * Functions return 0 or a negative edgefile_status; they never print and never exit.  After an
 * error edgefile_detail() describes it in full (path, text of errno, sizes) for the calling thread.
 * Statuses lie between -299 and -201.  They differ from those of the other modules, so a caller can
 * pass them on.
 *
 * One thread at a time may use a reader, unless a function's comment says otherwise.  Threads may
 * use different readers at the same time.  A lock in this library serializes its calls of HDF5; it
 * cannot cover HDF5 calls that the application makes.
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
        -211, /* another process of the group failed, or the reader of a pipe closed it */
    EDGEFILE_ERR_NO_HDF5 = -212 /* this build has no HDF5 */
};

#define EDGEFILE_FORMAT_VERSION 1

/* The processes that write one graph together.  Each makes the collective calls of graphfile.h with
 * the same spec.  The callbacks broadcast, sum and agree are collective too: all processes call
 * them in the same order, each from the thread that made the call. */
typedef struct {
    int rank, size;
    int hosts;   /* the number of hosts that the processes run on */
    void *state; /* passed to the callbacks */
    /* Sends rank 0's data to all. */
    void (*broadcast)(void *state, void *data, size_t bytes);
    /* Adds up the processes' arrays, element by element.  All processes receive the sums. */
    void (*sum)(void *state, uint64_t *values, size_t count);
    /* Returns 0 if all processes pass 0, else the status of one that does not.  `detail`, of `size`
     * bytes, then becomes that process's detail on all processes. */
    int (*agree)(void *state, int status, char *detail, size_t size);
    /* NULL, or called by each process, not at the same time, when all processes agree that the file
     * is complete.  Process 0 then renames the file. */
    void (*publishing)(void *state);
} edgefile_group;

typedef enum { EDGEFILE_U64, EDGEFILE_F64, EDGEFILE_STRING } edgefile_type;

/* An attribute of the root group.  value is a NUL-terminated UTF-8 string, with count 1, or an
 * array of numbers.  An array becomes a scalar if count is 1, else a 1-D array. */
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
 * EDGES: an edge list, as described above.
 *
 * CSR: compressed sparse rows, with the names of binsparse 0.1.  `pointers_to_1`, uint64, or int64
 * if the ids are signed, has rows + 1 elements: row r has the edges [pointers_to_1[r],
 * pointers_to_1[r + 1]).  `indices_1` has their columns, and `values` their weights.  Without
 * weights `values` is one uint8, 1, that stands for all.  The attribute `format` is "rmat-csr"
 * instead of "rmat-edges", and there is the attribute `rows`.  A CSR file is unaligned
 * (graphfile_spec.unaligned).
 */
typedef enum { EDGEFILE_EDGES, EDGEFILE_CSR } edgefile_format;

typedef struct edgefile_reader edgefile_reader;

size_t edgefile_alignment(void); /* bytes: see graphfile_write() */

/* Returns a number of edges.  Ranges of different processes should meet at its multiples, so that
 * every page and stripe of a dataset belongs to one process.  The number is that of 1 MiB of the
 * narrowest dataset, of 16 MiB if src and dst have 1 GiB or more, and all edges if these are fewer.
 */
uint64_t edgefile_unit(uint64_t edges, int id_bytes, edgefile_weight weight);

/* Returns the type of the file system for a path, existing or not: "ext4", "lustre", ..., or
 * "unknown". */
const char *edgefile_filesystem(const char *path);

/* Splits the edges at multiples of edgefile_unit() into `parts` parts of about the same size, one
 * per process.  Part number `part` is [*first, *first + *count). */
void edgefile_split(uint64_t edges, int id_bytes, edgefile_weight weight, int parts, int part,
                    uint64_t *first, uint64_t *count);

/*
 * Opens a finished edge file for reading. *out is a new reader; edgefile_close() frees it.  On
 * error *out is NULL.  EDGEFILE_ERR_FORMAT: the file is not an edge file, or is damaged or
 * incomplete.  EDGEFILE_ERR_OPEN, EDGEFILE_ERR_IO, EDGEFILE_ERR_NOMEM, EDGEFILE_ERR_NO_HDF5: the
 * system failed, and the file may be intact.
 *
 * The call checks everything that later calls rely on: the format's name and version, completeness,
 * and the ranks, types and equal lengths of the datasets.  It checks the attribute `edges` and, for
 * CSR, `rows` and the value that stands for all weights.  It checks that the data lies inside the
 * file, and that the file is as long as HDF5 made it.  It does not check the pointers: they may be
 * any numbers.  It accepts only contiguous datasets inside the file, and opens no file that a link
 * or a dataset names.
 *
 * HDF5 itself can crash on a malicious file.  A program that opens files from strangers should do
 * so in a sandbox.
 *
 * Where the file system has locks, a shared one (flock()) is held until edgefile_close().
 * EDGEFILE_ERR_OPEN: another program is writing the file.  The environment variable
 * HDF5_USE_FILE_LOCKING=FALSE opens it all the same.
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
 * edgefile_id_bytes(), and weight of float or int32_t (NULL: not wanted).  A negative id in a
 * damaged file becomes a number that is too large.  EDGEFILE_ERR_ARG: the file has no weights.
 * EDGEFILE_ERR_RANGE: it has fewer edges.  Any number of threads may call it. */
int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst,
                  void *weight);

/* Reads elements [first, first + count) of pointers_to_1 of a CSR file.  Any number of threads may
 * call it. */
int edgefile_read_pointers(edgefile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers);

/* Returns 0, or the status of the first call below that failed to find out whether an attribute
 * exists or what its value is; edgefile_detail() then describes the failure.  Check it before
 * reporting an attribute as missing. */
int edgefile_unanswered(const edgefile_reader *r);

/* Read a scalar attribute.  A string is cut to size - 1 bytes and NUL-terminated.
 * EDGEFILE_ERR_ATTR: there is no such attribute, or it has another type. */
int edgefile_get_u64(edgefile_reader *r, const char *name, uint64_t *value);
int edgefile_get_f64(edgefile_reader *r, const char *name, double *value);
int edgefile_get_string(edgefile_reader *r, const char *name, char *value, size_t size);
/* Reads a 1-D array of doubles.  *count: its length; values stay unset if it exceeds the capacity.
 */
int edgefile_get_f64s(edgefile_reader *r, const char *name, double *values, uint64_t capacity,
                      uint64_t *count);

/* Keeps HDF5 from closing anything when the process ends.  After an error HDF5 would close objects
 * that are still open, and crash.  Programs call this before any other HDF5 function and before
 * MPI_Init(). It also affects the application's own HDF5 files.  If it fails, HDF5 prints a trace
 * on standard error and must not be used: it crashes. */
int edgefile_no_exit_handler(void);

/* Writes the version of the linked HDF5, such as "1.10.8".  In a build without HDF5 this and all
 * functions that open or create an HDF5 file fail with EDGEFILE_ERR_NO_HDF5. */
#define EDGEFILE_HDF5_VERSION 32
int edgefile_hdf5_version(char version[EDGEFILE_HDF5_VERSION]);

/* Removes the partial files of all writers of this process, in any format.  A program calls it from
 * its exit handler, in case a library ends the process, and before one of several processes ends
 * them all.  Returns 1 if it removed a file, -1 if there were some but other processes had removed
 * them, 0 if there were none. */
int edgefile_abandon(void);

const char *edgefile_detail(void); /* describes this thread's last error; never NULL, and valid
                                      until its next one */

/* Like edgefile_detail(), without the leading name of this reader's file. */
const char *edgefile_detail_of(const edgefile_reader *r);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
