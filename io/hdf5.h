/* hdf5.h - the structure of our HDF5 files, and the calls of HDF5.  Private. */
#ifndef IO_HDF5_H
#define IO_HDF5_H

#include "io/file.h"
#include "io/graphfile.h"

#ifndef RMAT_WITHOUT_HDF5
#include <hdf5.h>
#else /* hdf5/none.c replaces the files that call HDF5 */
typedef int64_t hid_t;
#endif
#include <stdbool.h>
#include <stdint.h>

#define EDGEFILE_FORMAT_NAME     "rmat-edges"
#define EDGEFILE_FORMAT_NAME_CSR "rmat-csr"

/* Datasets of at least this many bytes start at a multiple of edgefile_extent_align(). */
#define EDGEFILE_EXTENT_MIN ((uint64_t)1 << 20)

/* The datasets of a file.  In a CSR file pointers_to_1 takes the place of src, indices_1 of dst,
 * and values of weight. */
enum { EDGEFILE_SRC, EDGEFILE_DST, EDGEFILE_WEIGHT, EDGEFILE_N_DATASETS };
enum { EDGEFILE_POINTERS = EDGEFILE_SRC };

/* hdf5/schema.c: facts about one of the datasets of a file; the spec's format is GRAPHFILE_H5 or
 * GRAPHFILE_CSR.  width: bytes of an element, 0 if files have no such dataset.  length: elements.
 * is_iso: the dataset has one element that stands for all edges, and is not written with them. */
const char *edgefile_dataset_name(const graphfile_spec *s, int dataset);
int edgefile_width(const graphfile_spec *s, int dataset);
uint64_t edgefile_length(const graphfile_spec *s, int dataset);
bool edgefile_is_iso(const graphfile_spec *s, int dataset);

/* hdf5/schema.c: the alignment in the file of datasets of EDGEFILE_EXTENT_MIN bytes or more; the
 * approximate length of the file (graphfile_most_bytes()); a check of the spec's attributes. */
uint64_t edgefile_extent_align(const graphfile_spec *s);
uint64_t edgefile_about_bytes(const graphfile_spec *spec);
int edgefile_attrs_check(const graphfile_spec *spec);

/* An open file. */
struct edgefile_reader {
    char *name;
    hid_t file; /* for its attributes */
    int fd;     /* the same file again, for reading data */
    uint64_t offset[EDGEFILE_N_DATASETS], bytes[EDGEFILE_N_DATASETS]; /* of the data */
    int unanswered; /* status of the first attribute that could not be read, and its message: */
    char *unanswered_text;
    graphfile_spec spec; /* its format, and of its graph rows (CSR only), edges and types */
};

/* hdf5/layout.c. create: makes the file of the spec at this path and returns the offsets of its
 * datasets.  complete: sets existing scalar attributes of 8 bytes. */
typedef struct {
    const char *name;
    uint64_t value;
} edgefile_late;
int edgefile_layout_create(const char *path, const graphfile_spec *spec,
                           uint64_t offset[EDGEFILE_N_DATASETS]);
int edgefile_layout_complete(const char *path, const edgefile_late *late, size_t n_late);

/* hdf5/guard.c: every HDF5 call of this library lies between begin and end.  They hold a
 * process-wide lock and switch HDF5's error printing off.  fail keeps HDF5's innermost message. */
void edgefile_hdf5_begin(void);
void edgefile_hdf5_end(void);
/* Returns EDGEFILE_ERR_NOMEM, EDGEFILE_ERR_IO or EDGEFILE_ERR_OPEN if the system failed under HDF5:
 * a file that could not be read is not a damaged one.  Else returns status. */
int edgefile_hdf5_fail(int status, const char *path, const char *what);
/* File access properties.  Writers hold their own lock and need none of HDF5's.  Readers have the
 * default where the file system has locks, because HDF5 opens a file that the application has open
 * only with equal settings. */
hid_t edgefile_hdf5_access(bool writing, bool locking);
/* hdf5/attributes.c; call these between edgefile_hdf5_begin() and edgefile_hdf5_end().  read: a
 * string is cut to size - 1 bytes.  count: NULL for a scalar; else reads an array of at most size
 * numbers, and *count becomes its length.  EDGEFILE_ERR_ATTR: the attribute is something else. */
int edgefile_attrs_write(hid_t file, const char *path, const edgefile_attr *attrs, size_t n);
int edgefile_attr_read(const edgefile_reader *r, const char *name, edgefile_type want, void *value,
                       uint64_t size, uint64_t *count);

#endif
