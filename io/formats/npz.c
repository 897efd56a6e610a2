/*
 * npz.c - npz: a sparse matrix as SciPy's save_npz() stores it and load_npz() takes it: a ZIP
 * archive of NumPy's arrays, here stored as they are.  The arrays are format (csr), shape, indices,
 * indptr and data.  Numbers of vertices and edges have 32 bits if all of them fit, else 64, as
 * SciPy has them.  The values of a graph without weights are ones (float32), as in Python's
 * rmat.Graph.csr().
 *
 * Arrays begin on a page, for which the headers in front of them are padded, and all sizes are
 * written in ZIP's 64-bit form.  A ZIP archive has a CRC-32 of every member: those of the pieces
 * are computed while these are in memory and joined at the end, when the headers are written.
 */
#include "io/formats/writer.h"

#include <inttypes.h>
#ifdef RMAT_HAVE_ISAL
#include <isa-l/crc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FORMAT, SHAPE, INDICES, INDPTR, DATA, MEMBERS };

/* Bytes of ZIP's records: of the header of a member and its entry in the directory without the
 * name, and of the end of the archive. */
enum { LOCAL = 50, ENTRY = 74, END = 98, ARRAY_HEADER = 128 };

static const char *const names[MEMBERS] = {"format.npy", "shape.npy", "indices.npy", "indptr.npy",
                                           "data.npy"};

typedef struct {
    const char *name, *type;
    char shape[24];
    uint64_t at, header, bytes; /* where it begins; bytes of its headers, and of the array */
    uint32_t crc;
} member;

typedef struct {
    member member[MEMBERS];
    int width;    /* of indices and pointers */
    uint64_t end; /* of the last member */
} npz;

uint32_t graphfile_crc(uint32_t crc, const void *data, size_t bytes)
{
#ifdef RMAT_HAVE_ISAL /* about three times as fast */
    return crc32_gzip_refl(crc, data, bytes);
#else
    return (uint32_t)crc32_z(crc, data, bytes);
#endif
}

static size_t local_bytes(const member *m)
{
    return LOCAL + strlen(m->name);
}

static uint64_t array_at(const member *m)
{
    return m->at + m->header;
}

static npz lay_out(const graphfile_graph *g)
{
    const bool narrow = g->edges <= INT32_MAX && g->rows <= INT32_MAX && g->cols <= INT32_MAX;
    const char *ids = narrow ? "<i4" : "<i8";
    const uint64_t width = narrow ? 4 : 8;
    const struct {
        const char *type;
        uint64_t length, element;
    } arrays[] = {{"|S3", 1, 3},
                  {"<i8", 2, 8},
                  {ids, g->edges, width},
                  {ids, g->rows + 1, width},
                  {g->weight == EDGEFILE_WEIGHT_I32 ? "<i4" : "<f4", g->edges, 4}};
    npz x = {.width = narrow ? 4 : 8};

    for (int i = 0; i < MEMBERS; i++) {
        member *m = &x.member[i];

        *m = (member){.name = names[i], .type = arrays[i].type, .at = x.end};
        if (i != FORMAT) {
            snprintf(m->shape, sizeof m->shape, "%" PRIu64 ",", arrays[i].length);
        }
        m->bytes = arrays[i].length * arrays[i].element;
        m->header = local_bytes(m) + ARRAY_HEADER;
        if (i >= INDICES) {
            m->header += (0 - array_at(m)) % GRAPHFILE_PAGE;
        }
        x.end = array_at(m) + m->bytes;
    }
    return x;
}

static uint64_t length(const graphfile_graph *g)
{
    const npz x = lay_out(g);
    uint64_t bytes = x.end + END;

    for (int i = 0; i < MEMBERS; i++) {
        bytes += ENTRY + strlen(x.member[i].name);
    }
    return bytes;
}

