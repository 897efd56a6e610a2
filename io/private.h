/* private.h - what the files of io/ share: types of the HDF5 side, and helpers of both.  Private.
 */
#ifndef IO_PRIVATE_H
#define IO_PRIVATE_H

#include "io/graphfile.h"

#include <hdf5.h>
#ifdef RMAT_HDF5_AT_RUNTIME
#include "io/hdf5/library.h" /* behind hdf5.h, whose functions it replaces */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define EDGEFILE_FORMAT_NAME     "rmat-edges"
#define EDGEFILE_FORMAT_NAME_CSR "rmat-csr"

/* Datasets of at least so many bytes start on a multiple of edgefile_extent_align(). */
#define EDGEFILE_EXTENT_MIN ((uint64_t)1 << 20)

/* At most so many bytes per system call or HDF5 call: Linux cuts calls at 2 GiB, parallel HDF5
 * fails there. */
#define EDGEFILE_MAX_CALL ((uint64_t)1 << 30)

/* An upper bound of the bytes that a master has for each shard and dataset. */
#define EDGEFILE_MAPPING_BYTES ((uint64_t)512)

/* The datasets of a file.  In a CSR file pointers_to_1 takes the place of src, indices_1 that of
 * dst, values that of weight. */
enum { EDGEFILE_SRC, EDGEFILE_DST, EDGEFILE_WEIGHT, EDGEFILE_N_DATASETS };
enum { EDGEFILE_POINTERS = EDGEFILE_SRC };

/* Which datasets a file has, and of which types. */
typedef struct {
    edgefile_format format;
    uint64_t rows; /* CSR only */
    int id_bytes;
    bool signed_ids; /* and pointers */
    edgefile_weight weight;
    bool compressed; /* see compressed/compressed.h */
} edgefile_schema;

/* The value of a scalar attribute that is set when the file is committed. */
typedef struct {
    uint64_t value;
    bool is_set; /* else the attribute keeps its value */
} edgefile_late;

/* One HDF5 file under construction: the file of the whole graph, or a shard.  Edges of a part are
 * numbered from its own first edge. */
typedef struct {
    char *path;                           /* NULL: this process has not opened the part */
    uint64_t start, edges;                /* the range of the graph's edges that it holds */
    uint64_t first_row, rows;             /* of CSR: the rows whose pointers it holds */
    int fd;                               /* through the page cache */
    int direct_fd;                        /* O_DIRECT; -1: not in use */
    uint64_t offset[EDGEFILE_N_DATASETS]; /* of the data in the file; 0: none */
    hid_t h5_file, h5_dataset[EDGEFILE_N_DATASETS]; /* of the HDF5 paths; -1: closed */
    _Atomic bool ready;                             /* open for writes */
    _Atomic uint64_t written, fingerprint;          /* by this process */
    _Atomic uint64_t pointers;                      /* written by this process */
} edgefile_part;

typedef struct edgefile_output edgefile_output;

/* How data is written to a file that HDF5 has laid out: one table of functions per write path. */
typedef struct {
    int (*open)(edgefile_output *w, edgefile_part *p);
    /* Writes elements of the datasets whose data is not NULL. */
    int (*write)(edgefile_output *w, edgefile_part *p, uint64_t first, uint64_t count,
                 const void *const data[EDGEFILE_N_DATASETS]);
    int (*end_round)(edgefile_output *w); /* NULL: nothing to do; with a group, collective */
    /* Also called after a failed open or write, and perhaps twice. */
    int (*close)(edgefile_output *w, edgefile_part *p);
    /* After the last write, if all went well; NULL: nothing to do. */
    int (*finish)(edgefile_output *w, edgefile_part *p);
} edgefile_write_ops;

extern const edgefile_write_ops edgefile_positional_ops;
extern const edgefile_write_ops edgefile_hdf5_ops;
extern const edgefile_write_ops edgefile_parallel_ops;
extern const edgefile_write_ops edgefile_compressed_ops;

/* write/hdf5_parallel.c or its stub: can these processes use edgefile_parallel_ops? */
bool edgefile_parallel_usable(const edgefile_group *group);

/* The HDF5 file of a graph under construction, or its master and shards: the state that a
 * graphfile_writer has of h5 and csr. */
