/*
 * arrays.c - reading formats whose edges lie in arrays, at places that are known beforehand: a
 * piece is a range of edges.  Of compressed sparse rows (CSR), the sources are row pointers.
 */
#include "io/formats/reader.h"

#include <endian.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void graphfile_cut_edges(graphfile_reader *r, uint64_t edges, uint64_t edge_bytes, uint64_t unit)
{
    const uint64_t units = r->piece / edge_bytes / unit;

    r->array_edges = edges;
    r->piece_edges = units > 0 ? units * unit : unit;
    r->pieces = edges / r->piece_edges + (edges % r->piece_edges != 0);
}

static void graphfile_range(const graphfile_reader *r, uint64_t piece, uint64_t *first,
                            uint64_t *count)
{
    const uint64_t left = r->array_edges - piece * r->piece_edges;

    *first = piece * r->piece_edges;
    *count = left < r->piece_edges ? left : r->piece_edges;
}

int graphfile_check_rest(const graphfile_reader *r, const char *what)
{
    const uint64_t edge = r->about->edge_bytes, rest = r->bytes % edge;

    if (rest != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: byte %" PRIu64 ": %" PRIu64
                             " bytes behind the last %s, expected %ss of %" PRIu64 " bytes",
                             r->name, r->bytes - rest, rest, what, what, edge);
    }
    return EDGEFILE_OK;
}

/* Little-endian integers of 1 to 8 bytes, so many bytes apart; up to 8 bytes behind the last one's
 * first byte are read. */
static void widen(uint64_t *to, const unsigned char *from, uint64_t count, graphfile_element type,
                  uint64_t stride)
{
    const unsigned unused = 64 - 8 * type.bytes;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t value;

        memcpy(&value, from + i * stride, sizeof value);
        value = le64toh(value) << unused;
        to[i] = type.is_signed ? (uint64_t)((int64_t)value >> unused) : value >> unused;
    }
}

int graphfile_load_ids(const graphfile_reader *r, uint64_t offset, uint64_t count,
                       graphfile_element type, int columns, uint64_t *const to[])
{
    const size_t bytes = (size_t)(count * type.bytes) * (size_t)columns;
    unsigned char *memory = malloc(bytes + 8);
    int st;

    if (memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread(r, offset, memory, bytes);
    for (int i = 0; i < columns && st == EDGEFILE_OK; i++) {
        widen(to[i], memory + (size_t)i * type.bytes, count, type, (uint64_t)columns * type.bytes);
    }
    free(memory);
    return st;
}

static int bad_id(const graphfile_reader *r, uint64_t edge, int which, uint64_t id, bool is_signed)
{
    char text[24];

    snprintf(text, sizeof text, is_signed ? "%" PRId64 : "%" PRIu64, id);
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: edge %" PRIu64 ": %s is %s, expected 0 to %" PRIu64, r->name, edge,
                         r->names[which], text, r->highest[which]);
}

static bool is_float(double weight)
{
    return weight >= -FLT_MAX && weight <= FLT_MAX;
}

static int check_edges(const graphfile_reader *r, uint64_t first, uint64_t count,
                       const graphfile_edges *e, bool is_signed)
{
    bool right = true;

    for (uint64_t i = 0; i < count; i++) {
        right &= e->src[i] <= r->highest[0] && e->dst[i] <= r->highest[1];
    }
    for (uint64_t i = 0; i < count && e->weight != NULL; i++) {
        right &= is_float(e->weight[i]);
    }
    for (uint64_t i = 0; i < count && !right; i++) {
        const uint64_t src = e->src[i], dst = e->dst[i];

        if (src > r->highest[0] || dst > r->highest[1]) {
            const int which = src > r->highest[0] ? 0 : 1;

            return bad_id(r, first + i, which, which == 0 ? src : dst, is_signed);
        }
        if (e->weight != NULL && !is_float(e->weight[i])) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: edge %" PRIu64
                                 ": weight is %g, expected a number that float32 can hold",
                                 r->name, first + i, e->weight[i]);
        }
    }
    return EDGEFILE_OK;
}

