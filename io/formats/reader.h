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
    uint64_t inexact; /* weights that are integers which float32 does not hold exactly, so far */
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
    const char *path; /* to open it again, or what lies beside it; NULL: there is only fd */
    int fd;
    const graphfile_descriptor *about;
    void *state;            /* of the format */
    uint64_t bytes, piece;  /* of the file, of a piece */
    uint64_t start, before; /* where the first piece begins, and the number of lines before it */
    uint64_t pieces, most;  /* pieces; the largest number of edges of one */
    graphfile_part *parts;
    graphfile_graph graph;
    int least_id_bytes; /* 8: ids take 8 bytes even if 4 would do */

    const char *datasets; /* of HDF5, or columns: their names, as in graphfile_open_datasets() and
                             graphfile_open_columns(), or NULL */
    uint64_t array_edges, piece_edges; /* arrays.c: all of them; those of a piece */
    bool whole_pieces;                 /* arrays.c: load() needs all edges of a piece at once */

    const char *names[2]; /* of the ids, for messages: "src", "dst" */
    uint64_t highest[2];  /* the highest ids, as they are written */

    /* Text: what a line has. */
    const char *line;   /* for messages: "src dst" */
    uint64_t longest;   /* bytes of a line, at most */
    char mark;          /* begins a line with an edge, before a blank; 0: its first digit does */
    char separator;     /* of columns, with or without blanks and tabs; ' ': these alone */
    bool index;         /* the first column, up to a comma, is none of the edge */
    int columns, named; /* of the first edge, and of csv's names; 0: there are none */
    int n_chosen;       /* columns that r->datasets names, of csv; 0: the first ones are read */
    int chosen[GRAPHFILE_COLUMNS]; /* which they are, from 0 on */
    char chosen_name[GRAPHFILE_COLUMNS][GRAPHFILE_COLUMN_NAME];
    graphfile_name_table *vertex_names; /* of text whose vertices have names, or NULL */
    const char *comments;               /* the characters that begin a comment */
    uint64_t base;                      /* the number of the first vertex */
    bool weights;
    bool mirror; /* an off-diagonal edge stands for its reverse too */
    bool lower;  /* then its source is not the smaller end */
    bool reals;  /* weights are floats even if they look like integers */
    bool untold; /* their type has to be told: see graphfile_tell() */
    bool told;   /* the file tells rows and cols */
    uint64_t rows, cols;
    uint64_t entries, header_line; /* of a header: the entries that it promises; its number */

    _Atomic uint64_t highest_src, highest_dst, found, inexact; /* by the scan; found: entries */
    _Atomic bool floats;
};

/* open.c: graphfile_open_fd() with pieces of another size, or, unless it is NULL, of these columns.
 */
int graphfile_open_cut(graphfile_reader **out, int fd, const char *name, graphfile_format format,
                       uint64_t piece, const char *columns);

/* The number of pieces, from r->start to the end of the file. */
void graphfile_cut(graphfile_reader *r);

/* Reads exactly these bytes; EDGEFILE_ERR_IO if the file has become shorter. */
int graphfile_pread_file(const char *name, int fd, uint64_t offset, void *to, size_t bytes);
int graphfile_pread(const graphfile_reader *r, uint64_t offset, void *to, size_t bytes);

/* Adds an edge to the batch. */
static inline int graphfile_put(graphfile_batch *b, uint64_t src, uint64_t dst, double weight)
{
    b->src[b->n] = src;
    b->dst[b->n] = dst;
    b->weight[b->n] = weight;
    return ++b->n == GRAPHFILE_BATCH ? b->take(b) : EDGEFILE_OK;
}

/* arrays.c.  cut: pieces of as many edges as take r->piece bytes, in multiples of unit.  range: the
 * edges of a piece. */
void graphfile_cut_edges(graphfile_reader *r, uint64_t edges, uint64_t edge_bytes, uint64_t unit);

