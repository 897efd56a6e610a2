/*
 * metis.c - metis: a line for each vertex, with its neighbors and, if there are any, the weights of
 * its edges.
 *
 * A blank follows each number, even the last one of a line, because GAPBS built with GCC 11 or
 * later overlooks a neighbor right before the end of a line.  A piece begins and ends within a
 * line.  join() writes the ends of lines between two pieces, and trailer() those after the last
 * edge.
 */
#include "io/formats/digits.h"
#include "io/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int header(const graphfile_writer *w, graphfile_buffer *b)
{
    const graphfile_graph *g = &w->spec.graph;

    EDGEFILE_TRY(graphfile_comment(w, b));
    return graphfile_print(b, "%" PRIu64 " %" PRIu64 "%s\n", g->rows, g->edges / 2,
                           g->weight == EDGEFILE_NO_WEIGHT ? "" : " 1");
}

static int bad_weight(const graphfile_piece *p, uint64_t i)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "metis needs weights of at least 1, edge %" PRIu64 " has %" PRId32,
                         p->first + i, ((const int32_t *)p->weight)[i]);
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const size_t most = graphfile_n_digits(w->spec.graph.cols) + 13 + GRAPHFILE_SLACK;
    uint64_t row = p->count > 0 ? graphfile_id(w->spec.graph.id_bytes, p->src, 0) : 0;

    for (uint64_t i = 0; i < p->count; i++) {
        const uint64_t src = graphfile_id(w->spec.graph.id_bytes, p->src, i);
        char *from, *to;
        int st = src != row ? graphfile_newlines(b, src - row) : EDGEFILE_OK;

        row = src;
        from = to = st == EDGEFILE_OK ? graphfile_reserve(b, most) : NULL;
        if (from == NULL) {
            return edgefile_no_memory(NULL);
        }
        to = graphfile_put_u64(to, graphfile_id(w->spec.graph.id_bytes, p->dst, i) + 1);
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

static int join(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b)
{
    const uint64_t before = w->row;
    const uint64_t row = p->count > 0 ? p->first_src : before;

    if (row < before) {
        return graphfile_not_sorted(w, p->first);
    }
    if (p->count > 0) {
        w->row = p->last_src;
    }
    return graphfile_newlines(b, row - before);
}

static int trailer(graphfile_writer *w, graphfile_buffer *b)
{
    return graphfile_newlines(b, w->spec.graph.rows - w->row);
}

static const graphfile_encode encode_metis = {
    .header = header, .piece = encode, .join = join, .trailer = trailer};

const graphfile_descriptor graphfile_metis_format = {
    .facts = {"metis", ".graph", "METIS: text with the neighbors of one vertex on each line",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS | GRAPHFILE_WEIGHTS_FROM_1 | GRAPHFILE_NEEDS_SORTED |
                  GRAPHFILE_NEEDS_SIMPLE},
    .encode = &encode_metis,
    .line_bytes = 1,
    .row_bytes = 1,
};
