/*
 * arrays.c - reading formats whose edges lie in arrays, at places that are known beforehand: a
 * piece is a range of edges.
 */
#include "io/formats/reader.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void graphfile_cut_edges(graphfile_reader *r, uint64_t edges, uint64_t edge_bytes, uint64_t unit)
{
    const uint64_t units = r->piece / edge_bytes / unit;

    r->array_edges = edges;
    r->piece_edges = units > 0 ? units * unit : unit;
    r->pieces = edges / r->piece_edges + (edges % r->piece_edges != 0);
}

void graphfile_range(const graphfile_reader *r, uint64_t piece, uint64_t *first, uint64_t *count)
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

/* Elements of 4 or 8 bytes, of which every stride-th is taken. */
static void widen(uint64_t *to, const unsigned char *from, uint64_t count, graphfile_element type,
                  uint64_t stride)
{
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *at = from + i * stride * type.bytes;
        uint64_t wide;
        uint32_t narrow;

        if (type.bytes == 8) {
            memcpy(&wide, at, sizeof wide);
            to[i] = le64toh(wide);
        } else {
            memcpy(&narrow, at, sizeof narrow);
            narrow = le32toh(narrow);
            to[i] = type.is_signed ? (uint64_t)(int64_t)(int32_t)narrow : narrow;
        }
    }
}

int graphfile_load_ids(const graphfile_reader *r, uint64_t offset, uint64_t count,
                       graphfile_element type, int columns, uint64_t *const to[])
{
    const size_t bytes = (size_t)(count * type.bytes) * (size_t)columns;
    unsigned char *memory = malloc(bytes + 1);
    int st;

    if (memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread(r, offset, memory, bytes);
    for (int i = 0; i < columns && st == EDGEFILE_OK; i++) {
        widen(to[i], memory + (size_t)i * type.bytes, count, type, (uint64_t)columns);
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

static int check_edges(const graphfile_reader *r, uint64_t first, uint64_t count,
                       const graphfile_edges *e, bool is_signed)
{
    bool right = true;

    for (uint64_t i = 0; i < count; i++) {
        right &= e->src[i] <= r->highest[0] && e->dst[i] <= r->highest[1];
    }
    for (uint64_t i = 0; i < count && e->weight != NULL; i++) {
        right &= isfinite(e->weight[i]) != 0;
    }
    for (uint64_t i = 0; i < count && !right; i++) {
        const uint64_t src = e->src[i], dst = e->dst[i];

        if (src > r->highest[0] || dst > r->highest[1]) {
            const int which = src > r->highest[0] ? 0 : 1;

            return bad_id(r, first + i, which, which == 0 ? src : dst, is_signed);
        }
        if (e->weight != NULL && !isfinite(e->weight[i])) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: edge %" PRIu64 ": weight is %g, expected a finite number",
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
