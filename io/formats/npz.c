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
 *
 * Archives of other programs are read from their directory at the end.  Members are checked by
 * their CRC-32, and those that are compressed decompressed into a file without a name.
 */
#include "io/formats/reader.h"
#include "io/small_file.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

/* What the directory says of a member; where its bytes are. */
typedef struct {
    uint64_t packed, bytes, at;
    uint32_t crc;
    bool found, deflated;
    int file; /* 1: it is in the file of decompressed members */
} entry;

enum {
    EOCD = 22,
    COMMENT = 1 << 16,
    DIRECTORY = 1 << 16,
    CHUNK = 1 << 16,
    LOCAL_SHORT = 30,
    ENTRY_SHORT = 46
};

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, (size_t)bytes);
    return le64toh(value);
}

static int bad_archive(const graphfile_reader *r, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: archive of SciPy: %s", r->name, what);
}

/* Where the directory is, and how long. */
static int find_directory(const graphfile_reader *r, uint64_t *at, uint64_t *bytes)
{
    const size_t n = r->bytes < EOCD + COMMENT ? (size_t)r->bytes : EOCD + COMMENT;
    const uint64_t from = r->bytes - n;
    unsigned char *tail = malloc(n + 1), form[56];
    size_t i = n >= EOCD ? n - EOCD + 1 : 0;
    int st = tail != NULL ? graphfile_pread(r, from, tail, n) : edgefile_no_memory(r->name);

    *bytes = 0;
    while (st == EDGEFILE_OK && i-- > 0 && *bytes == 0) {
        if (number(tail + i, 4) != 0x06054b50) {
            continue;
        }
        *bytes = number(tail + i + 12, 4);
        *at = number(tail + i + 16, 4);
        if (*at == UINT32_MAX && i >= 20 && number(tail + i - 20, 4) == 0x07064b50) {
            const uint64_t record = number(tail + i - 12, 8);

            if (record > r->bytes || r->bytes - record < sizeof form) {
                break;
            }
            st = graphfile_pread(r, record, form, sizeof form);
            *bytes = number(form + 40, 8);
            *at = number(form + 48, 8);
        }
    }
    free(tail);
    if (st == EDGEFILE_OK &&
        (*bytes == 0 || *bytes > DIRECTORY || *at > r->bytes || *bytes > r->bytes - *at)) {
        return bad_archive(r, "has no directory at its end of up to 65536 bytes, or is cut off");
    }
    return st;
}

/* Numbers that have no room in an entry stand in its 64-bit form. */
static void read_form(const unsigned char *p, const unsigned char *end, uint64_t *const field[3])
{
    for (uint64_t n; end - p >= 4 && (n = number(p + 2, 2)) <= (uint64_t)(end - p) - 4;
         p += 4 + n) {
        const unsigned char *value = p + 4;

        for (int i = 0; i < 3 && number(p, 2) == 1; i++) {
            if (*field[i] == UINT32_MAX && p + 4 + n - value >= 8) {
                *field[i] = number(value, 8);
                value += 8;
            }
        }
    }
}

static int read_entries(const graphfile_reader *r, const unsigned char *p, uint64_t left,
                        entry e[MEMBERS])
{
    for (uint64_t bytes; left >= ENTRY_SHORT && number(p, 4) == 0x02014b50;
         p += bytes, left -= bytes) {
        const uint64_t length = number(p + 28, 2), extra = number(p + 30, 2);
        unsigned char local[LOCAL_SHORT];

        bytes = ENTRY_SHORT + length + extra + number(p + 32, 2);
        if (bytes > left) {
            break;
        }
        for (int i = 0; i < MEMBERS; i++) {
            entry *m = &e[i];

            if (strlen(names[i]) != length || memcmp(p + ENTRY_SHORT, names[i], length) != 0 ||
                m->found) {
                continue;
            }
            *m = (entry){number(p + 20, 4),
                         number(p + 24, 4),
                         number(p + 42, 4),
                         (uint32_t)number(p + 16, 4),
                         true,
                         number(p + 10, 2) == 8,
                         0};
            read_form(p + ENTRY_SHORT + length, p + ENTRY_SHORT + length + extra,
                      (uint64_t *const[]){&m->bytes, &m->packed, &m->at});
            if (m->at > r->bytes || r->bytes - m->at < LOCAL_SHORT || number(p + 8, 2) & 1 ||
                (!m->deflated && number(p + 10, 2) != 0)) {
                return bad_archive(r,
                                   "a member is encrypted, compressed otherwise than by deflate, "
                                   "or beyond the end");
            }
            EDGEFILE_TRY(graphfile_pread(r, m->at, local, sizeof local));
            m->at += LOCAL_SHORT + number(local + 26, 2) + number(local + 28, 2);
            if (m->at > r->bytes || m->packed > r->bytes - m->at ||
                (!m->deflated && m->packed != m->bytes)) {
                return bad_archive(r, "a member is beyond the end");
            }
        }
    }
    return EDGEFILE_OK;
}

