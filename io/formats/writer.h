/* writer.h - what the files that write formats share.  Private. */
#ifndef IO_FORMATS_WRITER_H
#define IO_FORMATS_WRITER_H

#include "io/files.h"
#include "io/formats/format.h"
#include "io/status.h"

#include <pthread.h>
#include <stdatomic.h>

enum { GRAPHFILE_PAGE = 4096 };

/* Newlines that a buffer counts instead of holding them. */
typedef struct {
    size_t at; /* they come before this byte of the buffer */
    uint64_t newlines;
} graphfile_run;

/* Bytes that grow: graphfile_reserve() makes room and returns where it is; the caller adds to
 * `bytes` what it has used of it. */
typedef struct graphfile_buffer {
    char *data; /* on a page boundary */
    size_t bytes, room;
    graphfile_run *runs; /* in order */
    size_t n_runs, room_runs;
    bool is_chunk;                 /* graphfile_open_chunk() took it */
    struct graphfile_buffer *next; /* in the list of spare buffers */
} graphfile_buffer;

/* buffer.c.  NULL: memory is exhausted. */
char *graphfile_reserve(graphfile_buffer *b, size_t bytes);
/* Any number of newlines in little memory. */
int graphfile_newlines(graphfile_buffer *b, uint64_t count);
/* Bytes with the newlines. */
uint64_t graphfile_length(const graphfile_buffer *b);
/* Moves the bytes so that they begin at the same place in their page as in the file; returns where.
 */
