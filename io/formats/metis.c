/*
 * io/formats/metis.c - METIS: a line for each vertex, with its neighbours and, where there are any,
 * the weights of its edges.
 *
 * A blank follows each number, also the last one of a line: GAPBS, built with GCC 11 or later, does
 * not see a neighbour right before the end of a line.  A piece begins within a line and ends within
 * one; join ends those between two pieces.
 */
#include "io/formats/digits.h"
#include "io/formats/writer.h"

#include <inttypes.h>

static uint64_t id_at(const graphfile_writer *w, const void *ids, uint64_t i)
{
    return w->spec.graph.id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    const graphfile_graph *g = &w->spec.graph;
    int st = graphfile_comment(w, b, '%');

    return st == EDGEFILE_OK
               ? graphfile_print(b, "%" PRIu64 " %" PRIu64 "%s\n", g->rows, g->edges / 2,
                                 g->weight == EDGEFILE_NO_WEIGHT ? "" : " 1")
               : st;
}

static int bad_weight(const graphfile_piece *p, uint64_t i)
{
    return edgefile_fail(EDGEFILE_ERR_ARG,
                         "metis needs weights of at least 1, edge %" PRIu64 " has %" PRId32,
                         p->first + i, ((const int32_t *)p->weight)[i]);
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const size_t most = graphfile_n_digits(w->spec.graph.cols) + 13 + GRAPHFILE_SLACK;
    uint64_t row = p->count > 0 ? id_at(w, p->src, 0) : 0;

    for (uint64_t i = 0; i < p->count; i++) {
        const uint64_t src = id_at(w, p->src, i);
        char *from, *to;
        int st = src != row ? graphfile_newlines(b, src - row) : EDGEFILE_OK;

        row = src;
        from = to = st == EDGEFILE_OK ? graphfile_reserve(b, most) : NULL;
        if (from == NULL) {
            return edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
        }
        to = graphfile_put_u64(to, id_at(w, p->dst, i) + 1);
        *to++ = ' ';
        if (p->weight != NULL) {
            const int32_t weight = ((const int32_t *)p->weight)[i];
            if (weight < 1) {
                return bad_weight(p, i);
            }
            to = graphfile_put_u64(to, (uint64_t)weight);
            *to++ = ' ';
        }
        b->bytes += (size_t)(to - from);
    }
    return EDGEFILE_OK;
}

static int join(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const uint64_t before = w->row;
    const uint64_t row = p->count > 0 ? id_at(w, p->src, 0) : before;

    if (row < before) {
        return graphfile_not_sorted(w, p->first);
    }
    if (p->count > 0) {
        w->row = id_at(w, p->src, p->count - 1);
    }
    return graphfile_newlines(b, row - before);
}

static int trailer(graphfile_writer *w, graphfile_buffer *b)
{
    return graphfile_newlines(b, w->spec.graph.rows - w->row);
}

const graphfile_ops graphfile_metis_ops = {
    .header = header, .encode = encode, .join = join, .trailer = trailer};
