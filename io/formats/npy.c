/*
 * npy.c - npy: NumPy's array format.  An array of shape (2, edges): all sources, then all
 * destinations.  Written in version 1.0.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The header fills a page, so that the first array begins on one and O_DIRECT can write it. */
enum { HEADER = 4096, PREFIX = 10 };

static const char magic[8] = "\x93NUMPY\x01";

static uint64_t length(const graphfile_graph *g)
{
    return HEADER + 2 * (uint64_t)g->id_bytes * g->edges;
}

void graphfile_npy_header(char *header, size_t bytes, const char *type, const char *shape)
{
    const int n = snprintf(header + PREFIX, bytes - PREFIX,
                           "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);

    memcpy(header, magic, sizeof magic);
    header[8] = (char)((bytes - PREFIX) % 256);
    header[9] = (char)((bytes - PREFIX) / 256);
    memset(header + PREFIX + n, ' ', bytes - PREFIX - (size_t)n);
    header[bytes - 1] = '\n';
}

static int begin_npy(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    char header[HEADER], type[8], shape[32];

    snprintf(type, sizeof type, "<%c%d", g->signed_ids ? 'i' : 'u', g->id_bytes);
    snprintf(shape, sizeof shape, "2, %" PRIu64, g->edges);
    graphfile_npy_header(header, HEADER, type, shape);
    graphfile_plain_reserve(&w->file, length(g));
    return graphfile_plain_write(&w->file, 0, header, HEADER);
}

static int write_npy(graphfile_writer *w, const graphfile_piece *p)
{
    const int width = w->spec.graph.id_bytes;
    const uint64_t at = HEADER + p->first * (uint64_t)width;

    EDGEFILE_TRY(graphfile_write_column(w, at, p->src, p->count, width));
    return graphfile_write_column(w, at + w->spec.graph.edges * (uint64_t)width, p->dst, p->count,
                                  width);
}

static bool is_npy(const void *start, size_t count)
{
    return count >= 6 && memcmp(start, magic, 6) == 0; /* of any version */
}

static const graphfile_write_ops write_ops = {.open = begin_npy, .write = write_npy};

const graphfile_descriptor graphfile_npy_format = {
    .facts = {"npy", ".npy", "NumPy, shape (2, edges)",
              GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS},
    .write = &write_ops,
    .read = &graphfile_npy_read,
    .edge_bytes = 8,
    .length = length,
    .recognise = is_npy,
};

/*
 * Reads NumPy's arrays of integers as edges: shape (2, edges) or (edges, 2), in either
 * order of dimensions, versions 1 to 3 of the format.
 *
 * The header is a dictionary in Python's notation, with the keys descr, fortran_order and shape.
 * What matters for the edges is only whether the sources lie side by side, or take turns with the
 * destinations.
 */

enum { READ_PREFIX = 12, MOST = 1 << 16 }; /* bytes of the longest prefix; of the header */

typedef struct {
    graphfile_element type;
    uint64_t offset; /* of the data */
    bool by_turns;   /* src, dst, src, dst, ... */
} npy_array;

static int bad_header(const char *name, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: header of NumPy's format: %s", name, what);
}

/* The value of a key, or NULL: it is not there. */
static const char *value_of(const char *header, const char *key)
{
    const char *p = strstr(header, key);

    if (p == NULL) {
        return NULL;
    }
    p += strlen(key);
    p += strspn(p, " ");
    return *p == ':' ? p + 1 + strspn(p + 1, " ") : NULL;
}

/* Reads "()", "(A,)" or "(A, B)". */
static bool parse_shape(const char *p, graphfile_npy *a)
{
    if (p == NULL || *p++ != '(') {
        return false;
    }
    for (a->dims = 0; a->dims < 2; a->dims++) {
        const char *start = p + strspn(p, " ");

        p = graphfile_digits(start, &a->shape[a->dims]);
        if (p == start) {
            break;
        }
        p += strspn(p, " ");
        if (*p == ',') {
            p += 1 + strspn(p + 1, " ");
        } else if (a->dims == 0) {
            return false;
        }
    }
    return *p == ')';
}

static int parse_header(const char *name, const char *header, graphfile_npy *a)
{
    const char *order = value_of(header, "'fortran_order'"), *descr = value_of(header, "'descr'");
    char endian, end;

    if (descr == NULL) {
        return bad_header(name, "no 'descr'");
    }
    if (sscanf(descr, "'%c%c%1u%c", &endian, &a->kind, &a->bytes, &end) != 4 || end != '\'' ||
        (endian != '<' && endian != '|')) {
        a->kind = '?';
    }
    if (order == NULL || (strncmp(order, "False", 5) != 0 && strncmp(order, "True", 4) != 0)) {
        return bad_header(name, "no 'fortran_order' that is True or False");
    }
    a->fortran = *order == 'T';
    a->dims = parse_shape(value_of(header, "'shape'"), a) ? a->dims : -1;
    return EDGEFILE_OK;
}

int graphfile_npy_read_header(const char *name, int fd, uint64_t at, uint64_t bytes,
                              graphfile_npy *a)
{
    unsigned char prefix[READ_PREFIX] = {0};
    uint64_t begin, length;
    char *header;
    int st;

    /* The prefix: magic bytes, version, length of the header in 2 bytes or, from version 2 on, in
     * 4. */
    EDGEFILE_TRY(
        graphfile_pread_file(name, fd, at, prefix, bytes < READ_PREFIX ? bytes : READ_PREFIX));
    if (memcmp(prefix, "\x93NUMPY", 6) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not an array in NumPy's format", name);
    }
    if (prefix[6] < 1 || prefix[6] > 3) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: version %d of NumPy's format, expected 1 to 3", name, prefix[6]);
    }
    begin = prefix[6] == 1 ? 10 : 12;
    length = prefix[8] + ((uint64_t)prefix[9] << 8);
    if (prefix[6] > 1) {
        length += ((uint64_t)prefix[10] << 16) + ((uint64_t)prefix[11] << 24);
    }
    if (length > MOST || begin + length > bytes) {
        return bad_header(name, "is longer than 65536 bytes, or than the file");
    }
    a->offset = at + begin + length;
    a->left = bytes - begin - length;
    header = malloc((size_t)length + 1);
    if (header == NULL) {
        return edgefile_no_memory(name);
    }
    header[length] = '\0';
    st = graphfile_pread_file(name, fd, at + begin, header, (size_t)length);
    st = st == EDGEFILE_OK ? parse_header(name, header, a) : st;
    free(header);
    return st;
}

