/*
 * edgefile.h - graphs in HDF5 files: edge lists and CSR.
 *
 * A file holds the 1-D contiguous datasets `src` and `dst`, of uint32 or uint64, where edges have
 * weights `weight` too, of float32 or int32 and of the same length, and attributes on the root
 * group.  All numbers are little-endian.  h5py, h5dump, pandas and MATLAB open it without any code
 * of ours.
 *
 * A file under construction is called NAME.partial.  edgefile_commit() completes it, syncs it to
 * the disk and renames it to NAME; until then nothing carries the name NAME, and a NAME that
 * existed before stays untouched.  The bytes of a finished file depend on the spec, the attributes
 * and the edges alone, not on the write path, on the order or on the size of the writes.
 *
 * Functions return 0 or a negative edgefile_status; they never print and never exit.  After an
 * error edgefile_detail() describes it in full (path, errno text, sizes) for the calling thread.
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
    EDGEFILE_ERR_OPEN = -204,   /* cannot be opened or created: permission, missing folder, ... */
    EDGEFILE_ERR_IO = -205,     /* a read, write, sync or rename failed */
    EDGEFILE_ERR_HDF5 = -206,   /* the HDF5 library reported a failure */
    EDGEFILE_ERR_FORMAT = -207, /* not an edge file, a damaged one, or one that is not complete */
    EDGEFILE_ERR_NOMEM = -208,  /* memory is exhausted */
    EDGEFILE_ERR_RANGE = -209,  /* edges beyond the end of the file */
    EDGEFILE_ERR_ATTR = -210,   /* no such attribute, or of another type */
    EDGEFILE_ERR_PEER = -211,   /* nothing is wrong here: another process of the group failed */
    EDGEFILE_ERR_FOREIGN = -212 /* has parts that another program laid out: cannot be checked */
};

#define EDGEFILE_FORMAT_VERSION 1

typedef enum {
    EDGEFILE_PATH_AUTO,       /* DIRECT, or POSITIONAL where the file system refuses O_DIRECT */
    EDGEFILE_PATH_DIRECT,     /* HDF5 lays the file out, then aligned O_DIRECT positional writes */
    EDGEFILE_PATH_POSITIONAL, /* the same through the page cache */
    EDGEFILE_PATH_HDF5,       /* H5Dwrite: portable, one thread at a time; for several processes and
                                 one file one of the next two, by the file system */
    EDGEFILE_PATH_INDEPENDENT, /* parallel HDF5: every process writes when it likes */
    EDGEFILE_PATH_COLLECTIVE   /* parallel HDF5: all processes write at once, in rounds */
} edgefile_path;

/*
 * SINGLE: one file.  SHARDED: NAME is a small master whose datasets are virtual, and shard k of n,
 * an edge file in itself, lies in the folder NAME.shards as KKKKK.h5.  Through the master they read
 * as the same datasets.  (HDF5 reads a missing shard as all bits set;
 * edgefile_open() refuses it.)  Beside the attributes of a single file the master has `shards` and
 * `shard_folder`, a shard `first_edge`, `shard` and `shards`; its `edges` and `fingerprint` are its
 * own.  There are as many shards as processes; under construction they lie in NAME.partial.shards.
 * AUTO: SINGLE, but SHARDED where several hosts share a file system that is not made for several
 * writers of a file (edgefile_filesystem()), where one file may not be that long, and where
 * several processes are to use a serial HDF5.
 */
typedef enum {
    EDGEFILE_LAYOUT_AUTO,
    EDGEFILE_LAYOUT_SINGLE,
    EDGEFILE_LAYOUT_SHARDED
} edgefile_layout;

/*
 * The processes that write one graph together.  Each calls edgefile_create(), edgefile_drain(),
 * and edgefile_commit() or edgefile_abort(), with the same spec; these are then collective, and
 * fail on all or on none.  The callbacks are collective as well: all processes call them in the
 * same order, from the thread that is in the edgefile call.
 */
typedef struct {
    int rank, size;
    int hosts;                                                /* that the processes run on */
    void *state;                                              /* of the callbacks */
    void (*broadcast)(void *state, void *data, size_t bytes); /* rank 0's data to all */
    void (*sum)(void *state, uint64_t *values, size_t count); /* element by element, to all */
    /* 0 if all gave 0; else the status of one that did not, and its detail, on all. */
    int (*agree)(void *state, int status, char *detail, size_t size);
    /* Ends the job: a collective write failed here, and the others are caught in it; or this
     * process has been in one for longer than patience seconds (0: no limit).  From any thread.
     * Does not return.  May be NULL where no EDGEFILE_PATH_COLLECTIVE is used. */
    void (*abandon)(void *state, const char *detail);
    double patience;
    const void *communicator; /* MPI_Comm * that any thread may use, or NULL: no parallel HDF5 */
} edgefile_group;

