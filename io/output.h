/* output.h - HDF5 files of our own under construction.  Private. */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include "io/files.h"
#include "io/hdf5_layout.h"

#include <pthread.h>
#include <stdatomic.h>

/* An upper bound of the bytes that a master has for each shard and dataset. */
#define EDGEFILE_MAPPING_BYTES ((uint64_t)512)

/* The value of a scalar attribute that is set when the file is committed. */
typedef struct {
    uint64_t value;
    bool is_set; /* else the attribute keeps its value */
} edgefile_late;

/* One HDF5 file under construction: the file of the whole graph, or a shard.  Edges of a part are
 * numbered from its own first edge. */
typedef struct {
    char *path;                            /* NULL: this process has not opened the part */
    uint64_t start, edges;                 /* the range of the graph's edges that it holds */
    uint64_t first_row, rows;              /* of CSR: the rows whose pointers it holds */
    int fd;                                /* through the page cache */
    int direct_fd;                         /* O_DIRECT; -1: not in use */
    uint64_t offset[EDGEFILE_N_DATASETS];  /* of the data in the file; 0: none */
    _Atomic bool ready;                    /* open for writes */
    _Atomic uint64_t written, fingerprint; /* by this process */
    _Atomic uint64_t pointers;             /* written by this process */
} edgefile_part;

typedef struct edgefile_output edgefile_output;

/* write/positional.c: data of a part, whose datasets HDF5 has laid out.  open makes it ready for
 * writes; write puts elements of the datasets whose data is not NULL into place; close may be
 * called twice. */
void edgefile_positional_open(const edgefile_output *w, edgefile_part *p);
int edgefile_positional_write(const edgefile_output *w, const edgefile_part *p, uint64_t first,
                              uint64_t count, const void *const data[EDGEFILE_N_DATASETS]);
void edgefile_positional_close(edgefile_part *p);

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
    bool buffered;  /* through the page cache even where there is O_DIRECT */
    edgefile_schema schema;
    uint64_t edges;
    size_t n_late; /* number of scalar EDGEFILE_U64 attributes */
    char **late_name;
    edgefile_late *late;
    edgefile_layout layout;
    int shard, shards; /* it writes this shard of so many, alone; shards 0: the graph */
    int n_parts;
    edgefile_part *parts;
    pthread_mutex_t joining;       /* held while a part of another process is opened */
    bool resumed;                  /* it goes on with what an earlier run left, which is `prior`: */
    struct edgefile_record *prior; /* resume/record.h; NULL: nothing */
    struct edgefile_recorder *recorder; /* resume/resume.c; NULL: nothing is recorded */
};

/* write/spec.c: is what a spec says of h5 or csr allowed? */
int edgefile_spec_check(const graphfile_spec *spec);
/* Is this an attribute that a spec cannot have? */
bool edgefile_attr_is_ours(const char *name);
/* About the size in bytes of a single file that holds `edges` of the edges and `rows` of the rows.
 */
uint64_t edgefile_spec_bytes(const graphfile_spec *spec, uint64_t rows, uint64_t edges);
/* hdf5/layout.c: the exact size of a single file. */
int edgefile_measure(const graphfile_spec *spec, uint64_t *bytes);

/* write/output.c: the last part that does not begin behind the edge, empty shards being last; the
 * first part with the row pointer: where the rows of two meet, both have it. */
int edgefile_part_of(const edgefile_output *w, uint64_t edge);
int edgefile_part_of_pointer(const edgefile_output *w, uint64_t pointer);

/* write/spec.c; check_hosts: may so many hosts write the file where it is? */
edgefile_layout edgefile_choose_layout(const edgefile_output *w, const graphfile_spec *spec);
int edgefile_check_hosts(const edgefile_output *w);

/* write/spec.c: keeps the attributes that set may set (see graphfile_set_u64()); share
 * tells all processes what process 0 set. */
int edgefile_late_keep(edgefile_output *w, const graphfile_spec *spec);
int edgefile_late_set(edgefile_output *w, const char *name, uint64_t value);
void edgefile_late_share(edgefile_output *w);
void edgefile_late_free(edgefile_output *w);

/* hdf5/layout.c */
int edgefile_skeleton_create(edgefile_part *p, const graphfile_spec *spec,
                             const edgefile_attr *more, size_t n_more);
/* Reads the offsets of the datasets from an existing file. */
int edgefile_skeleton_find(edgefile_part *p, const edgefile_schema *s);
int edgefile_skeleton_complete(const edgefile_output *w, const char *path, uint64_t fingerprint);
/* Undoes it: all attributes are as the spec has them. */
int edgefile_skeleton_incomplete(const graphfile_spec *spec, const char *path);
/* Between edgefile_hdf5_begin() and edgefile_hdf5_end(): start creates a file with the attributes
 * of the spec and more; end closes it and returns st if that is an error. */
int edgefile_skeleton_start(hid_t *file, const char *path, hid_t access, const graphfile_spec *spec,
                            uint64_t edges, const edgefile_attr *more, size_t n_more);
/* shards/master.c */
int edgefile_master_create(const edgefile_output *w, const graphfile_spec *spec);

#endif
