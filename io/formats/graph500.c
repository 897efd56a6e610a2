/*
 * graph500.c - graph500: the files that Graph500's reference code takes with TMPFILE and REUSEFILE.
 * The structs packed_edge of its generator, 12 bytes with ids of 48 bits, and the weights as
 * float32 in the same order in a second file, NAME.weights.
 *
 * NAME.weights counts as part of the graph: if it exists, NAME counts as existing.
 */
#include "io/formats/reader.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    uint32_t v0_low, v1_low, high; /* high: 16 bits of v0, then 16 bits of v1 */
} packed_edge;

static char *name_weights(const graphfile_writer *w, int i, bool *wanted)
{
    char *name;

    (void)i;
    *wanted = w->spec.graph.weight != EDGEFILE_NO_WEIGHT;
    return asprintf(&name, "%s.weights", w->file.name) < 0 ? NULL : name;
}

static int open_graph500(graphfile_writer *w)
{
    graphfile_plain_reserve(&w->file, w->spec.graph.edges * sizeof(packed_edge));
    return EDGEFILE_OK;
}

/* Packs ids of a type, uint32_t or uint64_t. */
#define PACK(type)                                                                                 \
    for (uint64_t i = 0; i < p->count; i++) {                                                      \
        const uint64_t s = ((const type *)p->src)[i], d = ((const type *)p->dst)[i];               \
        to[i].v0_low = (uint32_t)s;                                                                \
        to[i].v1_low = (uint32_t)d;                                                                \
        to[i].high = (uint32_t)(s >> 32 | d >> 32 << 16);                                          \
    }

static int write_edges(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer *b;
    packed_edge *to = graphfile_open_chunk(w, &b, p->count * sizeof *to);

    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    if (w->spec.graph.id_bytes == 4) {
        PACK(uint32_t)
    } else
        PACK(uint64_t)
    return graphfile_close_chunk(w, &w->file, p->first * sizeof *to, b, EDGEFILE_OK);
}

static int convert(float *to, const int32_t *from, const char *name, const graphfile_piece *p)
{
    for (uint64_t i = 0; i < p->count; i++) {
        to[i] = (float)from[i];
        if ((double)to[i] != from[i]) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: edge %" PRIu64 " has weight %" PRId32
                                 ", which float32 cannot represent",
                                 name, p->first + i, from[i]);
        }
    }
    return EDGEFILE_OK;
}

static int write_weights(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_plain *file = &w->beside[0];
    graphfile_buffer *b;
    float *to;

    if (w->spec.graph.weight == EDGEFILE_WEIGHT_F32) {
        return graphfile_write_chunk(w, file, 4 * p->first, p->weight, 4 * p->count);
    }
    to = graphfile_open_chunk(w, &b, 4 * p->count);
    if (to == NULL) {
        return EDGEFILE_ERR_NOMEM;
    }
    return graphfile_close_chunk(w, file, 4 * p->first, b, convert(to, p->weight, file->name, p));
}

static int write_graph500(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(write_edges(w, p));
    return w->spec.graph.weight != EDGEFILE_NO_WEIGHT ? write_weights(w, p) : EDGEFILE_OK;
}

static uint64_t length(const graphfile_graph *g)
{
    return (sizeof(packed_edge) + (g->weight != EDGEFILE_NO_WEIGHT ? 4 : 0)) * g->edges;
}

/* NAME.weights, where it exists. */
typedef struct {
    char *name;
    int fd; /* -1: it does not */
} weights_file;

static int open_weights(const graphfile_reader *r, weights_file *x)
{
    const uint64_t expected = 4 * r->array_edges;
    struct stat about;

    if (r->path == NULL) {
        return EDGEFILE_OK;
    }
    if (asprintf(&x->name, "%s.weights", r->path) < 0) {
        x->name = NULL;
        return edgefile_no_memory(r->name);
    }
    x->fd = open(x->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (x->fd < 0 && errno == ENOENT) {
        return EDGEFILE_OK;
    }
    if (x->fd < 0 || fstat(x->fd, &about) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", x->name);
    }
    if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size != expected) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %lld bytes, expected %" PRIu64 ", a float32 for each edge",
                             x->name, (long long)about.st_size, expected);
    }
    return EDGEFILE_OK;
}

static int open_to_read(graphfile_reader *r)
{
    const uint64_t edge = sizeof(packed_edge);
    weights_file *x = calloc(1, sizeof *x);

    r->state = x;
    if (x == NULL) {
        return edgefile_no_memory(r->name);
    }
    x->fd = -1;
    EDGEFILE_TRY(graphfile_check_rest(r, "edge"));
    graphfile_cut_edges(r, r->bytes / edge, edge, 1);
    r->highest[0] = r->highest[1] = ((uint64_t)1 << 47) - 1;
    EDGEFILE_TRY(open_weights(r, x));
    r->weights = r->reals = x->fd >= 0;
    return EDGEFILE_OK;
}

static void close_read(graphfile_reader *r)
{
    weights_file *x = r->state;

    if (x == NULL) {
        return;
    }
    if (x->fd >= 0) {
        close(x->fd);
    }
    free(x->name);
    free(x);
}

static int read_weights(const graphfile_reader *r, uint64_t first, uint64_t count, double *to)
{
    const weights_file *x = r->state;
    float *from = malloc(4 * count);
    int st;

    if (from == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread_file(x->name, x->fd, 4 * first, from, 4 * count);
    for (uint64_t i = 0; i < count && st == EDGEFILE_OK; i++) {
        to[i] = (double)from[i];
    }
    free(from);
    return st;
}

static int load_packed(const graphfile_reader *r, uint64_t piece, uint64_t first, uint64_t count,
                       graphfile_edges *e)
{
    packed_edge *from = malloc(count * sizeof *from);
    int st;

    (void)piece;
    if (from == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread(r, first * sizeof *from, from, count * sizeof *from);
    for (uint64_t i = 0; i < count && st == EDGEFILE_OK; i++) {
        const uint32_t high = le32toh(from[i].high);

        e->src[i] = le32toh(from[i].v0_low) | (uint64_t)(int16_t)high << 32;
        e->dst[i] = le32toh(from[i].v1_low) | (uint64_t)(int16_t)(high >> 16) << 32;
    }
    free(from);
    return st == EDGEFILE_OK && r->weights ? read_weights(r, first, count, e->weight) : st;
}

static int parse_graph500(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    return graphfile_parse_edges(r, piece, b, load_packed, true);
}

static const graphfile_read_ops read_ops = {
    .open = open_to_read, .parse = parse_graph500, .close = close_read, .own_pieces = true};

static const graphfile_write_ops write_ops = {
    .name_beside = name_weights, .n_beside = 1, .open = open_graph500, .write = write_graph500};

const graphfile_descriptor graphfile_graph500_format = {
    .facts = {"graph500", ".g500", "Graph500's packed edges of 12 bytes, weights in FILE.weights",
              GRAPHFILE_HAS_WEIGHTS},
    .write = &write_ops,
    .read = &read_ops,
    .edge_bytes = 12,
    .most_vertices = (uint64_t)1 << 47, /* the 48th bit is a sign */
    .length = length,
};
