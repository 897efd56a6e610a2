/* io/formats/text.c - text with an edge on a line: el, wel, tsv, mtx, gr. */
#include "io/formats/digits.h"
#include "io/formats/writer.h"

#include <inttypes.h>
#include <stdio.h>

/* How a line is written. */
typedef struct {
    char start;     /* of the line, and a blank; or 0 */
    char blank;     /* between numbers */
    unsigned first; /* number of the first vertex */
    enum { NO_WEIGHT, WEIGHT_F32, WEIGHT_I32, WEIGHT_ONE } weight;
} style;

static int weight_of(const graphfile_writer *w)
{
    return w->spec.graph.weight == EDGEFILE_WEIGHT_F32   ? WEIGHT_F32
           : w->spec.graph.weight == EDGEFILE_WEIGHT_I32 ? WEIGHT_I32
                                                         : NO_WEIGHT;
}

static char *put_weight(char *to, const style *s, const graphfile_piece *p, uint64_t i)
{
    *to++ = s->blank;
    switch (s->weight) {
    case WEIGHT_F32:
        return graphfile_put_f32(to, ((const float *)p->weight)[i]);
    case WEIGHT_I32:
        return graphfile_put_i32(to, ((const int32_t *)p->weight)[i]);
    default:
        *to = '1';
        return to + 1;
    }
}

static uint64_t id_at(int id_bytes, const void *ids, uint64_t i)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b, style s)
{
    const graphfile_graph *g = &w->spec.graph;
    const size_t line =
        graphfile_n_digits(g->rows) + graphfile_n_digits(g->cols) + 5 +
        (s.weight == NO_WEIGHT ? 0 : (size_t)(s.weight == WEIGHT_F32 ? GRAPHFILE_FLOAT : 11));
    char *const from = graphfile_reserve(b, p->count * line + GRAPHFILE_SLACK);
    char *to = from;

    if (from == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
    }
    for (uint64_t i = 0; i < p->count; i++) {
        if (s.start != 0) {
            *to++ = s.start;
            *to++ = s.blank;
        }
        to = graphfile_put_u64(to, id_at(g->id_bytes, p->src, i) + s.first);
        *to++ = s.blank;
        to = graphfile_put_u64(to, id_at(g->id_bytes, p->dst, i) + s.first);
        if (s.weight != NO_WEIGHT) {
            to = put_weight(to, &s, p, i);
        }
        *to++ = '\n';
    }
    b->bytes += (size_t)(to - from);
    return EDGEFILE_OK;
}

static int encode_el(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return encode(w, p, b, (style){.blank = ' '});
}

static int encode_wel(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return encode(w, p, b, (style){.blank = ' ', .weight = weight_of(w)});
}

static int encode_tsv(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return encode(w, p, b, (style){.blank = '\t', .weight = weight_of(w)});
}

static int encode_mtx(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    return encode(w, p, b, (style){.blank = ' ', .first = 1, .weight = weight_of(w)});
}

static int encode_gr(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    style s = {.start = 'a', .blank = ' ', .first = 1, .weight = weight_of(w)};

    if (s.weight == NO_WEIGHT) {
        s.weight = WEIGHT_ONE;
    }
    return encode(w, p, b, s);
}

static int header_mtx(const graphfile_writer *w, graphfile_buffer *b)
{
    static const char *const fields[] = {[EDGEFILE_NO_WEIGHT] = "pattern",
                                         [EDGEFILE_WEIGHT_F32] = "real",
                                         [EDGEFILE_WEIGHT_I32] = "integer"};
    const graphfile_graph *g = &w->spec.graph;
    int st =
        graphfile_print(b, "%%%%MatrixMarket matrix coordinate %s general\n", fields[g->weight]);

    if (st == EDGEFILE_OK) {
        st = graphfile_comment(w, b, '%');
    }
    return st == EDGEFILE_OK ? graphfile_print(b, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g->rows,
                                               g->cols, g->edges)
                             : st;
}

static int header_gr(const graphfile_writer *w, graphfile_buffer *b)
{
    const graphfile_graph *g = &w->spec.graph;
    int st = graphfile_comment(w, b, 'c');

    return st == EDGEFILE_OK ? graphfile_print(b, "p sp %" PRIu64 " %" PRIu64 "\n",
                                               g->rows > g->cols ? g->rows : g->cols, g->edges)
                             : st;
}

const graphfile_ops graphfile_el_ops = {.encode = encode_el};
const graphfile_ops graphfile_wel_ops = {.encode = encode_wel};
const graphfile_ops graphfile_tsv_ops = {.encode = encode_tsv};
const graphfile_ops graphfile_mtx_ops = {.header = header_mtx, .encode = encode_mtx};
const graphfile_ops graphfile_gr_ops = {.header = header_gr, .encode = encode_gr};
