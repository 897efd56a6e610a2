/* text.c - edges as lines of text, which the formats el, wel, tsv, csv, mtx, gr and
 * graphalytics share. */
#include "io/formats/digits.h"
#include "io/formats/writer.h"

static char *put_weight(char *to, edgefile_weight kind, const void *weight, uint64_t i)
{
    switch (kind) {
    case EDGEFILE_WEIGHT_F32:
        return graphfile_put_f32(to, ((const float *)weight)[i]);
    case EDGEFILE_WEIGHT_I32:
        return graphfile_put_i32(to, ((const int32_t *)weight)[i]);
    default:
        *to = '1';
        return to + 1;
    }
}

int graphfile_put_lines(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b,
                        graphfile_line line)
{
    const graphfile_graph *g = &w->spec.graph;
    const edgefile_weight kind = g->weight;
    const int id_bytes = g->id_bytes;
    const bool weights = line.always_weight || (kind != EDGEFILE_NO_WEIGHT &&
                                                w->about->facts.traits & GRAPHFILE_HAS_WEIGHTS);
    const size_t weight_room = kind == EDGEFILE_WEIGHT_F32 ? GRAPHFILE_FLOAT : 11;
    const size_t longest =
        graphfile_n_digits(g->rows) + graphfile_n_digits(g->cols) + 5 + (weights ? weight_room : 0);
    char *const from = graphfile_reserve(b, p->count * longest + GRAPHFILE_SLACK);
    char *to = from;

    if (from == NULL) {
        return edgefile_no_memory(NULL);
    }
    for (uint64_t i = 0; i < p->count; i++) {
        if (line.once && graphfile_id(id_bytes, p->src, i) > graphfile_id(id_bytes, p->dst, i)) {
            continue;
        }
        if (line.start != 0) {
            *to++ = line.start;
            *to++ = line.blank;
        }
        to = graphfile_put_u64(to, graphfile_id(id_bytes, p->src, i) + line.base);
        *to++ = line.blank;
        to = graphfile_put_u64(to, graphfile_id(id_bytes, p->dst, i) + line.base);
        if (weights) {
            *to++ = line.blank;
            to = put_weight(to, kind, p->weight, i);
        }
        *to++ = '\n';
    }
    b->bytes += (size_t)(to - from);
    return EDGEFILE_OK;
}