typedef enum { EDGEFILE_U64, EDGEFILE_F64, EDGEFILE_STRING } edgefile_type;

/* An attribute of the root group.  A string is NUL-terminated UTF-8 and has count 1; numbers with
 * count 1 become scalars, others 1-D arrays. */
typedef struct {
    const char *name;
    edgefile_type type;
    uint64_t count;
    const void *value;
} edgefile_attr;

/* The dataset `weight`. */
typedef enum { EDGEFILE_NO_WEIGHT, EDGEFILE_WEIGHT_F32, EDGEFILE_WEIGHT_I32 } edgefile_weight;

/*
 * EDGES: what is said above.  CSR: the names of binsparse 0.1: `pointers_to_1`, uint64, rows + 1
 * elements, where row r has the edges from pointers_to_1[r] to before pointers_to_1[r + 1];
 * `indices_1`, their columns; `values`, their weights, or without weights one uint8 that is 1, for
 * all.  The attribute `format` is then "rmat-csr", and there is a further one, `rows`.  A CSR file
 * is SINGLE, no EDGEFILE_PATH_COLLECTIVE writes it (EDGEFILE_ERR_ARG), and it is unaligned: see
 * edgefile_spec.
 */
typedef enum { EDGEFILE_EDGES, EDGEFILE_CSR } edgefile_format;

typedef struct {
    edgefile_format format;
    uint64_t rows;  /* of CSR, at least 1 */
    uint64_t edges; /* length of src, dst and weight or indices_1 and values, at least 0 */
    int id_bytes;   /* 4 or 8 */
    edgefile_weight weight;
    edgefile_path path;
    int replace; /* nonzero: commit may take the place of an existing file */
    edgefile_layout layout;
    /* Nonzero: the ranges of processes meet anywhere, not at multiples of edgefile_unit() alone.
     * Two may then write one page, so several hosts need a file system that is made for several
     * writers of a file (EDGEFILE_ERR_ARG on others: nfs, cifs, ...). */
    int unaligned;
    const edgefile_group
        *group;                 /* NULL: this process alone; borrowed as long as the writer lives */
    const edgefile_attr *attrs; /* written in this order; borrowed during the call */
    size_t n_attrs;
} edgefile_spec;

typedef struct edgefile_writer edgefile_writer;
typedef struct edgefile_reader edgefile_reader;

/* Bytes of the finished file, give or take a MiB of metadata and alignment, two with weights. */
uint64_t edgefile_bytes(const edgefile_spec *spec);

/* The exact number for one file, of which spec->layout has no say; nothing is written to any disk.
 * Fails where there is no /dev/shm, or no file of it can be that long. */
int edgefile_measure(const edgefile_spec *spec, uint64_t *bytes);

/*
 * Check for room and lay out NAME.partial (a stale one is replaced; one that a living process is
 * writing is an error).  Beside spec->attrs the file gets: `format` = "rmat-edges",
 * `format_version`, `edges`, for CSR `rows`, `fingerprint` and `complete` (0 until commit).  The
 * space is reserved where the file system can do that, so that others cannot take it meanwhile.  A
 * symbolic link NAME stands for the file that it points to.  A caller under RLIMIT_FSIZE should
 * ignore SIGXFSZ.
 */
int edgefile_create(edgefile_writer **out, const char *name, const edgefile_spec *spec);

/*
 * Write edges [first, first + count) from host arrays: src and dst of id_bytes elements, weight
 * (float or int32_t) where the spec has weights, else NULL.  fingerprint is theirs, of src and dst
 * alone: weights follow from them.  The fingerprints of all writes are summed, modulo 2^64, per
 * file.  With shards the range must lie in one; it may be another process's (not with
 * EDGEFILE_PATH_HDF5).  Any number of threads may call this at once with ranges that do not
 * overlap.  Fastest (no copy) when the arrays start on a multiple of edgefile_alignment() bytes and
 * first is a multiple of edgefile_alignment()/id_bytes, with weights of edgefile_alignment()/4;
 * anything else is correct too.  Arrays on huge pages (MADV_HUGEPAGE) are written faster still: the
 * disk gets long pieces.
 */
int edgefile_write(edgefile_writer *w, uint64_t first, uint64_t count, const void *src,
                   const void *dst, const void *weight, uint64_t fingerprint);

/* For CSR src is NULL in edgefile_write(), and dst goes to indices_1.  Elements [first, first +
 * count) of pointers_to_1, count of which are rows + 1 in all, are written by this, under the same
 * rules. */
int edgefile_write_pointers(edgefile_writer *w, uint64_t first, uint64_t count,
                            const uint64_t *pointers);

/* A scalar EDGEFILE_U64 of spec->attrs gets another value when the file is committed: what is known
 * by then only.  Process 0's last call counts, which must have returned before the commit.
 * EDGEFILE_ERR_ATTR: there is no such attribute. */
