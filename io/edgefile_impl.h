/* edgefile_impl.h - what the files of io/ share.  Private. */
#ifndef IO_EDGEFILE_IMPL_H
#define IO_EDGEFILE_IMPL_H

#include "io/edgefile.h"

#include <hdf5.h>
#include <stdatomic.h>

#define EDGEFILE_FORMAT_NAME "rmat-edges"

/* Datasets that are at least as large start on a multiple of edgefile_extent_align(). */
#define EDGEFILE_EXTENT_MIN ((uint64_t)1 << 20)

/* Most bytes given to one system or HDF5 call: Linux cuts at 2 GiB, parallel HDF5 fails there. */
#define EDGEFILE_MAX_CALL ((uint64_t)1 << 30)

enum { EDGEFILE_SRC, EDGEFILE_DST, EDGEFILE_N_DATASETS };
extern const char *const edgefile_dataset_name[EDGEFILE_N_DATASETS];

/* How the data of a laid out file is written: one such table per write path. */
typedef struct {
    int (*open)(edgefile_writer *w);
    int (*write)(edgefile_writer *w, int dataset, uint64_t first, uint64_t count, const void *data);
    int (*close)(edgefile_writer *w); /* also after a failed open or write; may be called twice */
} edgefile_write_ops;

extern const edgefile_write_ops edgefile_positional_ops;
extern const edgefile_write_ops edgefile_hdf5_ops;

struct edgefile_writer {
    char *name;    /* of the finished file, symbolic links resolved */
    char *partial; /* NAME.partial */
    int fd;        /* of the partial file, locked, through the page cache; -1: not ours */
    int direct_fd; /* O_DIRECT; -1: not in use */
    int replace;
    int id_bytes;
    uint64_t edges;
    edgefile_path path;
    const edgefile_write_ops *ops;
    uint64_t offset[EDGEFILE_N_DATASETS];           /* of the data, from the start of the file */
    hid_t h5_file, h5_dataset[EDGEFILE_N_DATASETS]; /* of the HDF5 path; -1: closed */
    _Atomic uint64_t written;                       /* edges */
    _Atomic uint64_t fingerprint;                   /* of these */
};

/* edgefile.c: keep the message for edgefile_detail(); returns status.  %m is errno's text. */
int edgefile_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The status for errno: SPACE or NOMEM where it says so, else otherwise. */
int edgefile_errno_status(int otherwise);
/* "a directory", "a FIFO", ... for st_mode. */
const char *edgefile_kind(unsigned mode);

/* edgefile_range.c: of datasets of data_bytes each, from EDGEFILE_EXTENT_MIN on. */
uint64_t edgefile_extent_align(uint64_t data_bytes);

/* filesystem.c: what several processes should do on it. */
enum {
    EDGEFILE_FS_COLLECTIVE = 1, /* parallel HDF5 writes collectively */
    EDGEFILE_FS_OWN_FILES = 2   /* several hosts write shards */
};
unsigned edgefile_filesystem_traits(const char *path);

/* partial_file.c: the life of NAME.partial.  open checks NAME, locks and sizes up; publish renames.
 */
int edgefile_partial_open(edgefile_writer *w, const char *name, uint64_t bytes);
int edgefile_partial_reserve(edgefile_writer *w);
int edgefile_partial_publish(edgefile_writer *w);
void edgefile_partial_close(edgefile_writer *w, int remove_it);

/* hdf5_guard.c: every HDF5 call of ours lies between begin and end (a process-wide lock; HDF5's own
 * error printing is off meanwhile).  fail keeps HDF5's innermost message. */
void edgefile_hdf5_begin(void);
void edgefile_hdf5_end(void);
int edgefile_hdf5_fail(int status, const char *path, const char *what);
/* File access properties of our writers (which hold a lock of their own) and readers. */
hid_t edgefile_hdf5_access(int writing);

/* hdf5_layout.c, for the writer */
int edgefile_layout_create(edgefile_writer *w, const edgefile_spec *spec);
int edgefile_layout_complete(edgefile_writer *w, uint64_t fingerprint);

/* edgefile_attr.c, within begin and end.  Reading gives ERR_ATTR where the attribute is no scalar
 * of that type. */
int edgefile_attr_write(hid_t file, const char *path, const edgefile_attr *attr);
int edgefile_attr_read_u64(hid_t file, const char *path, const char *name, uint64_t *value);
int edgefile_attr_read_string(hid_t file, const char *path, const char *name, char *value,
                              size_t size);

struct edgefile_reader {
    char *name;
    hid_t file, dataset[EDGEFILE_N_DATASETS];
    uint64_t edges;
    int id_bytes;
};

#endif
