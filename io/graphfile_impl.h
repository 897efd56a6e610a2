/* graphfile_impl.h - what the files of graphfile share.  Private. */
#ifndef IO_GRAPHFILE_IMPL_H
#define IO_GRAPHFILE_IMPL_H

#include "io/edgefile_impl.h"
#include "io/graphfile.h"

#include <stdbool.h>

/* Bytes that grow.  text_reserve() makes room and says where; the caller adds to bytes. */
typedef struct {
    char *data;
    size_t bytes, room;
} graphfile_buffer;

/* graphfile_buffer.c: NULL if memory is exhausted. */
char *graphfile_reserve(graphfile_buffer *b, size_t bytes);
void graphfile_buffer_free(graphfile_buffer *b);

/*
 * How a format is written.  Either it is a sequence of bytes: header, pieces, trailer; edge_bytes
 * are those of an edge, 0 if they differ, and then a piece waits for those before it.  Or `write`
 * is not NULL and does it all, to the files that `open` made in `state`.
 */
typedef struct {
    int (*header)(const graphfile_writer *w, graphfile_buffer *b); /* NULL: none */
    int (*encode)(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b);
    /* In the order of pieces, before a piece is placed: bytes between it and what came before it.
     * NULL: none. */
    int (*join)(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b);
    int (*trailer)(graphfile_writer *w, graphfile_buffer *b); /* NULL: none */
    uint64_t edge_bytes;

    int (*open)(graphfile_writer *w);
    int (*write)(graphfile_writer *w, const graphfile_piece *p);
    /* Of the transposed graph, where graphfile_in_bytes() says so. */
    int (*in_pointers)(graphfile_writer *w, uint64_t first, uint64_t count,
                       const uint64_t *pointers);
    int (*in_neighbours)(graphfile_writer *w, uint64_t first, uint64_t count,
                         const void *neighbours);
    int (*finish)(graphfile_writer *w); /* before the file is synced; NULL: nothing to do */
    void (*close)(graphfile_writer *w); /* in every case, if open was called; frees state */
} graphfile_ops;

extern const graphfile_ops graphfile_el_ops, graphfile_wel_ops, graphfile_tsv_ops,
    graphfile_mtx_ops, graphfile_gr_ops, graphfile_metis_ops, graphfile_bin32_ops,
    graphfile_bin64_ops, graphfile_graph500_ops, graphfile_npy_ops, graphfile_sg_ops,
    graphfile_wsg_ops, graphfile_pbg_ops, graphfile_binsparse_ops;

/* plain_file.c: a file NAME.partial that becomes NAME; or standard output, where nothing is
 * partial.  Offsets of standard output must follow one another. */
typedef struct {
    char *name, *partial; /* NULL: standard output */
    int fd;               /* -1: closed */
    int replace;
    _Atomic uint64_t end; /* the highest byte written, and 1 */
} graphfile_plain;
int graphfile_plain_create(graphfile_plain *f, const char *name, int replace);
int graphfile_plain_write(graphfile_plain *f, uint64_t offset, const void *data, size_t bytes);
int graphfile_plain_publish(graphfile_plain *f); /* sync and rename */
void graphfile_plain_close(graphfile_plain *f);  /* removes what was not published */

/* graphfile_column.c: vertices of the graph's id_bytes as elements of `width` bytes at that offset
 * of the file.  The other two convert; to every stride-th element. */
int graphfile_write_column(graphfile_writer *w, uint64_t offset, const void *ids, uint64_t count,
                           int width);
int graphfile_narrow(uint32_t *to, size_t stride, const uint64_t *from, size_t count);
void graphfile_widen(uint64_t *to, size_t stride, const uint32_t *from, size_t count);

/* graphfile_hdf5.c: the plain file becomes an HDF5 file with these datasets, whose bytes are then
 * written to their places like any others. */
typedef enum {
    GRAPHFILE_U8,
    GRAPHFILE_U32,
    GRAPHFILE_U64,
    GRAPHFILE_I64,
    GRAPHFILE_I32,
    GRAPHFILE_F32
} graphfile_type;
typedef struct {
    const char *name;
    graphfile_type type;
    uint64_t length;
    int zeros;       /* nonzero: all elements are 0, and none is stored */
    uint64_t offset; /* told, unless length is 0 or zeros is set */
} graphfile_dataset;
int graphfile_hdf5_create(graphfile_writer *w, const edgefile_attr *attr, graphfile_dataset *sets,
                          int n_sets);

struct graphfile_writer {
    graphfile_spec spec;
    const graphfile_ops *ops;
    graphfile_plain file;
    void *state;              /* of ops */
    _Atomic uint64_t written; /* edges */

    pthread_mutex_t lock; /* guards these: */
    pthread_cond_t turn;
    uint64_t next; /* the piece whose place is known: at offset */
    uint64_t offset;
    uint64_t row;         /* of the last edge placed, for join */
    uint64_t cols_in_row; /* likewise: edges of that row so far */
    bool cancelled;
};

#endif
