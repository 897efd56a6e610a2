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
              GRAPHFILE_READ_BACK | GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS},
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

static int bad_header(const graphfile_reader *r, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: header of NumPy's format: %s", r->name, what);
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

static int parse_type(const graphfile_reader *r, const char *header, npy_array *a)
{
    static const struct {
        const char *name;
        graphfile_element type;
    } types[] = {
        {"'<u4'", {4, false}}, {"'<u8'", {8, false}}, {"'<i4'", {4, true}}, {"'<i8'", {8, true}}};
    const char *descr = value_of(header, "'descr'");

    if (descr == NULL) {
        return bad_header(r, "no 'descr'");
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strncmp(descr, types[i].name, strlen(types[i].name)) == 0) {
            a->type = types[i].type;
            return EDGEFILE_OK;
        }
    }
    return bad_header(r, "unsupported type of the elements, expected integers '<i4', '<i8', '<u4' "
                         "or '<u8'");
}

/* Reads "(A, B)" into the two; false: it is something else. */
static bool parse_pair(const char *p, uint64_t pair[2])
{
    if (*p++ != '(') {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        const char *start = p + strspn(p, " ");

        p = graphfile_digits(start, &pair[i]);
        if (p == start) {
            return false;
        }
        p += strspn(p, " ");
        if (*p == ',') {
            p += 1 + strspn(p + 1, " ");
        } else if (i == 0) {
            return false;
        }
    }
    return *p == ')';
}

static int parse_shape(const graphfile_reader *r, const char *header, npy_array *a, uint64_t *edges)
{
    const char *order = value_of(header, "'fortran_order'"), *shape = value_of(header, "'shape'");
    uint64_t pair[2];
    bool fortran, in_rows;

    if (order == NULL || (strncmp(order, "False", 5) != 0 && strncmp(order, "True", 4) != 0)) {
        return bad_header(r, "no 'fortran_order' that is True or False");
    }
    fortran = *order == 'T';
    if (shape == NULL || !parse_pair(shape, pair) || (pair[0] != 2 && pair[1] != 2)) {
        return bad_header(r, "unsupported shape, expected (2, edges) or (edges, 2)");
    }
    in_rows = pair[0] == 2; /* also where it is (2, 2) */
    a->by_turns = in_rows == fortran;
    *edges = in_rows ? pair[1] : pair[0];
    return EDGEFILE_OK;
}

/* Reads the header, which begins behind the prefix and ends where the data begins. */
static int parse_header(const graphfile_reader *r, uint64_t begin, npy_array *a, uint64_t *edges)
{
    const size_t bytes = (size_t)(a->offset - begin);
    char *header = malloc(bytes + 1);
    int st;

    if (header == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread(r, begin, header, bytes);
    if (st == EDGEFILE_OK) {
        header[bytes] = '\0';
        st = parse_type(r, header, a);
    }
    if (st == EDGEFILE_OK) {
        st = parse_shape(r, header, a, edges);
    }
    free(header);
    return st;
}

/* The prefix: magic bytes, version, length of the header in 2 bytes or, from version 2 on, in 4. */
static int find_data(const graphfile_reader *r, npy_array *a, uint64_t *edges)
{
    unsigned char prefix[READ_PREFIX] = {0};
    const size_t bytes = r->bytes < READ_PREFIX ? (size_t)r->bytes : READ_PREFIX;
    uint64_t begin, length;

    EDGEFILE_TRY(graphfile_pread(r, 0, prefix, bytes));
    if (memcmp(prefix, "\x93NUMPY", 6) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not an array in NumPy's format", r->name);
    }
    if (prefix[6] < 1 || prefix[6] > 3) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: version %d of NumPy's format, expected 1 to 3", r->name,
                             prefix[6]);
    }
    begin = prefix[6] == 1 ? 10 : 12;
    length = prefix[8] + ((uint64_t)prefix[9] << 8);
    if (prefix[6] > 1) {
        length += ((uint64_t)prefix[10] << 16) + ((uint64_t)prefix[11] << 24);
    }
    a->offset = begin + length;
    if (length > MOST || a->offset > r->bytes) {
        return bad_header(r, "is longer than 65536 bytes, or than the file");
    }
    return parse_header(r, begin, a, edges);
}

static int open_npy(graphfile_reader *r)
{
    npy_array *a = calloc(1, sizeof *a);
    uint64_t edges = 0, bytes;

    r->state = a;
    if (a == NULL) {
        return edgefile_no_memory(r->name);
    }
    EDGEFILE_TRY(find_data(r, a, &edges));
    bytes = r->bytes - a->offset;
    if (edges > bytes || 2 * edges * a->type.bytes != bytes) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " bytes of data, which are not the %" PRIu64
                             " edges of %u bytes that its shape says",
                             r->name, bytes, edges, 2 * a->type.bytes);
    }
    r->least_id_bytes = a->type.is_signed ? 4 : (int)a->type.bytes;
    graphfile_cut_edges(r, edges, 2 * a->type.bytes, 1);
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