int edgefile_set_u64(edgefile_writer *w, const char *name, uint64_t value);

/* After the last write, or after a failure (failed nonzero): takes part in the other processes'
 * collective writes until all have called it.  Needed with a group only.  Fails where one of these
 * writes fails here; with EDGEFILE_ERR_PEER where another process failed. */
int edgefile_drain(edgefile_writer *w, int failed);

/* Sync, mark complete, rename.  Frees *w in every case and sets it to NULL; on error the partial
 * file is removed.  Every edge and pointer must have been written, or it fails with
 * EDGEFILE_ERR_RANGE.
 * *fingerprint (may be NULL) is the sum over all edges. */
int edgefile_commit(edgefile_writer **w, uint64_t *fingerprint);

/* Remove the partial file and free *w.  NULL and pointer to NULL are allowed.  The message of
 * edgefile_detail() stays. */
void edgefile_abort(edgefile_writer **w);

edgefile_path edgefile_used_path(const edgefile_writer *w);     /* what AUTO came to */
edgefile_layout edgefile_used_layout(const edgefile_writer *w); /* likewise */
size_t edgefile_alignment(void);

/* Ranges of different processes should meet at multiples of so many edges: pages and stripes of
 * every dataset then belong to one of them.  1 MiB of the narrowest one (16 MiB where src and dst
 * have 1 GiB or more), and all edges where that is shorter. */
uint64_t edgefile_unit(uint64_t edges, int id_bytes, edgefile_weight weight);

/* The type of file system that path lies or would lie on: "ext4", "lustre", ..., or "unknown". */
const char *edgefile_filesystem(const char *path);

/* Shard k of n, or what process k of n writes first: edges [*first, *first + *count), cut at
 * multiples of edgefile_unit(). */
void edgefile_shard_range(uint64_t edges, int id_bytes, edgefile_weight weight, int shards,
                          int shard, uint64_t *first, uint64_t *count);

/*
 * Open a finished edge file for reading.  Everything that later calls rely on is checked here: the
 * format name and version, completeness, the datasets' rank, type and equal length, the `edges`
 * attribute, for CSR `rows` and the 1 that stands for all values, that the file is long enough,
 * that the data do not overlap, and the checksums of all metadata.  Not the pointers: they may be
 * any numbers.  Only metadata with checksums is taken (HDF5 superblock 2 or later; in h5py
 * libver='v108'), and only contiguous datasets inside the file.  Readers are for one thread at a
 * time.
 */
int edgefile_open(edgefile_reader **out, const char *name);
void edgefile_close(edgefile_reader *r); /* NULL is allowed */

edgefile_format edgefile_format_of(const edgefile_reader *r);
uint64_t edgefile_rows(const edgefile_reader *r); /* of CSR; else 0 */
uint64_t edgefile_edges(const edgefile_reader *r);
int edgefile_shards(const edgefile_reader *r); /* of a master; 0: a single file */
int edgefile_id_bytes(const edgefile_reader *r);
edgefile_weight edgefile_weight_of(const edgefile_reader *r);

/* Edges [first, first + count) into host arrays: src and dst of edgefile_id_bytes() elements,
 * weight of float or int32_t, or NULL: not wanted.  EDGEFILE_ERR_ARG where the file has none. */
int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst,
                  void *weight);

/* Elements [first, first + count) of pointers_to_1; src is NULL in edgefile_read() of CSR. */
int edgefile_read_pointers(edgefile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers);

/*
 * Looks at what no other call reads: every byte of the file, and of the master and all shards, that
 * is not of a dataset must be of metadata with a correct checksum, or zero; and the file may be no
 * longer than HDF5 made it.  EDGEFILE_ERR_FORMAT: it is not; edgefile_detail() names file and byte.
 * Together with all the edges that is every bit.  Data is not read, nor are holes, so this takes
 * milliseconds per file.  EDGEFILE_ERR_FOREIGN: so far nothing is wrong, but there are structures
 * of HDF5 that this library does not write (it does for an attribute beyond 64 KB), and the rest
 * was not looked at.
 */
int edgefile_check_gaps(edgefile_reader *r);

/* Scalar attributes; a string is truncated to size - 1 bytes and NUL-terminated. */
int edgefile_get_u64(edgefile_reader *r, const char *name, uint64_t *value);
int edgefile_get_f64(edgefile_reader *r, const char *name, double *value);
int edgefile_get_string(edgefile_reader *r, const char *name, char *value, size_t size);
/* A 1-D array of doubles: *count is its length; up to capacity elements go to values. */
int edgefile_get_f64s(edgefile_reader *r, const char *name, double *values, uint64_t capacity,
                      uint64_t *count);

const char *edgefile_strerror(int status); /* a static English sentence fragment; never NULL */
const char *edgefile_detail(void);         /* of the last error on this thread; never NULL */

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
