/* io/formats/reader.h - what the files that read other formats share.  Private. */
#ifndef IO_FORMATS_READER_H
#define IO_FORMATS_READER_H

#include "io/formats/writer.h"

/* Of a piece; tests take less. */
#define GRAPHFILE_PIECE ((uint64_t)1 << 20)

/* The longest line, with its end. */
#define GRAPHFILE_LINE ((uint64_t)1 << 16)

/* Ids that any format may have. */
#define GRAPHFILE_HIGHEST (((uint64_t)1 << 62) - 1)

enum { GRAPHFILE_BATCH = 1024 };

/* What a parser fills, and what is made of that when it is full, and at the end of a piece. */
typedef struct graphfile_batch {
    int (*take)(struct graphfile_batch *b);
    graphfile_reader *reader;
    size_t n;
    uint64_t src[GRAPHFILE_BATCH], dst[GRAPHFILE_BATCH]; /* from 0 on */
    double weight[GRAPHFILE_BATCH];
    bool floats;      /* so far: weights that are no int32 */
    uint64_t entries; /* so far: lines with an edge */
    uint64_t edges;   /* taken */

    uint64_t highest_src, highest_dst; /* of a scan */

    void *to_src, *to_dst, *to_weight; /* of a read */
    uint64_t room;                     /* in these */
} graphfile_batch;

/* How a format is read. */
typedef struct {
    int (*open)(graphfile_reader *r); /* looks at the beginning; NULL: nothing to see there */
    int (*parse)(graphfile_reader *r, uint64_t piece, graphfile_batch *b);
    int (*check)(const graphfile_reader *r); /* after the scan; NULL: nothing to check */
} graphfile_read_ops;

extern const graphfile_read_ops graphfile_text_read, graphfile_mtx_read, graphfile_bin_read;

typedef struct {
    _Atomic uint64_t lines; /* that begin in it, and 1; 0: not scanned */
    uint64_t first, edges;
} graphfile_part;

struct graphfile_reader {
    char *name;
    int fd;
    graphfile_format format;
    const graphfile_read_ops *ops;
    uint64_t bytes, piece;  /* of the file, of a piece */
    uint64_t start, before; /* where pieces begin, and the lines before that */
    uint64_t pieces, most;
    graphfile_part *parts;
    graphfile_graph graph;

    /* What a line of text has. */
    const char *line;     /* "src dst" */
    const char *names[2]; /* of its ids */
    const char *comments; /* characters that begin one */
    uint64_t base;        /* the lowest id, as it is written */
    uint64_t highest[2];  /* the highest ones, likewise */
    bool weights, mirror; /* mirror: an edge off the diagonal stands for its reverse too */
    bool reals;           /* weights are floats, whatever they look like */
    uint64_t rows, cols;  /* says the file; 0: nothing */
    uint64_t entries, size_line;

    _Atomic uint64_t highest_src, highest_dst, found; /* by the scan; found: entries */
    _Atomic bool floats;
};

/* io/formats/open.c: graphfile_open_fd() with other pieces. */
int graphfile_open_cut(graphfile_reader **out, int fd, const char *name, graphfile_format format,
                       uint64_t piece);

/* All these bytes; the file has become shorter: EDGEFILE_ERR_IO. */
int graphfile_pread(const graphfile_reader *r, uint64_t offset, void *to, size_t bytes);

/* io/formats/open.c: an edge more. */
static inline int graphfile_put(graphfile_batch *b, uint64_t src, uint64_t dst, double weight)
{
    b->src[b->n] = src;
    b->dst[b->n] = dst;
    b->weight[b->n] = weight;
    return ++b->n == GRAPHFILE_BATCH ? b->take(b) : EDGEFILE_OK;
}

/* io/formats/lines.c: the lines that begin in a piece, and a newline and a NUL behind the last one.
 */
typedef struct {
    char *memory;
    const char *begin, *end;
    uint64_t piece;
    bool too_long; /* the line at end is */
} graphfile_text;

int graphfile_text_load(const graphfile_reader *r, uint64_t piece, graphfile_text *text);
void graphfile_text_free(graphfile_text *text);
/* Behind the line that p lies in, before text->end; or that. */
const char *graphfile_next_line(const graphfile_text *text, const char *p);

/* EDGEFILE_ERR_FORMAT: "NAME: line N: 'what it is': ...".  at: where the line begins; what: "" or
 * printable. */
int graphfile_bad_line(graphfile_reader *r, const graphfile_text *text, const char *at,
                       const char *what);

/* io/formats/parse.c: lines of edges. */
int graphfile_text_parse(graphfile_reader *r, uint64_t piece, graphfile_batch *b);

/* io/formats/number.c */

/* Digits at p; their value, or UINT64_MAX where it is more than that.  Returns where they end: p if
 * there are none. */
static inline const char *graphfile_digits(const char *p, uint64_t *value)
{
    const char *start = p;
    uint64_t v = 0;
    unsigned digit;

    while ((digit = (unsigned)(unsigned char)*p - '0') < 10) {
        v = 10 * v + digit;
        p++;
    }
    if (p - start > 19) {
        while (*start == '0') {
            start++;
        }
        v = p - start > 19 ? UINT64_MAX : v;
    }
    *value = v;
    return p;
}

/* A decimal number that float32 can hold, at p; NULL: there is none.  *whole: it is an int32. */
const char *graphfile_decimal(const char *p, double *value, bool *whole);

#endif