static int open_npz(graphfile_writer *w)
{
    const npz x = lay_out(&w->spec.graph);

    w->rows = (graphfile_pointers){.file = &w->file,
                                   .last = w->spec.graph.rows,
                                   .offset = array_at(&x.member[INDPTR]),
                                   .scale = 1,
                                   .width = x.width,
                                   .sums = true};
    graphfile_plain_reserve(&w->file, length(&w->spec.graph));
    return EDGEFILE_OK;
}

static void put_values(const graphfile_piece *p, float *to)
{
    if (p->weight != NULL) {
        memcpy(to, p->weight, 4 * p->count);
        return;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        to[i] = 1;
    }
}

static int write_array(graphfile_writer *w, const graphfile_piece *p, const npz *x, int which)
{
    const size_t width = which == INDICES ? (size_t)x->width : 4, bytes = width * p->count;
    graphfile_buffer *b;
    void *to = graphfile_open_chunk(w, &b, bytes);
    int st = EDGEFILE_OK;

    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    if (which == INDICES) {
        st = graphfile_convert_ids(w, to, p->dst, p->count, x->width);
    } else {
        put_values(p, to);
    }
    graphfile_set_sum(w, p, which == INDICES ? GRAPHFILE_SUM_IDS : GRAPHFILE_SUM_WEIGHTS,
                      graphfile_crc(0, to, bytes));
    return graphfile_close_chunk(w, &w->file, array_at(&x->member[which]) + width * p->first, b,
                                 st);
}

static int write_npz(graphfile_writer *w, const graphfile_piece *p)
{
    const npz x = lay_out(&w->spec.graph);

    if (p->count == 0) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(graphfile_write_rows(w, p));
    EDGEFILE_TRY(write_array(w, p, &x, INDICES));
    return write_array(w, p, &x, DATA);
}

/* Goes on with the checksum over the pieces of an array. */
static void join_sums(const graphfile_writer *w, member *m, int which)
{
    const uint64_t element = w->spec.graph.edges > 0 ? m->bytes / w->spec.graph.edges : 0;

    for (uint64_t k = 0; k < w->n_ends; k++) {
        m->crc = (uint32_t)crc32_combine(m->crc, w->ends[k].sum[which],
                                         (z_off_t)(w->ends[k].count * element));
    }
}

/* ZIP's records consist of words of 16 bits; numbers of 32 and 64 bits begin with the lowest. */
#define WORDS_32(x) (uint16_t)(x), (uint16_t)((x) >> 16)
#define WORDS_64(x) WORDS_32(x), WORDS_32((x) >> 32)
#define ELSEWHERE   0xffff, 0xffff /* the number stands in the 64-bit form */
enum { ZIP64 = 45, DATE = 0x21 };  /* the version that has that form; 1980-01-01 */

static int put(graphfile_buffer *b, const void *data, size_t bytes)
{
    char *to = graphfile_reserve(b, bytes);

    if (to == NULL) {
        return edgefile_no_memory(NULL);
    }
    memcpy(to, data, bytes);
    b->bytes += bytes;
    return EDGEFILE_OK;
}

/* What stands in front of a member, or its entry in the directory. */
static int put_record(graphfile_buffer *b, const member *m, bool entry)
{
    const uint64_t bytes = m->header - local_bytes(m) + m->bytes;
    const size_t form_bytes = entry ? 24 : 16;
    const uint16_t start[] = {WORDS_32(entry ? 0x02014b50 : 0x04034b50), ZIP64};
    const uint16_t words[] = {/* clang-format off */
        ZIP64, 0, 0, 0, DATE, WORDS_32(m->crc), ELSEWHERE, ELSEWHERE,
        (uint16_t)strlen(m->name), (uint16_t)(form_bytes + 4)}; /* clang-format on */
    const uint16_t rest[] = {0, 0, 0, 0, 0, ELSEWHERE};
    const uint16_t form[] = {1, (uint16_t)form_bytes, WORDS_64(bytes), WORDS_64(bytes),
                             WORDS_64(m->at)};

    EDGEFILE_TRY(put(b, start, entry ? 6 : 4));
    EDGEFILE_TRY(put(b, words, sizeof words));
    EDGEFILE_TRY(put(b, rest, entry ? sizeof rest : 0));
    EDGEFILE_TRY(put(b, m->name, strlen(m->name)));
    return put(b, form, form_bytes + 4);
}