static int put_edges(uint64_t count, const graphfile_edges *e, graphfile_batch *b)
{
    for (uint64_t at = 0, n; at < count; at += n) {
        const size_t room = GRAPHFILE_BATCH - b->n;

        n = count - at < room ? count - at : room;
        memcpy(b->src + b->n, e->src + at, n * sizeof *e->src);
        memcpy(b->dst + b->n, e->dst + at, n * sizeof *e->dst);
        for (uint64_t i = 0; i < n && e->weight != NULL; i++) {
            const double weight = e->weight[at + i];

            b->weight[b->n + i] = weight;
            b->floats |= !(weight >= INT32_MIN && weight <= INT32_MAX);
        }
        b->n += n;
        if (b->n == GRAPHFILE_BATCH) {
            EDGEFILE_TRY(b->take(b));
        }
    }
    return EDGEFILE_OK;
}

/* So many that their arrays stay in a core's cache. */
enum { RUN = 1 << 13 };

static int parse(const graphfile_reader *r, uint64_t piece, graphfile_batch *b,
                 graphfile_load *load, bool is_signed, uint64_t run, graphfile_edges *e)
{
    uint64_t first, count;

    graphfile_range(r, piece, &first, &count);
    for (uint64_t n; count > 0; first += n, count -= n) {
        n = count < run ? count : run;
        EDGEFILE_TRY(load(r, piece, first, n, e));
        EDGEFILE_TRY(check_edges(r, first, n, e, is_signed));
        EDGEFILE_TRY(put_edges(n, e, b));
    }
    return EDGEFILE_OK;
}

int graphfile_parse_edges(graphfile_reader *r, uint64_t piece, graphfile_batch *b,
                          graphfile_load *load, bool is_signed)
{
    const uint64_t run = r->whole_pieces || r->piece_edges < RUN ? r->piece_edges : RUN;
    graphfile_edges e = {0};
    bool enough;
    int st;

    e.src = malloc(run * sizeof *e.src);
    e.dst = malloc(run * sizeof *e.dst);
    e.weight = r->weights ? malloc(run * sizeof *e.weight) : NULL;
    enough = e.src != NULL && e.dst != NULL && (e.weight != NULL || !r->weights);
    st = enough ? parse(r, piece, b, load, is_signed, run, &e) : edgefile_no_memory(r->name);
    b->inexact += e.inexact;
    free(e.src);
    free(e.dst);
    free(e.weight);
    return st;
}

/*
 * The sources of edges that a file has as row pointers: element i is the number of the
 * edge with which row i begins.
 *
 * When the file is opened, all pointers are read once: are they in order, and in which row does
 * each piece begin?  From there on a piece reads the pointers that it needs.
 */

enum { BUFFER = 1 << 16 };

/* Pointers, read one after the other. */
typedef struct {
    uint64_t next, n, at; /* the first that is not in memory; those in memory; used of these */
    uint64_t pointer[BUFFER];
} stream;

static int next_row(const graphfile_reader *r, const graphfile_rows *x, stream *s,
                    uint64_t *pointer)
{
    if (s->at == s->n) {
        const uint64_t left = x->rows + 1 - s->next;

        s->n = left < BUFFER ? left : BUFFER;
        s->at = 0;
        EDGEFILE_TRY(x->get(r, s->next, s->n, s->pointer));
        s->next += s->n;
    }
    *pointer = s->pointer[s->at++];
    return EDGEFILE_OK;
}

static int disorder(const graphfile_reader *r, uint64_t i, uint64_t pointer, uint64_t least,
                    uint64_t most)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: row pointer %" PRIu64 " is %" PRIu64 ", expected %" PRIu64
                         " to %" PRIu64,
                         r->name, i, pointer, least, most);
}

