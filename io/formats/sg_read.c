/*
 * sg_read.c - reads GAPBS's serialized graphs (sg.c): the out-neighbours of all vertices, as edges
 * in their order.  The transposed graph of a directed one is not looked at.
 */
#include "io/formats/reader.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 17 };

typedef struct {
    graphfile_rows pointers;
    uint64_t neighbours; /* offset in the file */
} sg_file;

static int get_pointers(const graphfile_reader *r, uint64_t first, uint64_t count,
                        uint64_t *pointers)
{
    EDGEFILE_TRY(graphfile_pread(r, HEADER + 8 * first, pointers, 8 * count));
    for (uint64_t i = 0; i < count; i++) {
        pointers[i] = le64toh(pointers[i]);
    }
    return EDGEFILE_OK;
}

/* Do these numbers make a file of this length? */
static bool is_length(const graphfile_reader *r, bool directed, uint64_t edges, uint64_t vertices)
{
    const uint64_t width = r->about->edge_bytes, sides = directed ? 2 : 1;

    return edges <= r->bytes / width && vertices <= r->bytes / 8 &&
           HEADER + sides * (8 * (vertices + 1) + width * edges) == r->bytes;
}

static int open_sg(graphfile_reader *r)
{
    sg_file *x = calloc(1, sizeof *x);
    unsigned char header[HEADER];
    uint64_t edges, vertices;

    r->state = x;
    if (x == NULL) {
        return edgefile_no_memory(r->name);
    }
    if (r->bytes < HEADER) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " bytes, less than the header of a serialized "
                             "graph",
                             r->name, r->bytes);
    }
    EDGEFILE_TRY(graphfile_pread(r, 0, header, HEADER));
    memcpy(&edges, header + 1, 8);
    memcpy(&vertices, header + 9, 8);
    edges = le64toh(edges);
    vertices = le64toh(vertices);
    if (header[0] > 1 || vertices > (uint64_t)1 << 31 ||
        !is_length(r, header[0], edges, vertices)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " bytes, which are not the %" PRId64
                             " vertices and %" PRId64 " edges that its header says",
                             r->name, r->bytes, (int64_t)vertices, (int64_t)edges);
    }
    x->pointers.get = get_pointers;
    x->pointers.rows = vertices;
    x->neighbours = HEADER + 8 * (vertices + 1);
    r->rows = r->cols = vertices;
    r->told = true;
    r->highest[0] = r->highest[1] = vertices - (vertices > 0);
    r->weights = r->about->edge_bytes == 8;
    r->whole_pieces = true;
    graphfile_cut_edges(r, edges, 8, 1);
    return graphfile_rows_open(r, &x->pointers);
}

static void close_sg(graphfile_reader *r)
{
    sg_file *x = r->state;

    if (x != NULL) {
        free(x->pointers.row);
        free(x);
    }
}

/* The neighbours, which take turns with weights where there are any. */
static int load(const graphfile_reader *r, uint64_t piece, uint64_t first, uint64_t count,
                graphfile_edges *e)
{
    const sg_file *x = r->state;
    const graphfile_element type = {4, true};
    const uint64_t at = x->neighbours + first * r->about->edge_bytes;
    uint64_t *weight = r->weights ? malloc(count * sizeof *weight) : NULL;
    uint64_t *const both[] = {e->dst, weight};
    int st;

    if (r->weights && weight == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_load_ids(r, at, count, type, r->weights ? 2 : 1, both);
    for (uint64_t i = 0; i < count && r->weights && st == EDGEFILE_OK; i++) {
        e->weight[i] = (double)(int64_t)weight[i];
    }
    free(weight);
    return st == EDGEFILE_OK ? graphfile_rows_fill(r, &x->pointers, piece, e->src) : st;
}

static int parse_sg(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    return graphfile_parse_edges(r, piece, b, load, true);
}

const graphfile_read_ops graphfile_sg_read = {
    .open = open_sg, .parse = parse_sg, .close = close_sg, .own_pieces = true};
