/*
 * writer.h - the interface of a format, and declarations shared by the files that write formats.
 * Private.
 *
 * A format writes in one of two ways.  `encode`: the file is a stream of bytes: a header, the
 * pieces in order, and a trailer.  `place`: every column has a known place in the file, and a piece
 * of edges is written there when it arrives.
 */
#ifndef IO_WRITER_H
#define IO_WRITER_H

#include "io/file.h"
#include "io/graphfile.h"

#include <pthread.h>
#include <stdatomic.h>

enum { GRAPHFILE_PAGE = 4096 };

/* writer/encode.c: a growing sequence of bytes.  graphfile_reserve() makes room and returns its
 * address; the caller adds the bytes that it has used to `bytes`. */

typedef struct graphfile_buffer {
    char *data; /* on a page boundary */
    size_t bytes, room;
    struct graphfile_buffer *next; /* in the list of spare buffers */
} graphfile_buffer;

/* NULL: memory is exhausted. */
char *graphfile_reserve(graphfile_buffer *b, size_t bytes);
int graphfile_newlines(graphfile_buffer *b, uint64_t count);
/* Moves the bytes to the same place in a page as in the file; returns their address. */
char *graphfile_align(graphfile_buffer *b, uint64_t offset);
void graphfile_buffer_free(graphfile_buffer *b);
/* Prints at most 511 bytes. */
int graphfile_print(graphfile_buffer *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The spec's comment, if any, in lines that begin with a percent sign and a blank. */
int graphfile_comment(const graphfile_writer *w, graphfile_buffer *b);

/* Returns an empty buffer that no thread uses; NULL: memory is exhausted. */
graphfile_buffer *graphfile_take_buffer(graphfile_writer *w);
void graphfile_give_buffer(graphfile_writer *w, graphfile_buffer *b);

/* The first and last edge of a piece. */
typedef struct {
    uint64_t first, count; /* count 0: the piece has not arrived */
    uint64_t first_src, first_dst, last_src, last_dst;
} graphfile_ends;

/* A format that is a stream of bytes.  If edges have no fixed number of bytes, a piece waits until
 * the place of the piece before it is known. */
typedef struct {
    int (*header)(const graphfile_writer *w, graphfile_buffer *b); /* NULL: none */
    int (*piece)(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b);
    /* Adds the bytes between the previous piece and this one.  Called in the order of the pieces.
     * NULL: there are none. */
    int (*join)(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b);
    int (*trailer)(graphfile_writer *w, graphfile_buffer *b); /* NULL: none */
    unsigned edge_bytes; /* of every edge, if all have the same number; else 0 */
} graphfile_encode;

/* A format of columns at known places.  open and finish are collective. */
typedef struct {
    int (*open)(graphfile_writer *w); /* writes the bytes before the columns */
    int (*piece)(graphfile_writer *w, const graphfile_piece *p);
    int (*finish)(graphfile_writer *w); /* after all pieces; NULL: nothing to do */
    void (*close)(graphfile_writer *w); /* after every open: frees state; NULL: nothing to do */
} graphfile_place;

typedef struct {
    graphfile_traits facts;

    const graphfile_encode *encode; /* one of these, */
    const graphfile_place *place;   /* the other is NULL */
    /* Text formats: the bytes of an edge beside its numbers; 0: not a text format.  row_bytes:
     * bytes per row, if a line is a row; an edge then adds only its destination. */
    unsigned line_bytes, row_bytes;
    uint64_t most_vertices; /* that its ids can number; 0: more than any graph has */
    int (*check)(const graphfile_graph *g); /* a check beside the traits; NULL: none */

    /* The length of the file; NULL: simply the edges' bytes, or a text format. */
    uint64_t (*length)(const graphfile_spec *spec);
} graphfile_descriptor;

#define GRAPHFILE_DECLARE(CONSTANT, id) extern const graphfile_descriptor graphfile_##id##_format;
GRAPHFILE_FORMATS(GRAPHFILE_DECLARE)
#undef GRAPHFILE_DECLARE

/* formats/table.c: the same facts as graphfile_table[], with the functions. */
extern const graphfile_descriptor *const graphfile_descriptors[GRAPHFILE_N_FORMATS];

/* Combinations of traits that several formats have. */
enum { GRAPHFILE_MUST_WEIGHTS = GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_WEIGHTS };

/* The place of the elements of a graphfile_part in the file, and the number written so far. */
typedef struct {
    uint64_t offset, width, length; /* length 0: the file has no such part */
    _Atomic uint64_t written;
} graphfile_part_place;

/* The place and form of the row pointers that formats/rows.c computes. */
typedef struct {
    uint64_t count;  /* the pointers of rows 0 to count - 1, the one after the last row included */
    uint64_t offset; /* of the pointer of row 0 */
    uint64_t base, scale; /* edge e is written as base + scale * e */
    int width;            /* bytes of a pointer */
    bool text;            /* as digits, in a field of this width */
} graphfile_pointers;

struct graphfile_writer {
    graphfile_spec spec;
    const graphfile_descriptor *about; /* of spec.format */
    io_file file;
    io_file weights;                              /* used with GRAPHFILE_WEIGHTS_APART */
    void *state;                                  /* of the format */
    bool opened;                                  /* the format's open was called */
    graphfile_pointers rows;                      /* set by the format's open, if there are any */
    graphfile_part_place part[GRAPHFILE_N_PARTS]; /* set by the format's open */
    uint64_t start;                               /* bytes of the header */
    _Atomic uint64_t written, fingerprint;        /* of the edges written so far */

    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t turn;  /* signals that `next` has changed */
    graphfile_buffer *spare;
    uint64_t next;   /* the piece whose place is known, and */
    uint64_t offset; /* its place */
    uint64_t row;    /* of the last edge that has a place, for join */
    graphfile_ends *ends;
    uint64_t n_ends;
    struct graphfile_kept *kept; /* in a group: encoded pieces without a place */
    struct graphfile_shared_page *shared_pages;
    bool cancelled;
};

/* writer/check.c: checks a piece before it is written, and the order between pieces at the end. */
int graphfile_check_piece(graphfile_writer *w, const graphfile_piece *p);
graphfile_ends graphfile_ends_of(const graphfile_writer *w, const graphfile_piece *p);
int graphfile_check_ends(const graphfile_writer *w);
int graphfile_not_sorted(const graphfile_writer *w, uint64_t edge);

/* writer/encode.c: streams of bytes.  drop_kept: drops the encoded pieces of a round that has not
 * ended. */
int graphfile_encode_header(graphfile_writer *w);
int graphfile_encode_piece(graphfile_writer *w, const graphfile_piece *p);
int graphfile_encode_trailer(graphfile_writer *w);
void graphfile_drop_kept(graphfile_writer *w);
/* Collective: all processes then know the ends of all pieces, and how much was written. */
int graphfile_gather(graphfile_writer *w);

/*
 * writer/place.c: chunks for formats that know every place in the file, in buffers that O_DIRECT
 * can write from.  graphfile_open_chunk() returns memory for this many bytes, or NULL after
 * edgefile_fail(). graphfile_close_chunk() writes it to that offset, unless st is an error.  It
 * must follow before any other call for that buffer.
 */
void *graphfile_open_chunk(graphfile_writer *w, graphfile_buffer **b, size_t bytes);
int graphfile_close_chunk(graphfile_writer *w, io_file *file, uint64_t offset, graphfile_buffer *b,
                          int st);
int graphfile_write_chunk(graphfile_writer *w, io_file *file, uint64_t offset, const void *data,
                          size_t bytes);
/* Writes vertices of the graph's id_bytes as elements of `width` bytes, which suffice.  put_ids
 * converts them into every stride-th element. */
int graphfile_write_column(graphfile_writer *w, uint64_t offset, const void *ids, uint64_t count,
                           int width);
void graphfile_put_ids(const graphfile_writer *w, void *to, int width, size_t stride,
                       const void *ids, size_t count);

/* Writes a chunk that begins at data in a buffer, aligned by graphfile_align(). A part of a page at
 * either end may wait in memory for the rest.  write_shared_pages: writes the parts that still wait
 * when all chunks have arrived. */
int graphfile_write_sharing(graphfile_writer *w, io_file *file, uint64_t offset, char *data,
                            size_t bytes);
int graphfile_write_shared_pages(graphfile_writer *w);
void graphfile_drop_shared_pages(graphfile_writer *w);

/* Vertex i of an array of elements of 4 or 8 bytes. */
static inline uint64_t graphfile_id(int id_bytes, const void *ids, uint64_t i)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

/* The number of vertices, for graphs whose sources and destinations are the same vertices. */
static inline uint64_t graphfile_vertices(const graphfile_graph *g)
{
    return g->rows > g->cols ? g->rows : g->cols;
}

#endif