static int see_all(const graphfile_reader *r, graphfile_rows *x, stream *s)
{
    uint64_t before, pointer, piece = 0;

    EDGEFILE_TRY(next_row(r, x, s, &before));
    if (before != 0) {
        return disorder(r, 0, before, 0, 0);
    }
    for (uint64_t row = 0; row < x->rows; row++) {
        const uint64_t least = row + 1 < x->rows ? before : r->array_edges;

        EDGEFILE_TRY(next_row(r, x, s, &pointer));
        if (pointer < least || pointer > r->array_edges) {
            return disorder(r, row + 1, pointer, least, r->array_edges);
        }
        for (; piece * r->piece_edges < pointer; piece++) {
            x->row[piece] = row;
        }
        before = pointer;
    }
    return EDGEFILE_OK;
}

int graphfile_rows_open(const graphfile_reader *r, graphfile_rows *x)
{
    stream *s = calloc(1, sizeof *s);
    int st;

    x->row = malloc((r->pieces + 1) * sizeof *x->row);
    st = s != NULL && x->row != NULL ? see_all(r, x, s) : edgefile_no_memory(r->name);
    if (st == EDGEFILE_OK && x->rows == 0 && r->array_edges > 0) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %" PRIu64 " edges, but no vertices",
                           r->name, r->array_edges);
    }
    free(s);
    return st;
}

static int fill_rows(const graphfile_reader *r, const graphfile_rows *x, stream *s, uint64_t piece,
                     uint64_t *src)
{
    uint64_t first, count, row = x->row[piece], end;

    graphfile_range(r, piece, &first, &count);
    s->next = row + 1;
    EDGEFILE_TRY(next_row(r, x, s, &end));
    for (uint64_t i = 0; i < count; i++) {
        while (first + i >= end) {
            if (++row == x->rows) { /* the pointers were in order before */
                return edgefile_fail(EDGEFILE_ERR_IO, "%s: changed while it was read", r->name);
            }
            EDGEFILE_TRY(next_row(r, x, s, &end));
        }
        src[i] = row;
    }
    return EDGEFILE_OK;
}

int graphfile_rows_fill(const graphfile_reader *r, const graphfile_rows *x, uint64_t piece,
                        uint64_t *src)
{
    stream *s = malloc(sizeof *s);
    int st;

    if (s == NULL) {
        return edgefile_no_memory(r->name);
    }
    s->n = s->at = 0;
    st = fill_rows(r, x, s, piece, src);
    free(s);
    return st;
}

/* Compressed sparse rows. */

int graphfile_csr_begin(graphfile_reader *r, graphfile_csr **out)
{
    graphfile_csr *x = calloc(1, sizeof *x);

    r->state = *out = x;
    if (x == NULL) {
        return edgefile_no_memory(r->name);
    }
    x->fd[0] = x->fd[1] = -1;
    x->scale = 1;
    return EDGEFILE_OK;
}

void graphfile_csr_close(graphfile_reader *r)
{
    graphfile_csr *x = r->state;

    for (int i = 0; x != NULL && i < 2; i++) {
        if (x->fd[i] >= 0) {
            close(x->fd[i]);
        }
    }
    if (x != NULL) {
        free(x->rows.row);
        free(x->index);
        free(x);
    }
}