/* The directory, and the records that say where it is: one of 64 bits, where that is, and the usual
 * one, which is the last of the file. */
static int put_directory(graphfile_buffer *b, const npz *x)
{
    const uint64_t count = MEMBERS, record = 44;
    uint64_t bytes;

    for (int i = 0; i < MEMBERS; i++) {
        EDGEFILE_TRY(put_record(b, &x->member[i], true));
    }
    bytes = b->bytes;
    const uint16_t words[] = {/* clang-format off */
        WORDS_32(0x06064b50), WORDS_64(record), ZIP64, ZIP64, 0, 0, 0, 0,
        WORDS_64(count), WORDS_64(count), WORDS_64(bytes), WORDS_64(x->end),
        WORDS_32(0x07064b50), 0, 0, WORDS_64(x->end + bytes), 1, 0,
        WORDS_32(0x06054b50), 0, 0, MEMBERS, MEMBERS, ELSEWHERE, ELSEWHERE, 0}; /* clang-format on */
    return put(b, words, sizeof words);
}

/* All of a member but the pieces that are there already. */
static int complete(graphfile_writer *w, npz *x, int i, graphfile_buffer *b)
{
    member *m = &x->member[i];
    const uint64_t shape[] = {w->spec.graph.rows, w->spec.graph.cols};
    const void *small = i == FORMAT ? (const void *)"csr" : shape;
    const size_t bytes = m->header - local_bytes(m);
    char array[2 * GRAPHFILE_PAGE];

    graphfile_npy_header(array, bytes, m->type, m->shape);
    m->crc = w->rows.crc = graphfile_crc(0, array, bytes);
    if (i == INDPTR) {
        EDGEFILE_TRY(graphfile_finish_rows(w));
        m->crc = w->rows.crc;
    } else if (i >= INDICES) {
        join_sums(w, m, i == INDICES ? GRAPHFILE_SUM_IDS : GRAPHFILE_SUM_WEIGHTS);
    } else {
        m->crc = graphfile_crc(m->crc, small, m->bytes);
        EDGEFILE_TRY(graphfile_plain_write(&w->file, array_at(m), small, m->bytes));
    }
    graphfile_empty(b);
    EDGEFILE_TRY(put_record(b, m, false));
    EDGEFILE_TRY(put(b, array, bytes));
    return graphfile_plain_write(&w->file, m->at, b->data, b->bytes);
}

static int finish_npz(graphfile_writer *w)
{
    npz x = lay_out(&w->spec.graph);
    graphfile_buffer b = {0};
    int st = EDGEFILE_OK;

    if (!graphfile_is_first(w)) {
        return EDGEFILE_OK;
    }
    for (int i = 0; i < MEMBERS && st == EDGEFILE_OK; i++) {
        st = complete(w, &x, i, &b);
    }
    graphfile_empty(&b);
    if (st == EDGEFILE_OK) {
        st = put_directory(&b, &x);
    }
    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(&w->file, x.end, b.data, b.bytes);
    }
    graphfile_buffer_free(&b);
    return st;
}

static const graphfile_write_ops write_ops = {
    .open = open_npz, .write = write_npz, .finish = finish_npz};

const graphfile_descriptor graphfile_npz_format = {
    .facts = {"npz", ".npz", "SciPy's sparse matrix (CSR) for load_npz()",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_SORTED},
    .write = &write_ops,
    .edge_bytes = 8,
    .length = length,
};