static int open_npy(graphfile_reader *r)
{
    npy_array *a = calloc(1, sizeof *a);
    graphfile_npy h = {0};
    uint64_t edges;
    bool in_rows;

    r->state = a;
    if (a == NULL) {
        return edgefile_no_memory(r->name);
    }
    EDGEFILE_TRY(graphfile_npy_read_header(r->name, r->fd, 0, r->bytes, &h));
    if ((h.kind != 'i' && h.kind != 'u') || (h.bytes != 4 && h.bytes != 8)) {
        return bad_header(r->name, "unsupported type of the elements, expected integers '<i4', "
                                   "'<i8', '<u4' or '<u8'");
    }
    if (h.dims != 2 || (h.shape[0] != 2 && h.shape[1] != 2)) {
        return bad_header(r->name, "unsupported shape, expected (2, edges) or (edges, 2)");
    }
    in_rows = h.shape[0] == 2; /* also where it is (2, 2) */
    edges = h.shape[in_rows ? 1 : 0];
    if (edges > h.left || 2 * edges * h.bytes != h.left) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " bytes of data, which are not the %" PRIu64
                             " edges of %u bytes that its shape says",
                             r->name, h.left, edges, 2 * h.bytes);
    }
    *a = (npy_array){{h.bytes, h.kind == 'i'}, h.offset, in_rows == h.fortran};
    r->least_id_bytes = a->type.is_signed ? 4 : (int)h.bytes;
    graphfile_cut_edges(r, edges, 2 * h.bytes, 1);
    return EDGEFILE_OK;
}

static void close_npy(graphfile_reader *r)
{
    free(r->state);
}

static int load_npy(const graphfile_reader *r, uint64_t piece, uint64_t first, uint64_t count,
                    graphfile_edges *e)
{
    const npy_array *a = r->state;
    uint64_t *const both[] = {e->src, e->dst};

    (void)piece;
    if (a->by_turns) {
        return graphfile_load_ids(r, a->offset + 2 * first * a->type.bytes, count, a->type, 2,
                                  both);
    }
    for (int i = 0; i < 2; i++) {
        const uint64_t at = a->offset + ((uint64_t)i * r->array_edges + first) * a->type.bytes;

        EDGEFILE_TRY(graphfile_load_ids(r, at, count, a->type, 1, &both[i]));
    }
    return EDGEFILE_OK;
}

static int parse_npy(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    const npy_array *a = r->state;

    return graphfile_parse_edges(r, piece, b, load_npy, a->type.is_signed);
}

const graphfile_read_ops graphfile_npy_read = {
    .open = open_npy, .parse = parse_npy, .close = close_npy, .own_pieces = true};