/* Files of nothing but edges: EDGEFILE_ERR_FORMAT if the last one is not whole.  what: "edge". */
int graphfile_check_rest(const graphfile_reader *r, const char *what);

/* Edges of a piece.  Negative ids become large ones, which nothing accepts. */
typedef struct {
    uint64_t *src, *dst;
    double *weight;   /* NULL: there are none */
    uint64_t inexact; /* as in a batch; load() adds to it */
} graphfile_edges;

/* Reads little-endian integers: `count` of each of the columns, which take turns in the file. */
typedef struct {
    unsigned bytes; /* 1 to 8 */
    bool is_signed;
} graphfile_element;
int graphfile_load_ids(const graphfile_reader *r, uint64_t offset, uint64_t count,
                       graphfile_element type, int columns, uint64_t *const to[]);

/*
 * Parses a piece: load() fills the arrays with `count` edges of it from `first` on, and these go to
 * the batch.  An id beyond r->highest: EDGEFILE_ERR_FORMAT with the number of the edge and
 * r->names.
 */
typedef int graphfile_load(const graphfile_reader *r, uint64_t piece, uint64_t first,
                           uint64_t count, graphfile_edges *e);
int graphfile_parse_edges(graphfile_reader *r, uint64_t piece, graphfile_batch *b,
                          graphfile_load *load, bool is_signed);

/* arrays.c, after graphfile_cut_edges(): sources of edges from row pointers.  The caller sets get
 * and rows, and frees row. */
typedef struct {
    int (*get)(const graphfile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers);
    uint64_t rows; /* one less than there are pointers */
    uint64_t *row; /* that of the first edge of each piece */
} graphfile_rows;
int graphfile_rows_open(const graphfile_reader *r, graphfile_rows *x);
int graphfile_rows_fill(const graphfile_reader *r, const graphfile_rows *x, uint64_t piece,
                        uint64_t *src);

/*
 * arrays.c: compressed sparse rows, as arrays of row pointers, of destinations and perhaps of
 * weights.  A format's open calls graphfile_csr_begin(), sets what its file has, checks that the
 * file is as long as that needs (else graphfile_csr_refuse()), and calls graphfile_csr_open(); the
 * other functions are its parse and close.
 */
typedef struct {
    uint64_t at;            /* where in the file it begins */
    uint64_t stride;        /* bytes from one element to the next; 0: those of an element */
    graphfile_element type; /* of 0 bytes: there is no such array */
    bool is_float;          /* weights alone */
    int file;               /* 0: the reader's; else 1 more than its index in fd */
} graphfile_array;

typedef struct {
    graphfile_array pointers, dst, weight;
    uint64_t base, scale; /* a pointer is base + scale times the number of an edge */
    unsigned first;       /* 1: the first pointer, which is 0, is not in the file */
    bool no_last;         /* nor is the last one, the number of edges */
    bool by_columns;      /* rows are those of the transposed matrix */
    int fd[2];            /* other files, closed with the reader, or -1 */
    void *index;          /* of the format; freed with the reader */
    /* Elements in another form than little-endian, from this one on; NULL: there are none. */
    int (*get)(const graphfile_reader *r, uint64_t first, uint64_t count, uint64_t *to);
    graphfile_rows rows; /* set by graphfile_csr_open() */
} graphfile_csr;
int graphfile_csr_begin(graphfile_reader *r, graphfile_csr **out);
int graphfile_csr_open(graphfile_reader *r, uint64_t rows, uint64_t cols, uint64_t edges);
int graphfile_csr_refuse(const graphfile_reader *r, uint64_t vertices, uint64_t edges);
int graphfile_csr_parse(graphfile_reader *r, uint64_t piece, graphfile_batch *b);
void graphfile_csr_close(graphfile_reader *r);

/* Ends the functions of a format that is read so. */
#define GRAPHFILE_CSR_READ(begin)                                                                  \
    {                                                                                              \
        .open = (begin), .parse = graphfile_csr_parse, .close = graphfile_csr_close,               \
        .own_pieces = true                                                                         \
    }

