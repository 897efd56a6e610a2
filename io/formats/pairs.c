/* io/formats/pairs.c - binary edge lists: src, dst, src, dst, ... of 32 or 64 bits. */
#include "io/formats/writer.h"

static int encode_32(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const uint32_t *s = p->src, *d = p->dst;
    uint32_t *to = (void *)graphfile_reserve(b, p->count * 8);

    if (to == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
    }
    b->bytes += p->count * 8;
    if (w->spec.graph.id_bytes == 8) {
        int st = graphfile_narrow(to, 2, p->src, p->count);
        return st == EDGEFILE_OK ? graphfile_narrow(to + 1, 2, p->dst, p->count) : st;
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
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
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

const graphfile_ops graphfile_bin32_ops = {.encode = encode_32, .edge_bytes = 8};
const graphfile_ops graphfile_bin64_ops = {.encode = encode_64, .edge_bytes = 16};