/* Elements of an array, integers or the bits of floats. */
static int get_numbers(const graphfile_reader *r, const graphfile_array *a, uint64_t first,
                       uint64_t count, uint64_t *to)
{
    const graphfile_csr *x = r->state;
    const uint64_t stride = a->stride != 0 ? a->stride : a->type.bytes;
    const size_t bytes = count > 0 ? (size_t)((count - 1) * stride + a->type.bytes) : 0;
    unsigned char *memory;
    int st;

    if (x->get != NULL) {
        return x->get(r, a->at + first, count, to);
    }
    memory = malloc(bytes + 8);
    if (memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread_file(r->name, a->file > 0 ? x->fd[a->file - 1] : r->fd,
                              a->at + first * stride, memory, bytes);
    if (st == EDGEFILE_OK) {
        widen(to, memory, count, a->type, stride);
    }
    free(memory);
    return st;
}

/* Pointers as numbers of edges; a format may leave out the first one, or the last one. */
static int get_csr_pointers(const graphfile_reader *r, uint64_t first, uint64_t count,
                            uint64_t *pointers)
{
    const graphfile_csr *x = r->state;
    const uint64_t begin = first < x->first ? x->first : first;
    const uint64_t end = first + count - (x->no_last && first + count > x->rows.rows);

    if (first < begin) {
        pointers[0] = 0;
    }
    if (end < first + count) {
        pointers[count - 1] = r->array_edges;
    }
    if (end <= begin) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(
        get_numbers(r, &x->pointers, begin - x->first, end - begin, pointers + begin - first));
    for (uint64_t i = begin - first; i < end - first && x->scale > 1; i++) {
        const uint64_t bytes = pointers[i] - x->base;

        pointers[i] = bytes % x->scale == 0 ? bytes / x->scale : UINT64_MAX;
    }
    return EDGEFILE_OK;
}

int graphfile_csr_open(graphfile_reader *r, uint64_t rows, uint64_t cols, uint64_t edges)
{
    graphfile_csr *x = r->state;
    const bool wide = !x->dst.type.is_signed && x->dst.type.bytes == 8;

    x->rows.get = get_csr_pointers;
    x->rows.rows = rows;
    r->rows = x->by_columns ? cols : rows;
    r->cols = x->by_columns ? rows : cols;
    r->told = true;
    r->highest[0] = r->rows - (r->rows > 0);
    r->highest[1] = r->cols - (r->cols > 0);
    r->weights = x->weight.type.bytes > 0;
    r->reals = x->weight.is_float;
    r->untold = r->weights && r->about->facts.traits & GRAPHFILE_BARE_WEIGHTS;
    r->least_id_bytes = wide ? 8 : 4;
    r->whole_pieces = true;
    graphfile_cut_edges(r, edges, 8, 1);
    return graphfile_rows_open(r, &x->rows);
}

int graphfile_csr_refuse(const graphfile_reader *r, uint64_t vertices, uint64_t edges)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: has %" PRIu64 " bytes, which are not the %" PRId64
                         " vertices and %" PRId64 " edges that its header says",
                         r->name, r->bytes, (int64_t)vertices, (int64_t)edges);
}

/* Weights, of which the bits are in their places already. */
static void convert_weights(const graphfile_csr *x, uint64_t count, graphfile_edges *e)
{
    const graphfile_element type = x->weight.type;

    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits;
        float narrow;

        memcpy(&bits, &e->weight[i], sizeof bits);
        if (!x->weight.is_float) {
            e->weight[i] = type.is_signed ? (double)(int64_t)bits : (double)bits;
            e->inexact += !graphfile_fits_float(type.is_signed && bits >> 63 ? 0 - bits : bits);
        } else if (type.bytes == 4) {
            const uint32_t half = (uint32_t)bits;

            memcpy(&narrow, &half, sizeof narrow);
            e->weight[i] = (double)narrow;
        }
    }
}

static int load_csr(const graphfile_reader *r, uint64_t piece, uint64_t first, uint64_t count,
                    graphfile_edges *e)
{
    const graphfile_csr *x = r->state;

    EDGEFILE_TRY(get_numbers(r, &x->dst, first, count, x->by_columns ? e->src : e->dst));
    EDGEFILE_TRY(graphfile_rows_fill(r, &x->rows, piece, x->by_columns ? e->dst : e->src));
    if (r->weights) {
        EDGEFILE_TRY(get_numbers(r, &x->weight, first, count, (uint64_t *)e->weight));
        convert_weights(x, count, e);
    }
    return EDGEFILE_OK;
}

int graphfile_csr_parse(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    return graphfile_parse_edges(r, piece, b, load_csr,
                                 ((const graphfile_csr *)r->state)->dst.type.is_signed);
}
