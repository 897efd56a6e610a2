/*
 * binary.c - binary lists of edges: bin32 and bin64, graph500, npy.
 */
#include "io/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * bin32 and bin64: src, dst, src, dst, ... as little-endian integers of 32 or 64 bits, and nothing
 * else (KaGen, X-Stream).  bin32 is for graphs of up to 2^32 vertices.
 */

static int encode_pairs(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    enum { CACHED = 1024 }; /* edges at a time: both passes over them find them in the cache */
    const unsigned bytes = w->about->encode->edge_bytes, width = bytes / 2;
    const size_t id_bytes = (size_t)w->spec.graph.id_bytes;
    char *to = graphfile_reserve(b, p->count * bytes);

    if (to == NULL) {
        return edgefile_no_memory(NULL);
    }
    b->bytes += p->count * bytes;
    for (uint64_t done = 0, n; done < p->count; done += n, to += n * bytes) {
        n = p->count - done < CACHED ? p->count - done : CACHED;
        graphfile_put_ids(w, to, (int)width, 2, (const char *)p->src + done * id_bytes, n);
        graphfile_put_ids(w, to + width, (int)width, 2, (const char *)p->dst + done * id_bytes, n);
    }
    return EDGEFILE_OK;
}

static const graphfile_encode pairs_32 = {.piece = encode_pairs, .edge_bytes = 8},
                              pairs_64 = {.piece = encode_pairs, .edge_bytes = 16};

const graphfile_descriptor graphfile_bin32_format = {
    .facts = {"bin32", ".bin32", "pairs of uint32 (KaGen, X-Stream)", GRAPHFILE_PIPE},
    .encode = &pairs_32,
    .most_vertices = (uint64_t)1 << 32,
};

const graphfile_descriptor graphfile_bin64_format = {
    .facts = {"bin64", ".bin64", "pairs of uint64", GRAPHFILE_PIPE},
    .encode = &pairs_64,
};

/*
 * graph500: the files that Graph500's reference code reads with TMPFILE and REUSEFILE.
 * They hold the structs packed_edge of its generator, 12 bytes with ids of 48 bits.  The weights
 * are float32 in the same order in a second file, NAME.weights.
 *
 * A writer treats an older NAME.weights like an older NAME, even for a graph without weights: a
 * reader would take it for that graph's weights.
 */

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

static int convert_weights(float *to, const int32_t *from, const char *name,
                           const graphfile_piece *p)
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
    return graphfile_close_chunk(w, file, 4 * p->first, b,
                                 convert_weights(to, p->weight, file->name, p));
}

static int write_graph500(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(write_edges(w, p));
    return w->spec.graph.weight != EDGEFILE_NO_WEIGHT ? write_weights(w, p) : EDGEFILE_OK;
}

static uint64_t graph500_length(const graphfile_spec *s)
{
    return (sizeof(packed_edge) + (s->graph.weight != EDGEFILE_NO_WEIGHT ? 4 : 0)) * s->graph.edges;
}

static const graphfile_place place_graph500 = {.open = open_graph500, .piece = write_graph500};

const graphfile_descriptor graphfile_graph500_format = {
    .facts = {"graph500", ".g500", "Graph500's packed edges of 12 bytes, weights in FILE.weights",
              GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_WEIGHTS_APART},
    .place = &place_graph500,
    .most_vertices = (uint64_t)1 << 47, /* the 48th bit is a sign */
    .length = graph500_length,
};

/*
 * npy: NumPy's array format.  An array of shape (2, edges): all sources, then all
 * destinations.  Written in version 1.0.
 */

/* The header fills a page, so that the first array begins on one and O_DIRECT can write it. */
enum { HEADER = 4096, PREFIX = 10 };

static const char magic[8] = "\x93NUMPY\x01";

static uint64_t npy_length(const graphfile_spec *s)
{
    return HEADER + 2 * (uint64_t)s->graph.id_bytes * s->graph.edges;
}

static int begin_npy(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;
    char header[HEADER];
    const int n =
        snprintf(header + PREFIX, HEADER - PREFIX,
                 "{'descr': '<%c%d', 'fortran_order': False, 'shape': (2, %" PRIu64 "), }",
                 g->signed_ids ? 'i' : 'u', g->id_bytes, g->edges);

    memcpy(header, magic, sizeof magic);
    header[8] = (char)((HEADER - PREFIX) % 256);
    header[9] = (char)((HEADER - PREFIX) / 256);
    memset(header + PREFIX + n, ' ', (size_t)(HEADER - PREFIX - n));
    header[HEADER - 1] = '\n';
    EDGEFILE_TRY(io_file_reserve(&w->file, npy_length(&w->spec)));
    return io_file_write(&w->file, 0, header, HEADER);
}

static int write_npy(graphfile_writer *w, const graphfile_piece *p)
{
    const int width = w->spec.graph.id_bytes;
    const uint64_t at = HEADER + p->first * (uint64_t)width;

    EDGEFILE_TRY(graphfile_write_column(w, at, p->src, p->count, width));
    return graphfile_write_column(w, at + w->spec.graph.edges * (uint64_t)width, p->dst, p->count,
                                  width);
}

static const graphfile_place place_npy = {.open = begin_npy, .piece = write_npy};

const graphfile_descriptor graphfile_npy_format = {
    .facts = {"npy", ".npy", "NumPy, shape (2, edges)",
              GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS},
    .place = &place_npy,
    .length = npy_length,
};