struct edgefile_output {
    const edgefile_group *group; /* NULL: this process alone */
    int rank, size;
    const char *name, *partial; /* of the file, or the master; the graphfile_writer's */
    int lock_fd;                /* open on `partial`, likewise */
    bool replace;
    bool unaligned; /* always true for CSR */
    bool stale;     /* a writer that died left NAME.partial */
    bool given_up;  /* nothing of it is to stay */
    edgefile_schema schema;
    uint64_t edges;
    size_t n_late; /* number of scalar EDGEFILE_U64 attributes */
    char **late_name;
    edgefile_late *late;
    edgefile_path path;
    edgefile_layout layout;
    int shard, shards; /* it writes this shard of so many, alone; shards 0: the graph */
    const edgefile_write_ops *ops;
    int n_parts;
    edgefile_part *parts;
    pthread_mutex_t joining;       /* held while a part of another process is opened */
    void *parallel;                /* state of edgefile_parallel_ops */
    void *compressed;              /* state of edgefile_compressed_ops */
    bool resumed;                  /* it goes on with what an earlier run left, which is `prior`: */
    struct edgefile_record *prior; /* resume/record.h; NULL: nothing */
    struct edgefile_recorder *recorder; /* resume/recorder.c; NULL: nothing is recorded */
};

/* status.c: keeps the message for edgefile_detail() and returns status.  %m stands for errno's
 * text.
 */
int edgefile_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* EDGEFILE_ERR_NOMEM with a message that begins with the name, or NULL: nothing. */
int edgefile_no_memory(const char *name);

