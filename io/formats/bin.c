/*
 * bin.c - bin32 and bin64: src, dst, src, dst, ... as little-endian integers of 32 or 64 bits, and
 * nothing else (KaGen, X-Stream).
 */
#include "io/formats/reader.h"

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

static int open_bin(graphfile_reader *r)
{
    const uint64_t pair = r->about->edge_bytes;

    EDGEFILE_TRY(graphfile_check_rest(r, "pair"));
    r->least_id_bytes = (int)(pair / 2);
    graphfile_cut_edges(r, r->bytes / pair, pair, 1);
    return EDGEFILE_OK;
}

static int load_pairs(const graphfile_reader *r, uint64_t piece, uint64_t first, uint64_t count,
                      graphfile_edges *e)
{
    const graphfile_element type = {(unsigned)r->least_id_bytes, false};
    uint64_t *const both[] = {e->src, e->dst};

    (void)piece;
    return graphfile_load_ids(r, first * r->about->edge_bytes, count, type, 2, both);
}

static int parse_bin(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    return graphfile_parse_edges(r, piece, b, load_pairs, false);
}

static const graphfile_write_ops write_32 = {.encode = encode_32}, write_64 = {.encode = encode_64};
static const graphfile_read_ops read_bin = {
    .open = open_bin, .parse = parse_bin, .own_pieces = true};

const graphfile_descriptor graphfile_bin32_format = {
    .facts = {"bin32", ".bin32", "pairs of uint32 (KaGen, X-Stream)", GRAPHFILE_PIPE},
    .write = &write_32,
    .edge_bytes = 8,
    .most_vertices = (uint64_t)1 << 32,
    .read = &read_bin,
};

const graphfile_descriptor graphfile_bin64_format = {
    .facts = {"bin64", ".bin64", "pairs of uint64", GRAPHFILE_PIPE},
    .write = &write_64,
    .edge_bytes = 16,
    .read = &read_bin,
};
