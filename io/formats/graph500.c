/*
 * graph500.c - graph500: the files that Graph500's reference code reads with TMPFILE and REUSEFILE.
 * They hold the structs packed_edge of its generator, 12 bytes with ids of 48 bits.  The weights
 * are float32 in the same order in a second file, NAME.weights.
 *
 * A writer treats an older NAME.weights like an older NAME, even for a graph without weights: a
 * reader would take it for that graph's weights.
 */
#include "io/writer.h"

#include <inttypes.h>

typedef struct {
    uint32_t v0_low, v1_low, high; /* high: 16 bits of v0, then 16 bits of v1 */
} packed_edge;

static int open_graph500(graphfile_writer *w)
{
    return io_file_reserve(&w->file, w->spec.graph.edges * sizeof(packed_edge));
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
    io_file *file = &w->weights;
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

static const graphfile_place place_graph500 = {.open = open_graph500, .piece = write_graph500};

const graphfile_descriptor graphfile_graph500_format = {
    .facts = {"graph500", ".g500", "Graph500's packed edges of 12 bytes, weights in FILE.weights",
              GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_WEIGHTS_APART},
    .place = &place_graph500,
    .most_vertices = (uint64_t)1 << 47, /* the 48th bit is a sign */
    .length = length,
};
