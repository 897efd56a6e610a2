/* io/private.h - what the files of io/ share.  Private. */
#ifndef IO_PRIVATE_H
#define IO_PRIVATE_H

#include "io/edgefile.h"

#include <hdf5.h>
#include <pthread.h>
#include <stdatomic.h>

#define EDGEFILE_FORMAT_NAME     "rmat-edges"
#define EDGEFILE_FORMAT_NAME_CSR "rmat-csr"

/* Datasets of so many bytes or more start on a multiple of edgefile_extent_align(). */
#define EDGEFILE_EXTENT_MIN ((uint64_t)1 << 20)

/* Most bytes given to one system or HDF5 call: Linux cuts at 2 GiB, parallel HDF5 fails there. */
#define EDGEFILE_MAX_CALL ((uint64_t)1 << 30)

#define EDGEFILE_MAX_SHARDS (1 << 24)

/* Of a master, per shard and dataset, at most. */
#define EDGEFILE_MAPPING_BYTES ((uint64_t)512)

/* The place of pointers_to_1 is that of src, of indices_1 dst, of values weight. */
enum { EDGEFILE_SRC, EDGEFILE_DST, EDGEFILE_WEIGHT, EDGEFILE_N_DATASETS };
enum { EDGEFILE_POINTERS = EDGEFILE_SRC };

/* What the datasets of a file are like. */
typedef struct {
    edgefile_format format;
    uint64_t rows; /* of CSR */
    int id_bytes;
    edgefile_weight weight;
} edgefile_schema;

/* Of a scalar attribute when the file is committed. */
typedef struct {
    uint64_t value;
    int is_set; /* else it stays */
} edgefile_late;

/* One HDF5 file under construction: that of the whole graph, or a shard.  first and count of its
 * edges are taken from the file's own start. */
typedef struct {
    char *path;                           /* NULL: not open in this process, nor fd and the rest */
    uint64_t start, edges;                /* its range of the graph */
    int fd;                               /* through the page cache */
    int direct_fd;                        /* O_DIRECT; -1: not in use */
    uint64_t offset[EDGEFILE_N_DATASETS]; /* of the data, from the start of the file; 0: none */
    hid_t h5_file, h5_dataset[EDGEFILE_N_DATASETS]; /* of the HDF5 paths; -1: closed */
    _Atomic int ready;                              /* for writes */
    _Atomic uint64_t written, fingerprint;          /* by this process */
    _Atomic uint64_t pointers;                      /* written, likewise */
} edgefile_part;

/* How the data of a laid out file is written: one such table per write path. */
typedef struct {
    int (*open)(edgefile_writer *w, edgefile_part *p);
    /* Elements of the datasets whose data is not NULL. */
    int (*write)(edgefile_writer *w, edgefile_part *p, uint64_t first, uint64_t count,
                 const void *const data[EDGEFILE_N_DATASETS]);
    int (*drain)(edgefile_writer *w, int failed); /* NULL: nothing to do */
    /* Also after a failed open or write; may be called twice. */
    int (*close)(edgefile_writer *w, edgefile_part *p);
} edgefile_write_ops;

extern const edgefile_write_ops edgefile_positional_ops;
extern const edgefile_write_ops edgefile_hdf5_ops;
extern const edgefile_write_ops edgefile_parallel_ops;

/* io/write/hdf5_parallel.c or its stub: can these processes use edgefile_parallel_ops? */
int edgefile_parallel_usable(const edgefile_group *group);

struct edgefile_writer {
    const edgefile_group *group; /* NULL: alone */
    int rank, size;
    char *name;    /* of the finished file, symbolic links resolved; absolute in a group */
    char *partial; /* NAME.partial: the file, or the master, under construction */
    int lock_fd;   /* of that, locked; -1: not ours */
    int replace;
    int unaligned; /* also of CSR */
    int stale;     /* a dead writer left NAME.partial */
    edgefile_schema schema;
    uint64_t edges;
    size_t n_late; /* scalar EDGEFILE_U64 attributes */
    char **late_name;
    edgefile_late *late;
    edgefile_path path;
    edgefile_layout layout;
    const edgefile_write_ops *ops;
    int n_parts;
    edgefile_part *parts;
    pthread_mutex_t joining; /* held while another's part is opened */
    void *parallel;          /* of edgefile_parallel_ops */
};

/* io/status.c: keep the message for edgefile_detail(); returns status.  %m is errno's text.
 */
int edgefile_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The status for errno: SPACE or NOMEM where it says so, else otherwise. */
int edgefile_errno_status(int otherwise);
/* "a directory", "a FIFO", ... for st_mode. */
const char *edgefile_kind(unsigned mode);

/* io/write/spec.c */
int edgefile_spec_check(const char *name, const edgefile_spec *spec);
/* Of one file with so many of the edges. */
uint64_t edgefile_spec_bytes(const edgefile_spec *spec, uint64_t edges);

/* group.c: alone (NULL), agree returns status and the others do nothing.  No HDF5 lock may be held.
 * agree: 0 if all processes are well, else a failed one's status and message. */
