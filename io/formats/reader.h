/* reader.h - what the files that read formats share.  Private. */
#ifndef IO_FORMATS_READER_H
#define IO_FORMATS_READER_H

#include "io/formats/writer.h"

/* Bytes of a piece; tests use smaller ones. */
#define GRAPHFILE_PIECE ((uint64_t)1 << 20)

/* Bytes of the longest line, with its end. */
#define GRAPHFILE_LINE ((uint64_t)1 << 16)

/* The highest id that any format may have. */
#define GRAPHFILE_HIGHEST (((uint64_t)1 << 62) - 1)

enum { GRAPHFILE_BATCH = 1024 };

/* Edges on their way from a parser to a scan or a read: take() uses them up when the batch is full,
 * and at the end of a piece. */
typedef struct graphfile_batch {
    int (*take)(struct graphfile_batch *b);
    graphfile_reader *reader;
    size_t n;
    uint64_t src[GRAPHFILE_BATCH], dst[GRAPHFILE_BATCH]; /* numbered from 0 */
    double weight[GRAPHFILE_BATCH];
    bool floats;      /* there were weights that are no int32 */
    uint64_t entries; /* lines with an edge, so far */
    uint64_t edges;   /* taken, so far */

    uint64_t highest_src, highest_dst; /* of a scan */

    void *to_src, *to_dst, *to_weight; /* the arrays that a read fills */
    uint64_t room;                     /* their elements */
} graphfile_batch;

/* How a format is read. */
struct graphfile_read_ops {
    int (*open)(graphfile_reader *r); /* looks at the beginning; NULL: nothing to see there */
    int (*parse)(graphfile_reader *r, uint64_t piece, graphfile_batch *b);
    int (*check)(const graphfile_reader *r); /* after the scan; NULL: nothing to check */
    void (*close)(graphfile_reader *r);      /* also after open failed; NULL: nothing to free */
    bool own_pieces;                         /* open sets r->pieces; else they are cut by bytes */
};

typedef struct {
    _Atomic uint64_t lines; /* one more than the lines that begin in the piece; 0: not scanned */
    uint64_t first, edges;
} graphfile_part;

struct graphfile_reader {
    char *name;
    int fd;
    const graphfile_descriptor *about;
    void *state;            /* of the format */
    uint64_t bytes, piece;  /* of the file, of a piece */
    uint64_t start, before; /* where the first piece begins, and the number of lines before it */
    uint64_t pieces, most;  /* pieces; the largest number of edges of one */
    graphfile_part *parts;
    graphfile_graph graph;
    int least_id_bytes; /* 8: ids take 8 bytes even if 4 would do */

    /* Text: what a line has. */
    const char *line;     /* for messages: "src dst" */
    const char *names[2]; /* of its ids */
    char separator;       /* of columns, with or without blanks and tabs; ' ': these alone */
    const char *comments; /* the characters that begin a comment */
    uint64_t base;        /* the number of the first vertex */
    uint64_t highest[2];  /* the highest ids, as they are written */
    bool weights;
    bool mirror;         /* an off-diagonal edge stands for its reverse too */
    bool reals;          /* weights are floats even if they look like integers */
    uint64_t rows, cols; /* if the file tells; else 0 */
    uint64_t entries, size_line;

    _Atomic uint64_t highest_src, highest_dst, found; /* by the scan; found: entries */
    _Atomic bool floats;
};

/* open.c: graphfile_open_fd() with pieces of another size. */
int graphfile_open_cut(graphfile_reader **out, int fd, const char *name, graphfile_format format,
                       uint64_t piece);

/* The number of pieces, from r->start to the end of the file. */
void graphfile_cut(graphfile_reader *r);

/* Reads exactly these bytes; EDGEFILE_ERR_IO if the file has become shorter. */
int graphfile_pread(const graphfile_reader *r, uint64_t offset, void *to, size_t bytes);

/* Adds an edge to the batch. */
static inline int graphfile_put(graphfile_batch *b, uint64_t src, uint64_t dst, double weight)
{
    b->src[b->n] = src;
    b->dst[b->n] = dst;
    b->weight[b->n] = weight;
    return ++b->n == GRAPHFILE_BATCH ? b->take(b) : EDGEFILE_OK;
}

/* lines.c: the lines that begin in a piece, with a newline and a NUL behind the last one. */
typedef struct {
    char *memory;
    const char *begin, *end;
    uint64_t piece;
    bool too_long; /* the line at `end` is longer than GRAPHFILE_LINE */
} graphfile_text;

int graphfile_text_load(const graphfile_reader *r, uint64_t piece, graphfile_text *text);
void graphfile_text_free(graphfile_text *text);
/* The end of the line that contains p, at most text->end. */
const char *graphfile_next_line(const graphfile_text *text, const char *p);

/* Fails with EDGEFILE_ERR_FORMAT and "NAME: line N: 'the line': what".  at: where the line begins.
 */
int graphfile_bad_line(graphfile_reader *r, const graphfile_text *text, const char *at,
                       const char *what);

/* parse.c: lines of edges; formats with nothing but these share the read functions. */
int graphfile_text_parse(graphfile_reader *r, uint64_t piece, graphfile_batch *b);
int graphfile_text_open(graphfile_reader *r);
extern const graphfile_read_ops graphfile_text_read;

/* number.c */

/* Reads digits at p.  *value: their value, or UINT64_MAX if it does not fit.  Returns where they
 * end, which is p if there are none. */
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

/* Reads a decimal number at p and returns where it ends, or NULL: there is none that float32 can
 * hold.  *whole: it is an int32. */
const char *graphfile_decimal(const char *p, double *value, bool *whole);

#endif