char *graphfile_align(graphfile_buffer *b, uint64_t offset);
void graphfile_empty(graphfile_buffer *b);
void graphfile_buffer_free(graphfile_buffer *b);
/* Prints at most 511 bytes. */
int graphfile_print(graphfile_buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The spec's comment, if any, in lines that begin with a percent sign and a blank. */
int graphfile_comment(const graphfile_writer *w, graphfile_buffer *b);
/* The number of decimal digits of x. */
size_t graphfile_n_digits(uint64_t x);

/* check.c: checks a piece before it is encoded, and the order between pieces at the end. */
typedef struct {
    uint64_t first, count; /* count 0: the piece has not come */
    uint64_t first_src, first_dst, last_src, last_dst;
} graphfile_ends;
int graphfile_check_piece(graphfile_writer *w, const graphfile_piece *p);
graphfile_ends graphfile_ends_of(const graphfile_writer *w, const graphfile_piece *p);
int graphfile_check_ends(const graphfile_writer *w);
int graphfile_not_sorted(const graphfile_writer *w, uint64_t edge);

/*
 * How a format is written, in one of two ways.  Either the file is a sequence of bytes: header,
 * pieces, trailer.  Where an edge has no fixed number of bytes, a piece waits until the place of
 * the piece before it is known.  Or `write` is not NULL and puts every piece into place itself.
 */
struct graphfile_write_ops {
    int (*header)(const graphfile_writer *w, graphfile_buffer *b); /* NULL: none */
    int (*encode)(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b);
    /* Adds the bytes between the piece before and this one.  Called in the order of the pieces.
     * NULL: there are none. */
    int (*join)(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b);
    int (*trailer)(graphfile_writer *w, graphfile_buffer *b); /* NULL: none */

    int (*open)(graphfile_writer *w);
    int (*write)(graphfile_writer *w, const graphfile_piece *p);
    bool unchecked; /* vertices and order are the caller's affair */
    /* See graphfile_write_pointers().  NULL: there are none. */
    int (*pointers)(graphfile_writer *w, uint64_t first, uint64_t count, const uint64_t *pointers);
    /* The transposed graph: see graphfile_in_bytes().  NULL: never wanted. */
    size_t (*in_bytes)(const graphfile_writer *w);
    int (*in_pointers)(graphfile_writer *w, uint64_t first, uint64_t count,
                       const uint64_t *pointers);
    int (*in_neighbours)(graphfile_writer *w, uint64_t first, uint64_t count,
                         const void *neighbours);
    /* In place of all that is done otherwise before the file gets its name.  Sets w->committed.
     * Collective; NULL: not so. */
    int (*complete)(graphfile_writer *w);
    int (*finish)(graphfile_writer *w); /* before the main file is synced; NULL: nothing to do;
                                           collective */
    void (*close)(graphfile_writer *w); /* whenever open was called, also in vain; frees state */
};

/*
 * write/plain_file.c: a file NAME.partial that becomes NAME, of every format, HDF5 too; or standard
 * output, to which offsets must be written in order.  Any threads may write different ranges at
 * once.  With a group, of which a file is one of all processes, creating and publishing it are
 * collective.
 */
typedef struct {
    const edgefile_group *group; /* or NULL */
    bool attached;               /* another process has created it, and will publish or remove it */
    char *name, *partial;        /* NULL: standard output */
    /* Of h5 and csr, fd holds the lock and no more, and reserved and end stay 0: output.c opens
     * the file again and writes it. */
    int fd;        /* holds the lock; -1: closed */
    int direct_fd; /* O_DIRECT, for whole pages; -1: none */
    bool replace;
    uint64_t reserved;
    _Atomic uint64_t end;   /* one more than the highest byte written */
    _Atomic bool cancelled; /* a write that waits for a pipe is to fail */
} graphfile_plain;
int graphfile_plain_create(graphfile_plain *f, const char *name, bool replace,
                           const edgefile_group *group);
/* Is there room for a file of at least this length? */
int graphfile_plain_expect(const graphfile_plain *f, uint64_t bytes);
/* Allocates disk space ahead of the writes, if the file system can. */
void graphfile_plain_reserve(graphfile_plain *f, uint64_t bytes);
int graphfile_plain_write(graphfile_plain *f, uint64_t offset, const void *data, size_t bytes);
/* In place of create: the graph has no file of this name, and an older one goes when the graph gets
 * its name.  Creates nothing; fails if such a file is there and may not go. */
int graphfile_plain_absent(graphfile_plain *f, const char *name, bool replace,
                           const edgefile_group *group);
/* Syncs the file and gives it its name.  second: NULL, or a file of the same graph, which create or
 * absent was called for. */
int graphfile_plain_publish(graphfile_plain *f, graphfile_plain *second);
void graphfile_plain_close(graphfile_plain *f); /* removes what was not published */

/* A small file (io/small_file.h). */
struct edgefile_small {
    graphfile_plain plain;
};

/* writer.c: writes the buffer, whose bytes may move. */
int graphfile_write_buffer(graphfile_writer *w, uint64_t offset, graphfile_buffer *b);
/* Adds the bytes between the pieces before and this one, of which w->row is the last row. */
int graphfile_join(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b);

/* rounds.c: pieces of several processes. */

/* Keeps an encoded piece until the round ends.  The buffer belongs to the writer again. */
int graphfile_keep(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b);
void graphfile_drop_kept(graphfile_writer *w);
/* Collective: all processes know the ends of all pieces then, and how many edges were written. */
int graphfile_gather(graphfile_writer *w);
bool graphfile_is_first(const graphfile_writer *w); /* process 0, or alone */

/* writer.c: an empty buffer that nobody uses; NULL: memory is exhausted. */
graphfile_buffer *graphfile_take_buffer(graphfile_writer *w, bool chunk);
void graphfile_give_buffer(graphfile_writer *w, graphfile_buffer *b);
/* write/output.c: of h5 and csr. */
extern const graphfile_write_ops graphfile_edgefile_write;

/*
 * buffer.c: chunks for formats that know every place in the file, in buffers that O_DIRECT can
 * write from.  graphfile_open_chunk() returns memory for so many bytes, or NULL after
 * edgefile_fail(); graphfile_close_chunk() writes it to that offset, unless st is an error, and
 * must follow before any other call for that buffer.
 */
void *graphfile_open_chunk(graphfile_writer *w, graphfile_buffer **b, size_t bytes);
int graphfile_close_chunk(graphfile_writer *w, graphfile_plain *file, uint64_t offset,
                          graphfile_buffer *b, int st);
int graphfile_write_chunk(graphfile_writer *w, graphfile_plain *file, uint64_t offset,
                          const void *data, size_t bytes);
/* Writes vertices of the graph's id_bytes as elements of `width` bytes.  The other two convert
 * vertices, into every stride-th element. */
int graphfile_write_column(graphfile_writer *w, uint64_t offset, const void *ids, uint64_t count,
                           int width);
int graphfile_narrow(uint32_t *to, size_t stride, const uint64_t *from, size_t count);
void graphfile_widen(uint64_t *to, size_t stride, const uint32_t *from, size_t count);

/* buffer.c: writes a chunk that begins at data in a buffer, aligned by graphfile_align(); a
 * part of a page at either end may wait in memory for the rest.  write_shared_pages, when all
 * chunks have come: what still waits. */
int graphfile_write_sharing(graphfile_writer *w, graphfile_plain *file, uint64_t offset, char *data,
                            size_t bytes);
int graphfile_write_shared_pages(graphfile_writer *w);
void graphfile_drop_shared_pages(graphfile_writer *w);

/* rows.c: the row pointers of a sorted graph, one behind the other in the file.  w->rows says
 * where, set by the format's open.  write: of a piece, those of the rows that begin within it.
 * finish: the others, when all pieces are there; a format's finish. */
typedef struct {
    uint64_t count;  /* there are pointers of rows 0 to count - 1; that behind the last counts */
    uint64_t offset; /* of the pointer of row 0 */
    uint64_t base, scale; /* edge e is written as base + scale * e */
    int width;            /* bytes of a pointer */
    bool text;            /* as digits, in a field of this width */
} graphfile_pointers;
int graphfile_write_rows(graphfile_writer *w, const graphfile_piece *p);
int graphfile_finish_rows(graphfile_writer *w);

/* text.c: writes a line for each edge, with its weight if graph and format have weights.  blank
 * stands between numbers; base is the number of the first vertex. */
int graphfile_put_lines(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b,
                        char blank, unsigned base);

struct graphfile_writer {
    graphfile_spec spec;
    const graphfile_descriptor *about; /* of spec.format */
    graphfile_plain file;
    graphfile_plain weights;       /* with GRAPHFILE_WEIGHTS_APART */
    void *state;                   /* of the format */
    bool opened;                   /* the format's open was called */
    graphfile_pointers rows;       /* of formats that have them */
    uint64_t start;                /* bytes of the header */
    _Atomic uint64_t written;      /* edges */
    graphfile_committed committed; /* set at the end */

    pthread_mutex_t lock;                   /* guards what follows */
    pthread_cond_t turn;                    /* `next` has changed */
    graphfile_buffer *spare, *spare_chunks; /* apart: chunks may take a hundred times the memory */
    uint64_t next;                          /* the piece whose place is known */
    uint64_t offset;                        /* that place */
    uint64_t row;                           /* of the last edge placed, for join */
    graphfile_ends *ends;
    uint64_t n_ends;
    struct graphfile_kept *kept; /* of several processes: encoded, without a place */
    struct graphfile_shared_page *shared_pages;
    bool cancelled;
};

/* Vertex i of an array of elements of 4 or 8 bytes. */
static inline uint64_t graphfile_id(int id_bytes, const void *ids, uint64_t i)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

#endif