int edgefile_group_check(const edgefile_group *group);
int edgefile_group_agree(const edgefile_group *group, int status);
void edgefile_group_sum(const edgefile_group *group, uint64_t *values, size_t count);
void edgefile_group_broadcast(const edgefile_group *group, void *data, size_t bytes);

/* io/hdf5/columns.c: bytes of an element, 0: the files have no such dataset; its elements in a file
 * with so many edges; and, within begin and end, its type in memory. */
edgefile_schema edgefile_schema_of(const edgefile_spec *spec);
const char *edgefile_dataset_name(edgefile_format format, int dataset);
int edgefile_width(const edgefile_schema *s, int dataset);
uint64_t edgefile_length(const edgefile_schema *s, int dataset, uint64_t edges);
hid_t edgefile_memory_type(const edgefile_schema *s, int dataset);
/* One element for all edges, which no edgefile_write() writes? */
int edgefile_is_iso(const edgefile_schema *s, int dataset);

/* io/write/range.c: of the datasets from EDGEFILE_EXTENT_MIN on. */
uint64_t edgefile_extent_align(const edgefile_schema *s, uint64_t edges);

/* filesystem.c: what several processes should do on it. */
enum {
    EDGEFILE_FS_COLLECTIVE = 1, /* parallel HDF5 writes collectively */
    EDGEFILE_FS_OWN_FILES = 2   /* several hosts write shards */
};
unsigned edgefile_filesystem_traits(const char *path);

/* io/write/positional.c: to a file that is open twice, direct_fd by O_DIRECT or -1; the bytes
 * written, fewer than asked for on error, and errno says why.  open_direct: -1 where the file
 * system refuses it; probe: an offset that may be read. */
uint64_t edgefile_put(int fd, int direct_fd, uint64_t offset, uint64_t bytes, const char *from);
int edgefile_open_direct(const char *path, uint64_t probe);

/* partial_file.c: NAME.partial, on process 0.  open checks NAME and locks; fits checks for room for
 * `bytes` in all and for a file of `longest`. */
int edgefile_partial_open(edgefile_writer *w, const char *name);
int edgefile_partial_fits(edgefile_writer *w, uint64_t bytes, uint64_t longest);
void edgefile_partial_close(edgefile_writer *w, int remove_it);
/* The parts, for other files than ours.  names: *full is what NAME stands for (an absolute path if
 * `absolute`), *partial the other; both to be freed, also on error.  lock: *stale tells whether
 * there was something in it.  room: for `bytes` in all. */
int edgefile_partial_names(const char *name, int absolute, int replace, char **full,
                           char **partial);
int edgefile_partial_lock(const char *partial, int *fd, int *stale);
int edgefile_partial_room(int fd, const char *name, uint64_t bytes);

/* publish.c, on process 0: what was completed gets its name, what it replaces goes. */
int edgefile_publish(edgefile_writer *w);
int edgefile_publish_file(const char *partial, const char *name, int replace);
int edgefile_sync_folder_of(const char *name);
/* What a job that died while it published left behind. */
int edgefile_publish_clean(edgefile_writer *w);

/* io/shards/folder.c: BASE.shards with its files.  Paths are to be freed; NULL: no memory. */
char *edgefile_shard_folder(const char *base);
char *edgefile_shard_path(const char *base, int shard);
int edgefile_shard_folder_remove(const char *base); /* it may be missing */
/* 1: there is one, 0: none; negative: there is something else, or other files in it. */
int edgefile_shard_folder_exists(const char *base);
int edgefile_folder_sync(const char *path);

/* token.c: do the others see the files that process 0 made? */
#define EDGEFILE_TOKEN_NAME "token" /* its file beside the shards */
typedef struct {
    char bytes[16];
} edgefile_token;
int edgefile_token_write(const char *path, uint64_t offset, uint64_t most, edgefile_token *token);
int edgefile_token_check(const edgefile_writer *w, const char *path, uint64_t offset, uint64_t most,
                         const edgefile_token *token);

/* part.c: parts by their number.  create makes the file, attach opens another process's (offset
 * NULL: the file tells), begin readies either for writes, sync ends these. */
int edgefile_own_part(const edgefile_writer *w);
int edgefile_part_of(const edgefile_writer *w, uint64_t edge);
int edgefile_part_create(edgefile_writer *w, int k, const edgefile_spec *spec);
int edgefile_part_attach(edgefile_writer *w, int k, const uint64_t *offset);
int edgefile_part_begin(edgefile_writer *w, int k);
int edgefile_part_sync(edgefile_writer *w, edgefile_part *p);
int edgefile_part_complete(const edgefile_writer *w, edgefile_part *p, uint64_t fingerprint);
void edgefile_part_close(edgefile_writer *w, edgefile_part *p);

/* io/write/choose.c */
int edgefile_is_parallel(edgefile_path path);
edgefile_layout edgefile_choose_layout(edgefile_writer *w, const edgefile_spec *spec);
int edgefile_choose_path(edgefile_writer *w);