/* Leaves a function that has nothing to clean up with the status of a call that failed. */
#define EDGEFILE_TRY(call)                                                                         \
    do {                                                                                           \
        const int try_status = (call);                                                             \
        if (try_status != EDGEFILE_OK) {                                                           \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)

/* EDGEFILE_ERR_SPACE or EDGEFILE_ERR_NOMEM if errno means that, else `otherwise`. */
int edgefile_errno_status(int otherwise);
/* What st_mode says that a file is: "a directory", "a FIFO", ... */
const char *edgefile_kind(unsigned mode);

/* write/spec.c: is what a spec says of h5 or csr allowed? */
int edgefile_spec_check(const graphfile_spec *spec);
/* Is this an attribute that a spec cannot have? */
bool edgefile_attr_is_ours(const char *name);
/* About the size in bytes of a single file that holds `edges` of the edges and `rows` of the rows. */
uint64_t edgefile_spec_bytes(const graphfile_spec *spec, uint64_t rows, uint64_t edges);
/* hdf5/measure.c: the exact size of a single file. */
int edgefile_measure(const graphfile_spec *spec, uint64_t *bytes);

/* write/group.c: collective calls, to be made without the lock of edgefile_hdf5_begin().  agree
 * returns 0 if all processes pass 0, else the status of one that failed, with its message.  Without
 * a group (NULL) agree returns status, broadcast and sum do nothing, and the others may not be
 * called. */
int edgefile_group_check(const edgefile_group *group);
int edgefile_group_agree(const edgefile_group *group, int status);
void edgefile_group_sum(const edgefile_group *group, uint64_t *values, size_t count);
void edgefile_group_broadcast(const edgefile_group *group, void *data, size_t bytes);
/* What all processes have: `mine` of each, by their ranks, to all[group->size]. */
void edgefile_group_gather(const edgefile_group *group, uint64_t mine, uint64_t *all);
/* The sum of `mine` over the lower ranks, and over all.  EDGEFILE_ERR_NOMEM, on all: the message
 * begins with the name. */
int edgefile_group_share(const edgefile_group *group, const char *name, uint64_t mine,
                         uint64_t *before, uint64_t *all);

/* hdf5/columns.c: what a schema says about one of the datasets.  width: bytes of an element, 0 if
 * files have no such dataset.  length: elements in a file with so many edges.  memory_type: the
 * type in memory, to be used between edgefile_hdf5_begin() and edgefile_hdf5_end().  is_iso: the
 * dataset has one element that stands for all edges, and is not written with them. */
edgefile_schema edgefile_schema_of(const graphfile_spec *spec);
const char *edgefile_dataset_name(edgefile_format format, int dataset);
int edgefile_width(const edgefile_schema *s, int dataset);
uint64_t edgefile_length(const edgefile_schema *s, int dataset, uint64_t edges);
hid_t edgefile_memory_type(const edgefile_schema *s, int dataset);
bool edgefile_is_iso(const edgefile_schema *s, int dataset);

/* write/range.c: the alignment in the file of datasets of EDGEFILE_EXTENT_MIN bytes or more. */
uint64_t edgefile_extent_align(const edgefile_schema *s, uint64_t edges);

/* write/filesystem.c: how several processes should write to a file system. */
enum {
    EDGEFILE_FS_OWN_FILES = 1, /* from several hosts, as shards */
    EDGEFILE_FS_MEMORY = 2     /* without setting space aside */
};
unsigned edgefile_filesystem_traits(const char *path);
/* Allocates space for what will be written there.  0 or an errno: EOPNOTSUPP where the file system
 * cannot, or should not. */
int edgefile_set_aside(int fd, uint64_t offset, uint64_t bytes);

/* write/positional.c: writes to a file that is open as fd and, unless direct_fd is -1, a second
 * time with O_DIRECT.  Returns the bytes written; on error fewer than asked for, and errno says
 * why. open_direct returns -1 if the file system refuses O_DIRECT; probe is an offset that may be
 * read. */
uint64_t edgefile_put(int fd, int direct_fd, uint64_t offset, uint64_t bytes, const char *from);
int edgefile_open_direct(const char *path, uint64_t probe);
/* Reads what the file has of that range: fewer bytes at its end, and after an error; errno is 0 or
 * says why. */
uint64_t edgefile_get(int fd, uint64_t offset, uint64_t bytes, void *to);

/* write/partial_file.c: NAME.partial, step by step.  names: *full is the path that NAME stands for, absolute if asked for, *partial that of the partial file; the caller frees both, on error
 * too. lock: *stale tells whether a writer that died left something in the partial file. */
int edgefile_partial_names(const char *name, bool absolute, bool replace, char **full,
                           char **partial);
int edgefile_partial_lock(const char *partial, int *fd, bool *stale);
bool edgefile_partial_is_ours(const char *partial, int fd); /* the file that is open has the name */
void edgefile_partial_remove(const char *partial, int locked); /* if it is the locked one */
/* Does the file system have room for `bytes` in all?  fits: and can this one file, which is empty,
 * have `longest` bytes? */
int edgefile_partial_room(int fd, const char *name, uint64_t bytes);
int edgefile_partial_fits(int fd, const char *name, uint64_t bytes, uint64_t longest);

/* write/abandon.c: remembers a locked partial file until its descriptor is to be closed. */
int edgefile_held_add(int fd, const char *partial);
void edgefile_held_drop(int fd);

/* write/publish_set.c */
int edgefile_publish_file(const char *partial, const char *name, bool replace);
int edgefile_sync_folder_of(const char *name);

/* On process 0: files of one graph, of which the first is the main one.  publish
 * gives them their names; recover, before that, ends what a writer that died there had begun. */
typedef struct {
    const char *partial, *name;
    char *old;      /* where what has the name steps aside */
    bool wanted;    /* the new graph has such a file */
    bool replace;   /* what has the name may be replaced */
    bool is_folder; /* of shards */
} edgefile_set_file;
int edgefile_set_publish(const edgefile_set_file *f, int n);
int edgefile_set_recover(const edgefile_set_file *f, int n);

/* shards/folder.c: the folder BASE.shards and its files.  The caller frees paths; NULL: memory is
 * exhausted. */
char *edgefile_shard_folder(const char *base);
char *edgefile_shard_path(const char *base, int shard);
int edgefile_shard_folder_remove(const char *base); /* does nothing if there is none */
int edgefile_shard_path_remove(const char *path);   /* the same, of BASE.shards */
/* 1: there is such a folder; 0: there is none; negative: there is something else of that name, or
 * other files in it. */
int edgefile_shard_folder_exists(const char *base);
int edgefile_folder_sync(const char *path);

/* write/token.c: do the other processes see the files that process 0 made? */
#define EDGEFILE_TOKEN_NAME "token" /* a file beside the shards */
typedef struct {
    char bytes[16];
} edgefile_token;
int edgefile_token_write(const char *path, uint64_t offset, uint64_t most, edgefile_token *token);
int edgefile_token_check(int rank, const char *path, uint64_t offset, uint64_t most,
                         const edgefile_token *token);

/* write/part.c: parts by their number.  create makes the file; attach opens one that another
 * process made (offset NULL: the offsets are read from the file); begin makes either ready for
 * writes; sync ends the writes. */
int edgefile_own_part(const edgefile_output *w);
int edgefile_part_of(const edgefile_output *w, uint64_t edge);
/* The first part with that pointer: where the rows of two meet, both have it. */
int edgefile_part_of_pointer(const edgefile_output *w, uint64_t pointer);
int edgefile_part_create(edgefile_output *w, int k, const graphfile_spec *spec);
int edgefile_part_attach(edgefile_output *w, int k, const uint64_t *offset);
int edgefile_part_begin(edgefile_output *w, int k);
int edgefile_part_sync(edgefile_output *w, edgefile_part *p);
int edgefile_part_complete(const edgefile_output *w, edgefile_part *p, uint64_t fingerprint);
void edgefile_part_close(edgefile_output *w, edgefile_part *p);

/* write/choose.c; is_parallel: do several processes write the file through HDF5? */
bool edgefile_is_parallel(const edgefile_output *w);
edgefile_layout edgefile_choose_layout(const edgefile_output *w, const graphfile_spec *spec);
int edgefile_check_path(const edgefile_output *w);

/* hdf5/late_attributes.c: keeps the attributes that set may set (see graphfile_set_u64()); share
 * tells all processes what process 0 set. */
int edgefile_late_keep(edgefile_output *w, const graphfile_spec *spec);
int edgefile_late_set(edgefile_output *w, const char *name, uint64_t value);
void edgefile_late_share(edgefile_output *w);
void edgefile_late_free(edgefile_output *w);

/* hdf5/guard.c: every HDF5 call of this library lies between begin and end, which hold a lock of
 * the whole process and switch HDF5's error printing off.  fail keeps HDF5's innermost message. */
void edgefile_hdf5_begin(void);
void edgefile_hdf5_end(void);
/* Before what begins with HDF5, outside of begin and end: EDGEFILE_ERR_NO_HDF5 with a message that
 * begins with the name, or NULL: nothing, if it cannot be loaded. */
int edgefile_hdf5_need(const char *name);
/* Returns status, or that of edgefile_hdf5_status(): what could not be read is not damaged. */
int edgefile_hdf5_fail(int status, const char *path, const char *what);
/* EDGEFILE_ERR_NOMEM, EDGEFILE_ERR_IO or EDGEFILE_ERR_OPEN where the system failed HDF5, by the
 * numbers of its error; else EDGEFILE_OK. */
int edgefile_hdf5_status(const H5E_error2_t *error);
/* File access properties.  Writers hold a lock of their own and need none of HDF5's. */
hid_t edgefile_hdf5_access(bool writing, bool locking);
/* Dataset access properties with which a name leads to nothing in another file: that is not even
 * opened, and *elsewhere, which must live as long as they do, becomes true.  dataset: opens one so;
 * -1 on error. */
hid_t edgefile_hdf5_inside(bool *elsewhere);
hid_t edgefile_hdf5_dataset(hid_t file, const char *name, bool *elsewhere);
/* Locks a file that is to be read, as HDF5 does, until fd is closed: HDF5 locks what it writes with
 * flock().  Where locks are not to be had, reading goes on without, unless HDF5_USE_FILE_LOCKING
 * insists: EDGEFILE_ERR_OPEN.  Only of a file without locks HDF5 is not to lock it, too: it opens a
 * file twice only in the same way, and an application may have it open as HDF5 does by default;
 * then it may even be busy.  busy: what could not be opened, with this status, was it for that
 * reason. */
typedef enum { EDGEFILE_UNLOCKED, EDGEFILE_LOCKED, EDGEFILE_BUSY } edgefile_lock_state;
int edgefile_lock(int fd, const char *name, edgefile_lock_state *state);
int edgefile_busy(int status, const char *name, edgefile_lock_state state);

/* hdf5/library.c, or library_linked.c where HDF5 is linked, with the lock held: loads HDF5 unless
 * that was done. */
int edgefile_hdf5_load(const char *name);
bool edgefile_hdf5_is_loaded(void);

/* hdf5/foreign.c, between begin and end: opens a file of any maker for reading.  path: to open it
 * with; fd: the same file; name: for messages.  *file: -1 on error. */
int edgefile_foreign_open(hid_t *file, const char *path, int fd, const char *name);

/* hdf5/probe.c, between begin and end: has a child process read the file first, if
 * edgefile_probe_first() was called.  EDGEFILE_ERR_IO: that crashed, went beyond a limit of time,
 * or was stopped; EDGEFILE_ERR_NOMEM: beyond that of memory. */
int edgefile_probe(const char *path, int fd, const char *name, hid_t access);

/* hdf5/probe_child.c: reads the file, in the child.  Its exit statuses; a sanitizer's is 1. */
enum { EDGEFILE_PROBE_FINE = 0, EDGEFILE_PROBE_NO_MEMORY = 3 };
void edgefile_probe_read(const char *path, hid_t access);

/* hdf5/layout.c */
int edgefile_layout_create(edgefile_part *p, const graphfile_spec *spec, const edgefile_attr *more,
                           size_t n_more);
/* Reads the offsets of the datasets from an existing file. */
int edgefile_layout_find(edgefile_part *p, const edgefile_schema *s);
int edgefile_layout_complete(const edgefile_output *w, const char *path, uint64_t fingerprint);
/* Undoes it: all attributes are as the spec has them. */
int edgefile_layout_incomplete(const graphfile_spec *spec, const char *path);
/* Between edgefile_hdf5_begin() and edgefile_hdf5_end(): start creates a file with the attributes
 * of the spec and more; end closes it and returns st if that is an error. */
int edgefile_layout_start(hid_t *file, const char *path, hid_t access, const graphfile_spec *spec,
                          uint64_t edges, const edgefile_attr *more, size_t n_more);
int edgefile_layout_end(hid_t file, const char *path, int st);
/* Likewise: creates a file without attributes; creates a dataset in it and tells its offset.  -1 on
 * error. */
hid_t edgefile_layout_file(const char *path, hid_t access);
int edgefile_layout_dataset(hid_t file, const char *name, hid_t type, uint64_t length,
                            uint64_t *offset);

/* shards/master.c */
int edgefile_master_create(const edgefile_output *w, const graphfile_spec *spec);

/* write/hdf5.c: writes through HDF5, at most EDGEFILE_MAX_CALL bytes per call. */
int edgefile_hdf5_write(edgefile_output *w, edgefile_part *p, uint64_t first, uint64_t count,
                        const void *const data[EDGEFILE_N_DATASETS], hid_t transfer);
/* Between edgefile_hdf5_begin() and edgefile_hdf5_end(). */
int edgefile_hdf5_open(const edgefile_output *w, edgefile_part *p, hid_t access);
int edgefile_hdf5_close(edgefile_part *p);

/* hdf5/attributes.c, between edgefile_hdf5_begin() and edgefile_hdf5_end().  Reading fails with
 * EDGEFILE_ERR_ATTR unless the attribute is a scalar of that type. */
int edgefile_attr_write(hid_t file, const char *path, const edgefile_attr *attr);
int edgefile_attrs_write(hid_t file, const char *path, const edgefile_attr *attrs, size_t n);
int edgefile_attr_read_u64(hid_t file, const char *path, const char *name, uint64_t *value);
int edgefile_attr_read_string(hid_t file, const char *path, const char *name, char *value,
                              size_t size);

/* hdf5/attributes_copy.c: all attributes but those that edgefile writes itself, in their order.
 * copy, between begin and end, fails with EDGEFILE_ERR_FORMAT where one is of another kind than a
 * spec has; *attrs is to be freed in every case.  differ: the name of the first that two such lists
 * do not have alike, or NULL. */
int edgefile_attrs_copy(hid_t file, const char *path, edgefile_attr **attrs, size_t *n);
void edgefile_attrs_free(edgefile_attr *attrs, size_t n);
const char *edgefile_attrs_differ(const edgefile_attr *a, size_t n_a, const edgefile_attr *b,
                                  size_t n_b);

/* compressed/: files whose columns are compressed (compressed/compressed.h). */

/* Can this build encode and decode chunks?  EDGEFILE_ERR_ARG: no, and the message says what it
 * lacks. */
int edgefile_codec_check(void);

/* What the chunks of a column of so many elements take in a compressed file. */
int edgefile_compressed_bytes(const void *values, uint64_t count, size_t width, uint64_t *bytes);

/* Elements of a chunk.  Datasets with fewer have one chunk of their own length. */
#define EDGEFILE_CHUNK EDGEFILE_ROUND

/* Children of a node of an index of chunks, as in all files whose superblock says nothing else. */
enum { EDGEFILE_NODE_FANOUT = 64, EDGEFILE_NODE_BYTES = 24 + 64 * 8 + 65 * 24 };

typedef struct {
    uint64_t offset, bytes; /* in the file */
} edgefile_chunk;

/* Is the dataset compressed?  Not if it has no elements, or one value that stands for all. */
bool edgefile_is_compressed(const edgefile_schema *s, int dataset, uint64_t edges);

struct edgefile_inflating;
/* compressed/read.c: sets r->inflating of a file with compressed datasets. */
int edgefile_inflating_open(edgefile_reader *r, uint64_t file_bytes);
void edgefile_inflating_close(struct edgefile_inflating *x); /* NULL does nothing */
/* As edgefile_read() and edgefile_read_pointers(), for ranges that the file has. */
int edgefile_inflating_read(edgefile_reader *r, uint64_t first, uint64_t count,
                            char *const data[EDGEFILE_N_DATASETS]);
/* Ranges of the file that chunks and the nodes of their indices take: at most
 * EDGEFILE_N_DATASETS + 1, of which it returns how many there are. */
int edgefile_inflating_ranges(const edgefile_reader *r, edgefile_chunk *range);

/* hdf5/metadata_checksum.c */
uint32_t edgefile_metadata_checksum(const unsigned char *data, size_t bytes);

struct edgefile_reader {
    char *name;
    hid_t file, dataset[EDGEFILE_N_DATASETS]; /* -1: none */
    bool plain; /* all data lies in the file as it is in memory, so that it is read through: */
    int fd;     /* the file once more, which holds its lock */
    uint64_t offset[EDGEFILE_N_DATASETS], bytes[EDGEFILE_N_DATASETS]; /* of the data */
    uint64_t edges;
    uint64_t fingerprint;
    int unanswered; /* status of the first attribute that could not be read, with its message: */
    char *unanswered_text;
    edgefile_schema schema;
    /* If this is a shard: its first edge, its number, and the number of shards. */
    bool is_shard;
    uint64_t start, shard, of_shards;
    uint64_t first_row; /* of CSR; schema.rows are its own */
    /* If this is a master. */
    int shards;       /* 0: it is none */
    bool has_weight;  /* the master has the dataset `weight` */
    char folder[300]; /* the attribute shard_folder */
    char *base;       /* BASE.shards is the path of the folder */
    struct edgefile_shard {
        uint64_t start, first_row, fingerprint;
    } * list; /* shards + 1 elements */
    struct edgefile_open_shard {
        edgefile_reader *reader;
        int shard;
    } edges_from, pointers_from; /* read last */
    /* If this is a virtual file (virtual/read.c). */
    bool is_virtual;
    uint32_t *words; /* parameters of the filter, but for the column; n_words of them */
    size_t n_words;
    uint64_t frame_state[EDGEFILE_N_DATASETS]; /* of the checksum of chunks */
    const void *maker_ops;                     /* edgefile_maker: how the edges are made, by: */
    void *maker;
    struct edgefile_inflating *inflating; /* if it is compressed: compressed/read.c; else NULL */
};

/* hdf5/open.c: opens a file for reading, with O_NONBLOCK, so that a FIFO does not wait for a
 * writer, and again after a signal, which interrupts a file system that waits for its server.  -1
 * on error.
 */
int edgefile_open_fd(const char *name);
/* Opens a single file; of a master, without its shards. */
int edgefile_open_one(edgefile_reader **out, const char *name);
/* hdf5/read_check.c, between begin and end: checks attributes and datasets. */
int edgefile_read_check(edgefile_reader *r, uint64_t file_bytes);
/* Has a dataset of that length the chunks and filters that our compressed files have? */
bool edgefile_read_is_compressed(hid_t creation, uint64_t length);
/* After an attribute was missing: EDGEFILE_ERR_FORMAT with a message that names the format, if the
 * file has one that graphfile writes and does not read; else `status`. */
int edgefile_read_other_format(const edgefile_reader *r, int status);
/* hdf5/read_type.c, likewise: checks the type of dataset i, and takes id_bytes and signed_ids, or
 * weight, from it. */
int edgefile_read_type(edgefile_reader *r, int i, hid_t type);
/* virtual/read.c, between begin and end: checks that dataset i is made by our filter; then creates
 * the maker of the edges. */
int edgefile_virtual_dataset(edgefile_reader *r, int i, hid_t creation);
int edgefile_virtual_open(edgefile_reader *r);
/* As edgefile_read(), of a range in the file. */
int edgefile_virtual_read(edgefile_reader *r, uint64_t first, uint64_t count,
                          char *const data[EDGEFILE_N_DATASETS]);
void edgefile_virtual_close(edgefile_reader *r);
/* shards/read.c */
int edgefile_read_shards_open(edgefile_reader *r);
/* Opens the shard that holds the edge, or the pointer.  *shard belongs to r and is valid until the
 * next call; *start: its first. */
int edgefile_read_shard(edgefile_reader *r, uint64_t edge, edgefile_reader **shard,
                        uint64_t *start);
int edgefile_read_shard_of_pointer(edgefile_reader *r, uint64_t pointer, edgefile_reader **shard,
                                   uint64_t *start);

#endif