/* npy.c: what the header of an array of NumPy says, which begins at `at` of `bytes` bytes. */
typedef struct {
    char kind;      /* of the elements: i, u, f, b, S, ... as NumPy has it; '?': another one */
    unsigned bytes; /* of an element, 0 to 9 */
    bool fortran;
    int dims; /* -1: unknown, or more than 2 */
    uint64_t shape[2];
    uint64_t offset, left; /* where the elements begin in the file, and bytes from there on */
} graphfile_npy;
int graphfile_npy_read_header(const char *name, int fd, uint64_t at, uint64_t bytes,
                              graphfile_npy *a);

/* text_read.c: the lines that begin in a piece, with a newline and a NUL behind the last one. */
typedef struct {
    char *memory;
    const char *begin, *end;
    uint64_t piece;
    bool too_long; /* the line at `end` is longer than r->longest */
} graphfile_text;

int graphfile_text_load(const graphfile_reader *r, uint64_t piece, graphfile_text *text);
void graphfile_text_free(graphfile_text *text);
/* The end of the line that contains p, at most text->end. */
const char *graphfile_next_line(const graphfile_text *text, const char *p);

/* Copies n bytes of a file into a message: what could control a terminal becomes '?', and "..." the
 * end of what has no room in `size` bytes. */
void graphfile_printable(char *to, size_t size, const char *from, size_t n);

/* Fails with EDGEFILE_ERR_FORMAT and "NAME: line N: 'the line': what".  at: where the line begins.
 */
int graphfile_bad_line(graphfile_reader *r, const graphfile_text *text, const char *at,
                       const char *what);

/* The header of a text file: the first line that is neither empty nor begins with `comment`.
 * parse() takes what it says, and fails with graphfile_bad_line().  Edges begin behind it.
 * EDGEFILE_ERR_FORMAT: there is none; what: it would be one, for the message. */
typedef int graphfile_parse_header(graphfile_reader *r, const graphfile_text *text,
                                   const char *line);
int graphfile_read_header(graphfile_reader *r, char comment, const char *what,
                          graphfile_parse_header *parse);

/* Reads `least` to `most` numbers up to 2^62 behind blanks at p, to the end of the line.  Returns
 * how many there are; 0: they are something else. */
int graphfile_line_numbers(const char *p, int least, int most, uint64_t *values);

/* After the scan: are there as many entries as the file says? */
int graphfile_check_entries(const graphfile_reader *r);

/* names.c: the number that stands for a name, which the table has from now on; any thread.
 * EDGEFILE_ERR_FORMAT: another name has the same one; EDGEFILE_ERR_NOMEM. */
int graphfile_names_add(graphfile_name_table *n, const char *name, size_t length, uint64_t *id);

/* The end of the field at p, which a comma or the end of the line follows. */
static inline const char *graphfile_field_end(const char *p)
{
    for (bool quoted = false; *p != '\n' && (quoted || *p != ','); p++) {
        quoted ^= *p == '"';
    }
    return p;
}

/* text_read.c: lines of edges; formats with nothing but these share the read functions. */
int graphfile_text_parse(graphfile_reader *r, uint64_t piece, graphfile_batch *b);
int graphfile_text_open(graphfile_reader *r);
extern const graphfile_read_ops graphfile_text_read;

/* The readers of hdf5_read.c, metis.c and npy.c. */
extern const graphfile_read_ops graphfile_hdf5_read, graphfile_metis_read, graphfile_npy_read;

/* text_read.c: numbers. */

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
 * hold.  *whole: it is an int32.  *inexact: it is written as an integer that float32 does not hold
 * exactly. */
const char *graphfile_decimal(const char *p, double *value, bool *whole, bool *inexact);

/* Does float32 hold the integer m or -m exactly? */
static inline bool graphfile_fits_float(uint64_t m)
{
    return m <= (uint64_t)1 << 24 || m >> __builtin_ctzll(m) <= (uint64_t)1 << 24;
}

#endif