/* io/hdf5/late_attributes.c: attributes that edgefile_set_u64() may set, and what process 0 did to
 * all. */
int edgefile_late_keep(edgefile_writer *w, const edgefile_spec *spec);
void edgefile_late_share(edgefile_writer *w);
void edgefile_late_free(edgefile_writer *w);

/* io/write/commit.c */
void edgefile_destroy(edgefile_writer *w, int remove_it);

/* io/hdf5/guard.c: every HDF5 call of ours lies between begin and end (a process-wide lock; HDF5's
 * own error printing is off meanwhile).  fail keeps HDF5's innermost message. */
void edgefile_hdf5_begin(void);
void edgefile_hdf5_end(void);
int edgefile_hdf5_fail(int status, const char *path, const char *what);
/* File access properties of our writers (which hold a lock of their own) and readers. */
hid_t edgefile_hdf5_access(int writing);

/* io/hdf5/layout.c */
int edgefile_layout_create(edgefile_part *p, const edgefile_spec *spec, const edgefile_attr *more,
                           size_t n_more);
/* The offsets in an existing file. */
int edgefile_layout_find(edgefile_part *p, const edgefile_schema *s);
int edgefile_layout_complete(const edgefile_writer *w, const char *path, uint64_t fingerprint);
/* Within begin and end: a new file with the attributes of the spec and more; closed by end, which
 * returns st if that is an error. */
int edgefile_layout_start(hid_t *file, const char *path, hid_t access, const edgefile_spec *spec,
                          uint64_t edges, const edgefile_attr *more, size_t n_more);
int edgefile_layout_end(hid_t file, const char *path, int st);
/* Likewise: a new file without any attribute; a dataset of it, whose place is told; or -1. */
hid_t edgefile_layout_file(const char *path, hid_t access);
int edgefile_layout_dataset(hid_t file, const char *name, hid_t type, uint64_t length,
                            uint64_t *offset);

/* io/shards/master.c */
int edgefile_master_create(const edgefile_writer *w, const edgefile_spec *spec);

/* io/write/hdf5.c: in pieces of EDGEFILE_MAX_CALL. */
int edgefile_hdf5_write(edgefile_writer *w, edgefile_part *p, uint64_t first, uint64_t count,
                        const void *const data[EDGEFILE_N_DATASETS], hid_t transfer);
/* Within begin and end.  put takes a count of 0 in a collective transfer. */
int edgefile_hdf5_open(const edgefile_writer *w, edgefile_part *p, hid_t access);
herr_t edgefile_hdf5_put(hid_t dataset, hid_t type, hsize_t first, hsize_t count, hid_t transfer,
                         const void *data);
int edgefile_hdf5_close(edgefile_part *p);

/* io/hdf5/attributes.c, within begin and end.  Reading gives ERR_ATTR where the attribute is no
 * scalar of that type. */
int edgefile_attr_write(hid_t file, const char *path, const edgefile_attr *attr);
int edgefile_attr_read_u64(hid_t file, const char *path, const char *name, uint64_t *value);
int edgefile_attr_read_string(hid_t file, const char *path, const char *name, char *value,
                              size_t size);

/* metadata_checksum.c */
uint32_t edgefile_metadata_checksum(const unsigned char *data, size_t bytes);

struct edgefile_reader {
    char *name;
    hid_t file, dataset[EDGEFILE_N_DATASETS];                         /* -1: none */
    uint64_t offset[EDGEFILE_N_DATASETS], bytes[EDGEFILE_N_DATASETS]; /* of the data */
    uint64_t edges;
    uint64_t fingerprint;
    edgefile_schema schema;
    /* of a shard */
    int is_shard;
    uint64_t start, shard, of_shards;
    /* of a master */
    int shards;       /* 0: none */
    int has_weight;   /* says the master itself */
    char folder[300]; /* as in the attribute */
    char *base;       /* BASE.shards is the folder's path */
    struct edgefile_shard {
        uint64_t start, fingerprint;
    } * list;              /* shards + 1 */
    edgefile_reader *open; /* the shard read last */
    int open_shard;
};

/* io/hdf5/open.c: a file by itself, a master without its shards. */
int edgefile_open_one(edgefile_reader **out, const char *name);
/* read_check.c, within begin and end: attributes and datasets. */
int edgefile_read_check(edgefile_reader *r, uint64_t file_bytes);
/* After an attribute was missing: EDGEFILE_ERR_FORMAT with a message that names the format, if the
 * file has one that graphfile writes and does not read; else `status`. */
int edgefile_read_other_format(const edgefile_reader *r, int status);
/* read_type.c, likewise: dataset i may have that type; id_bytes and weight follow from it. */
int edgefile_read_type(edgefile_reader *r, int i, hid_t type);
/* io/shards/read.c */
int edgefile_read_shards_open(edgefile_reader *r);
/* The shard with that edge. */
int edgefile_read_shard(edgefile_reader *r, uint64_t edge, edgefile_reader **shard,
                        uint64_t *start);

#endif
