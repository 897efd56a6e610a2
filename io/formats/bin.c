/*
 * bin.c - bin32 and bin64: src, dst, src, dst, ... as little-endian integers of 32 or 64 bits, and
 * nothing else (KaGen, X-Stream).
 */
#include "io/formats/reader.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Pieces hold whole pairs. */
static int open_bin(graphfile_reader *r)
{
    const uint64_t pair = r->about->edge_bytes, rest = r->bytes % pair;

    if (rest != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: byte %" PRIu64 ": %" PRIu64
                             " bytes behind the last pair, expected pairs of %" PRIu64 " bytes",
                             r->name, r->bytes - rest, rest, pair);
    }
    r->least_id_bytes = (int)(pair / 2);
    r->piece = r->piece / pair * pair;
    r->piece = r->piece > 0 ? r->piece : pair;
    return EDGEFILE_OK;
}

static uint64_t id_at(const unsigned char *from, int bytes)
{
    uint64_t wide;
    uint32_t narrow;

    if (bytes == 4) {
        memcpy(&narrow, from, sizeof narrow);
        return le32toh(narrow);
    }
    memcpy(&wide, from, sizeof wide);
    return le64toh(wide);
}

static int put_pairs(graphfile_reader *r, uint64_t offset, const unsigned char *from, size_t bytes,
                     graphfile_batch *b)
{
    const int width = r->least_id_bytes;

    for (size_t i = 0; i < bytes; i += 2 * (size_t)width) {
        const uint64_t src = id_at(from + i, width), dst = id_at(from + i + width, width);
        const bool bad_src = src > GRAPHFILE_HIGHEST;

        if (bad_src || dst > GRAPHFILE_HIGHEST) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: byte %" PRIu64 ": %s is %" PRIu64 ", expected 0 to %" PRIu64,
                                 r->name, offset + i + (bad_src ? 0 : (size_t)width),
                                 bad_src ? "src" : "dst", bad_src ? src : dst, GRAPHFILE_HIGHEST);
        }
        EDGEFILE_TRY(graphfile_put(b, src, dst, 0));
    }
    return EDGEFILE_OK;
}

static int parse_bin(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    const uint64_t offset = piece * r->piece, left = r->bytes - offset;
    const size_t bytes = (size_t)(left < r->piece ? left : r->piece);
    unsigned char *memory = malloc(bytes);
    int st;

    if (memory == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = graphfile_pread(r, offset, memory, bytes);
    if (st == EDGEFILE_OK) {
        st = put_pairs(r, offset, memory, bytes, b);
    }
    free(memory);
    return st;
}

static const graphfile_write_ops write_32 = {.encode = encode_32}, write_64 = {.encode = encode_64};
static const graphfile_read_ops read_bin = {.open = open_bin, .parse = parse_bin};

const graphfile_descriptor graphfile_bin32_format = {
    .facts = {"bin32", ".bin32", "pairs of uint32 (KaGen, X-Stream)",
              GRAPHFILE_PIPE | GRAPHFILE_READ_BACK},
    .write = &write_32,
    .edge_bytes = 8,
    .most_vertices = (uint64_t)1 << 32,
    .read = &read_bin,
};

const graphfile_descriptor graphfile_bin64_format = {
    .facts = {"bin64", ".bin64", "pairs of uint64", GRAPHFILE_PIPE | GRAPHFILE_READ_BACK},
    .write = &write_64,
    .edge_bytes = 16,
    .read = &read_bin,
};