/* Bytes to the file of decompressed members, from *end on, or nowhere; and into the checksum. */
static int take(const graphfile_reader *r, entry *m, const void *data, size_t n, uint64_t *end,
                uint32_t *crc)
{
    *crc = graphfile_crc(*crc, data, n);
    for (size_t done = 0; m->deflated && done < n;) {
        const ssize_t k = pwrite(((const graphfile_csr *)r->state)->fd[0],
                                 (const char *)data + done, n - done, (off_t)(*end + done));

        if (k <= 0) {
            return edgefile_fail(EDGEFILE_ERR_IO, "%s: a decompressed copy: %m", r->name);
        }
        done += (size_t)k;
    }
    *end += n;
    return EDGEFILE_OK;
}

/* Checks a member, and decompresses it if it is compressed. */
static int check_member(const graphfile_reader *r, entry *m, uint64_t *end)
{
    unsigned char *buffer = malloc(2 * CHUNK), *const out = buffer + CHUNK;
    const uint64_t begin = m->deflated ? *end : 0;
    uint64_t done = 0, at = begin;
    z_stream z = {0};
    uint32_t crc = 0;
    int st = buffer != NULL ? EDGEFILE_OK : edgefile_no_memory(r->name), rc = Z_OK;

    if (st == EDGEFILE_OK && m->deflated && inflateInit2(&z, -15) != Z_OK) {
        st = edgefile_no_memory(r->name);
    }
    for (size_t n; done < m->packed && st == EDGEFILE_OK && rc == Z_OK; done += n) {
        n = m->packed - done < CHUNK ? (size_t)(m->packed - done) : CHUNK;
        st = graphfile_pread(r, m->at + done, buffer, n);
        z.next_in = buffer;
        z.avail_in = (uInt)n;
        if (st == EDGEFILE_OK && !m->deflated) {
            st = take(r, m, buffer, n, &at, &crc);
        }
        do {
            z.next_out = out;
            z.avail_out = CHUNK;
            rc = m->deflated && st == EDGEFILE_OK ? inflate(&z, Z_NO_FLUSH) : rc;
            rc = rc == Z_BUF_ERROR ? Z_OK : rc;
            if (m->deflated && at - begin + (CHUNK - z.avail_out) <= m->bytes) {
                st = st == EDGEFILE_OK ? take(r, m, out, CHUNK - z.avail_out, &at, &crc) : st;
            } else if (m->deflated) {
                rc = Z_DATA_ERROR;
            }
        } while (z.avail_out == 0 && st == EDGEFILE_OK && rc == Z_OK);
    }
    inflateEnd(&z);
    free(buffer);
    if (st == EDGEFILE_OK && (at - begin != m->bytes || crc != m->crc)) {
        return bad_archive(r, "a member is damaged: its checksum or its length is wrong");
    }
    if (m->deflated) {
        m->at = begin;
        m->file = 1;
        *end = at;
    }
    return st;
}

/* The header of an array, a number or, with dims 1, *length of them; of one of these types. */
static int open_array(const graphfile_reader *r, const entry *m, const char *kinds, int dims,
                      graphfile_array *a, uint64_t *length)
{
    const int fd = m->file > 0 ? ((const graphfile_csr *)r->state)->fd[0] : r->fd;
    graphfile_npy h = {0};

    EDGEFILE_TRY(graphfile_npy_read_header(r->name, fd, m->at, m->bytes, &h));
    *length = dims > 0 ? h.shape[0] : 1;
    if (h.dims != dims || strchr(kinds, h.kind) == NULL || h.bytes < 1 || h.bytes > 8 ||
        *length > h.left || *length * h.bytes > h.left || (h.kind == 'f' && h.bytes < 4)) {
        return bad_archive(r, "an array has another type or shape than SciPy's matrices of numbers "
                              "have, or less data");
    }
    *a = (graphfile_array){h.offset, .type = {h.bytes, h.kind == 'i'}, .is_float = h.kind == 'f',
                           .file = m->file};
    return EDGEFILE_OK;
}

