/*
 * bin.c - bin32 and bin64: src, dst, src, dst, ... as little-endian integers of 32 or 64 bits, and
 * nothing else (KaGen, X-Stream).
 */
#include "io/writer.h"

static int encode_32(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const uint32_t *s = p->src, *d = p->dst;
    uint32_t *to = (void *)graphfile_reserve(b, p->count * 8);

    if (to == NULL) {
        return edgefile_no_memory(NULL);
    }
    b->bytes += p->count * 8;
    if (w->spec.graph.id_bytes == 8) {
        EDGEFILE_TRY(graphfile_narrow(to, 2, p->src, p->count));
        return graphfile_narrow(to + 1, 2, p->dst, p->count);
    }
    for (uint64_t i = 0; i < p->count; i++) {
        to[2 * i] = s[i];
        to[2 * i + 1] = d[i];
    }
    return EDGEFILE_OK;
}

static int encode_64(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const uint64_t *s = p->src, *d = p->dst;
    uint64_t *to = (void *)graphfile_reserve(b, p->count * 16);

    if (to == NULL) {
        return edgefile_no_memory(NULL);
    }
    b->bytes += p->count * 16;
    if (w->spec.graph.id_bytes == 4) {
        graphfile_widen(to, 2, p->src, p->count);
        graphfile_widen(to + 1, 2, p->dst, p->count);
        return EDGEFILE_OK;
    }
    for (uint64_t i = 0; i < p->count; i++) {
        to[2 * i] = s[i];
        to[2 * i + 1] = d[i];
    }
    return EDGEFILE_OK;
}

static const graphfile_encode pairs_32 = {.piece = encode_32, .edge_bytes = 8},
                              pairs_64 = {.piece = encode_64, .edge_bytes = 16};

const graphfile_descriptor graphfile_bin32_format = {
    .facts = {"bin32", ".bin32", "pairs of uint32 (KaGen, X-Stream)", GRAPHFILE_PIPE},
    .encode = &pairs_32,
    .most_vertices = (uint64_t)1 << 32,
};

const graphfile_descriptor graphfile_bin64_format = {
    .facts = {"bin64", ".bin64", "pairs of uint64", GRAPHFILE_PIPE},
    .encode = &pairs_64,
};
