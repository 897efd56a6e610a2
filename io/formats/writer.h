/* io/formats/writer.h - what the files of graphfile share.  Private. */
#ifndef IO_FORMATS_WRITER_H
#define IO_FORMATS_WRITER_H

#include "io/graphfile.h"
#include "io/private.h"

#include <stdbool.h>

enum { GRAPHFILE_PAGE = 4096 };

typedef struct {
    size_t at; /* before that byte */
    uint64_t newlines;
} graphfile_run;

/* Bytes that grow.  graphfile_reserve() makes room and says where; the caller adds to bytes. */
typedef struct graphfile_buffer {
    char *data; /* from a page on */
    size_t bytes, room;
    graphfile_run *runs; /* that are not in data, in order */
    size_t n_runs, room_runs;
    struct graphfile_buffer *next; /* of those that wait for a piece */
} graphfile_buffer;

/* io/formats/buffer.c.  reserve: NULL if memory is exhausted.  newlines: any number, in little
 * memory.  length: with them.  align: the bytes move, and begin in their page as in the file. */
char *graphfile_reserve(graphfile_buffer *b, size_t bytes);
int graphfile_newlines(graphfile_buffer *b, uint64_t count);
uint64_t graphfile_length(const graphfile_buffer *b);
const char *graphfile_align(graphfile_buffer *b, uint64_t offset);
void graphfile_empty(graphfile_buffer *b);
void graphfile_buffer_free(graphfile_buffer *b);
/* At most 511 bytes. */
int graphfile_print(graphfile_buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The spec's, if there is any, each of its lines with that character and a blank before it. */
int graphfile_comment(const graphfile_writer *w, graphfile_buffer *b, char start);
size_t graphfile_n_digits(uint64_t x); /* how many it has */

/* io/formats/order.c: each piece before it is encoded, and the end. */
typedef struct {
    uint64_t first, count; /* 0: it is not there */
    uint64_t first_src, first_dst, last_src, last_dst;
} graphfile_ends;
int graphfile_check_piece(graphfile_writer *w, const graphfile_piece *p);
int graphfile_check_ends(const graphfile_writer *w);
int graphfile_not_sorted(const graphfile_writer *w, uint64_t edge);

/*
 * How a format is written.  Either it is a sequence of bytes: header, pieces, trailer; edge_bytes
 * are those of an edge, 0 if they differ, and then a piece waits for those before it.  Or `write`
 * is not NULL and does it all, to the files that `open` made in `state`; edge_bytes are then what
 * an edge takes at least.
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

/*
 * plain_file.c: a file NAME.partial that becomes NAME; or standard output, where nothing is partial
 * and offsets must follow one another.  Different ranges may be written by any threads at once.
 * expect: so many bytes are to come at least; is there room?  reserve: the file system sets them
 * aside, if it can.
 */
typedef struct {
    char *name, *partial; /* NULL: standard output */
    int fd;               /* with the lock; -1: closed */
    int direct_fd;        /* O_DIRECT, for whole pages; -1: none */
    int replace;
    uint64_t reserved;
    _Atomic uint64_t end;  /* the highest byte written, and 1 */
    _Atomic int cancelled; /* a write to a pipe that waits shall fail */
} graphfile_plain;
int graphfile_plain_create(graphfile_plain *f, const char *name, int replace);
int graphfile_plain_expect(const graphfile_plain *f, uint64_t bytes);
void graphfile_plain_reserve(graphfile_plain *f, uint64_t bytes);
int graphfile_plain_write(graphfile_plain *f, uint64_t offset, const void *data, size_t bytes);
int graphfile_plain_publish(graphfile_plain *f); /* sync and rename */
void graphfile_plain_close(graphfile_plain *f);  /* removes what was not published */

/* io/formats/write.c: one that nobody uses, empty; NULL if memory is exhausted. */
graphfile_buffer *graphfile_take_buffer(graphfile_writer *w);
void graphfile_give_buffer(graphfile_writer *w, graphfile_buffer *b);

/*
 * io/formats/column.c, for formats that know every place in the file: through buffers from which
 * O_DIRECT can write.  open: memory for so many bytes, which close writes there if st is no error
 * yet; in between no other call.  open gives NULL, after edgefile_fail(), if memory is exhausted.
 */
void *graphfile_open_block(graphfile_writer *w, graphfile_buffer **b, size_t bytes);
int graphfile_close_block(graphfile_writer *w, graphfile_plain *file, uint64_t offset,
                          graphfile_buffer *b, int st);
int graphfile_write_block(graphfile_writer *w, graphfile_plain *file, uint64_t offset,
                          const void *data, size_t bytes);
/* Vertices of the graph's id_bytes as elements of `width` bytes.  The other two convert; to every
 * stride-th element. */
int graphfile_write_column(graphfile_writer *w, uint64_t offset, const void *ids, uint64_t count,
                           int width);
int graphfile_narrow(uint32_t *to, size_t stride, const uint64_t *from, size_t count);
void graphfile_widen(uint64_t *to, size_t stride, const uint32_t *from, size_t count);

/* io/formats/hdf5.c: the plain file becomes an HDF5 file with these datasets, whose bytes are then
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
    bool opened;              /* ops->open was called */
    uint64_t start;           /* bytes of the header */
    _Atomic uint64_t written; /* edges */

    pthread_mutex_t lock; /* guards these: */
    pthread_cond_t turn;
    graphfile_buffer *spare;
    uint64_t next; /* the piece whose place is known: at offset */
    uint64_t offset;
    uint64_t row; /* of the last edge placed, for join */
    graphfile_ends *ends;
    uint64_t n_ends;
    bool cancelled;
};

#endif