static int open_members(graphfile_reader *r, const entry e[MEMBERS])
{
    graphfile_csr *x = r->state;
    graphfile_array format, shape;
    uint64_t one, two, edges, pointers, weights, size[2] = {0}, kind = 0;
    const int *fd = &r->fd;

    EDGEFILE_TRY(open_array(r, &e[FORMAT], "S", 0, &format, &one));
    EDGEFILE_TRY(open_array(r, &e[SHAPE], "iu", 1, &shape, &two));
    EDGEFILE_TRY(open_array(r, &e[INDICES], "iu", 1, &x->dst, &edges));
    EDGEFILE_TRY(open_array(r, &e[INDPTR], "iu", 1, &x->pointers, &pointers));
    EDGEFILE_TRY(open_array(r, &e[DATA], "iubf", 1, &x->weight, &weights));
    fd = format.file > 0 ? &x->fd[0] : fd;
    EDGEFILE_TRY(graphfile_pread_file(r->name, *fd, format.at, &kind, 3));
    fd = shape.file > 0 ? &x->fd[0] : &r->fd;
    for (uint64_t i = 0; i < 2 && two == 2; i++) {
        EDGEFILE_TRY(graphfile_pread_file(r->name, *fd, shape.at + i * shape.type.bytes, &size[i],
                                          shape.type.bytes));
        size[i] = le64toh(size[i]);
    }
    x->by_columns = memcmp(&kind, "csc", 3) == 0;
    if (format.type.bytes != 3 || (!x->by_columns && memcmp(&kind, "csr", 3) != 0)) {
        return bad_archive(r, "is not of the format csr or csc; A.tocsr() makes it so");
    }
    if (two != 2 || size[0] > GRAPHFILE_HIGHEST || size[1] > GRAPHFILE_HIGHEST ||
        pointers != size[x->by_columns] + 1 || weights != edges) {
        return bad_archive(r, "its arrays do not have the lengths that its shape wants");
    }
    return graphfile_csr_open(r, size[x->by_columns], size[!x->by_columns], edges);
}

static int open_to_read(graphfile_reader *r)
{
    entry e[MEMBERS] = {0};
    uint64_t at = 0, bytes = 0, end = 0;
    unsigned char *directory;
    graphfile_csr *x;
    int st;

    EDGEFILE_TRY(graphfile_csr_begin(r, &x));
    EDGEFILE_TRY(find_directory(r, &at, &bytes));
    directory = malloc(bytes);
    st = directory != NULL ? graphfile_pread(r, at, directory, bytes) : edgefile_no_memory(r->name);
    st = st == EDGEFILE_OK ? read_entries(r, directory, bytes, e) : st;
    free(directory);
    for (int i = 0; i < MEMBERS && st == EDGEFILE_OK; i++) {
        if (!e[i].found) {
            return bad_archive(r, "lacks an array of a matrix in CSR or CSC: format, shape, "
                                  "indices, indptr, data; A.tocsr() makes one of others");
        }
        if (e[i].deflated && x->fd[0] < 0) {
            const char *folder = edgefile_spool_folder(NULL);

            x->fd[0] = edgefile_unnamed_file(folder);
            if (x->fd[0] < 0) {
                return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: a decompressed copy of %s: %m", folder,
                                     r->name);
            }
        }
        st = check_member(r, &e[i], &end);
    }
    return st == EDGEFILE_OK ? open_members(r, e) : st;
}

static const graphfile_read_ops read_ops = GRAPHFILE_CSR_READ(open_to_read);

const graphfile_descriptor graphfile_npz_format = {
    .facts = {"npz", ".npz", "SciPy's sparse matrix (CSR) for load_npz()",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_NEEDS_SORTED},
    .write = &write_ops,
    .read = &read_ops,
    .edge_bytes = 8,
    .length = length,
};
