/* output.h - HDF5 files of our own under construction.  Private. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "io/files.h"
#include "io/hdf5_layout.h"

#include <stdatomic.h>

/* The value of a scalar attribute that is set when the file is committed. */
typedef struct {
    uint64_t value;
    bool is_set; /* else the attribute keeps its value */
} edgefile_late;

typedef struct edgefile_output edgefile_output;

/* write/positional.c: data of the file, whose datasets HDF5 has laid out.  open makes it ready for
 * writes; write puts elements of the datasets whose data is not NULL into place; close may be
 * called twice. */
void edgefile_positional_open(edgefile_output *w);
int edgefile_positional_write(const edgefile_output *w, uint64_t first, uint64_t count,
                              const void *const data[EDGEFILE_N_DATASETS]);
void edgefile_positional_close(edgefile_output *w);

/* The HDF5 file of a graph under construction: the state that a graphfile_writer has of h5 and csr.
 */
struct edgefile_output {
    const edgefile_group *group; /* NULL: this process alone */
    int rank, size;
    const char *name, *partial; /* the graphfile_writer's */
    int lock_fd;                /* open on `partial`, likewise */
    bool unaligned;             /* always true for CSR */
    bool buffered;              /* through the page cache even where there is O_DIRECT */
    edgefile_schema schema;
    uint64_t edges;
    size_t n_late; /* number of scalar EDGEFILE_U64 attributes */
    char **late_name;
    edgefile_late *late;
    int fd;                               /* through the page cache; -1: closed */
    int direct_fd;                        /* O_DIRECT; -1: not in use */
    uint64_t offset[EDGEFILE_N_DATASETS]; /* of the data in the file; 0: none */
    _Atomic uint64_t written, pointers;   /* edges and row pointers that this process has written */
    _Atomic uint64_t fingerprint;         /* of these edges */
};

/* write/spec.c: is what a spec says of h5 or csr allowed? */
int edgefile_spec_check(const graphfile_spec *spec);
/* hdf5/layout.c: the exact size of the file. */
int edgefile_measure(const graphfile_spec *spec, uint64_t *bytes);

/* write/spec.c: may so many hosts write the file where it is? */
int edgefile_check_hosts(const edgefile_output *w);

/* write/spec.c: keeps the attributes that set may set (see graphfile_set_u64()); share
 * tells all processes what process 0 set. */
int edgefile_late_keep(edgefile_output *w, const graphfile_spec *spec);
int edgefile_late_set(edgefile_output *w, const char *name, uint64_t value);
void edgefile_late_share(edgefile_output *w);
void edgefile_late_free(edgefile_output *w);

/* hdf5/layout.c: creates the file of the spec at this path, and tells the offsets of its datasets;
 * sets the attributes that a complete file has. */
int edgefile_skeleton_create(const char *path, const graphfile_spec *spec,
                             uint64_t offset[EDGEFILE_N_DATASETS]);
int edgefile_skeleton_complete(const edgefile_output *w, uint64_t fingerprint);

#endif
