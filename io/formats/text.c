/*
 * text.c - text: el, wel, tsv, csv and mtx, with an edge per line; and metis, with a vertex per
 * line.
 */
#include "io/formats/digits.h"
#include "io/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Writes float32 as text.
 *
 * Nine digits always read back as the same float.  Fewer digits do if the cut-off part is less than
 * half of the distance to the next float.  The bound here is slightly smaller, so that the rounding
 * of this arithmetic in double cannot matter.
 */

#define LEAST 1e-4f
#define BELOW 1e8f

/* The powers that a double holds exactly. */
static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* Numbers that need an exponent, zeros, infinities and NaN. */
static char *put_other(char *to, float x)
{
    int n = 0;

    if (x == 0 && !signbit(x)) {
        *to = '0';
        return to + 1;
    }
    for (int digits = 1; digits <= 9; digits++) {
        n = snprintf(to, GRAPHFILE_FLOAT, "%.*g", digits, (double)x);
        if (strtof(to, NULL) == x) {
            break;
        }
    }
    return to + n;
}

/* Writes digits * 10^-places.  Copies have fixed lengths; later characters overwrite the excess. */
static char *put_places(char *to, uint32_t digits, int places)
{
    enum { COPY = 16 };
    char text[3 * COPY] = "";
    const int length = (int)(graphfile_put_u64(text, digits) - text);
    const int whole = length - places; /* digits before the point */

    if (whole <= 0) {
        memcpy(to, "0.000000", 8);
        memcpy(to + 2 - whole, text, COPY);
        return to + 2 + places;
    }
    memcpy(to, text, COPY);
    if (places <= 0) {
        memset(to + length, '0', (size_t)-places);
        return to + whole;
    }
    to[whole] = '.';
    memcpy(to + whole + 1, text + whole, COPY);
    return to + length + 1;
}

/* Half of the distance from a > 0 to the nearest other float. */
static double half_gap(float a)
{
    uint32_t bits, mantissa;
    float power;

    memcpy(&bits, &a, sizeof bits);
    mantissa = bits & 0x7fffff;
    bits -= mantissa;
    memcpy(&power, &bits, sizeof power);
    return (double)power * (mantissa != 0 ? 0x1p-24 : 0x1p-25);
}

/* The nearest integer, the even one of two, for 0 <= x < 2^32. */
static uint32_t nearest(double x)
{
    return (uint32_t)(x + 0x1p52 - 0x1p52);
}

/* Writes text that reads back as the same float.  It has at most 9 digits and, except in rare cases
 * of rounding, no more than needed.  Needs room for GRAPHFILE_FLOAT characters and the slack. */
static char *put_f32(char *to, float x)
{
    const float a = fabsf(x);
    double nine, most;
    uint32_t digits;
    int places = 9;

    if (!(a >= LEAST && a < BELOW)) {
        return put_other(to, x);
    }
    *to = '-';
    to += x < 0;
    while ((double)a * powers[places] < 1e8) {
        places++;
    }
    while ((double)a * powers[places] >= 1e9) {
        places--;
    }
    nine = (double)a * powers[places];
    most = half_gap(a) * powers[places] * 0.999999;
    digits = nearest(nine);
    for (int cut = 1; cut <= 9; cut++) {
        uint32_t fewer = nearest(nine / powers[cut]);
        if (fabs(fewer * powers[cut] - nine) > most) {
            return put_places(to, digits, places - cut + 1);
        }
        digits = fewer;
    }
    return put_places(to, digits, places - 9);
}

static char *put_weight(char *to, edgefile_weight kind, const void *weight, uint64_t i)
{
    return kind == EDGEFILE_WEIGHT_F32 ? put_f32(to, ((const float *)weight)[i])
                                       : graphfile_put_i32(to, ((const int32_t *)weight)[i]);
}

/* A line for each edge, with its weight if graph and format have weights. */
static int encode_lines(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const graphfile_graph *g = &w->spec.graph;
    const graphfile_format format = w->spec.format;
    const char blank = format == GRAPHFILE_TSV ? '\t' : format == GRAPHFILE_CSV ? ',' : ' ';
    const unsigned base = format == GRAPHFILE_MTX;
    const edgefile_weight kind = g->weight;
    const int id_bytes = g->id_bytes;
    const bool weights =
        kind != EDGEFILE_NO_WEIGHT && w->about->facts.traits & GRAPHFILE_HAS_WEIGHTS;
    const size_t weight_room = kind == EDGEFILE_WEIGHT_F32 ? GRAPHFILE_FLOAT : 11;
    const size_t longest =
        graphfile_n_digits(g->rows) + graphfile_n_digits(g->cols) + 3 + (weights ? weight_room : 0);
    char *const from = graphfile_reserve(b, p->count * longest + GRAPHFILE_SLACK);
    char *to = from;

    if (from == NULL) {
        return edgefile_no_memory(NULL);
    }
    for (uint64_t i = 0; i < p->count; i++) {
        to = graphfile_put_u64(to, graphfile_id(id_bytes, p->src, i) + base);
        *to++ = blank;
        to = graphfile_put_u64(to, graphfile_id(id_bytes, p->dst, i) + base);
        if (weights) {
            *to++ = blank;
            to = put_weight(to, kind, p->weight, i);
        }
        *to++ = '\n';
    }
    b->bytes += (size_t)(to - from);
    return EDGEFILE_OK;
}

static const graphfile_encode encode_plain = {.piece = encode_lines};

enum { TRAITS = GRAPHFILE_PIPE | GRAPHFILE_TEXT };

const graphfile_descriptor graphfile_el_format = {
    .facts = {"el", ".el", "text, 'src dst' (GAPBS, SNAP)", TRAITS},
    .encode = &encode_plain,
    .line_bytes = 2,
};

const graphfile_descriptor graphfile_wel_format = {
    .facts = {"wel", ".wel", "text, 'src dst weight' (GAPBS)", TRAITS | GRAPHFILE_MUST_WEIGHTS},
    .encode = &encode_plain,
    .line_bytes = 2,
};

const graphfile_descriptor graphfile_tsv_format = {
    .facts = {"tsv", ".tsv", "text separated by tabs, 'src dst' or 'src dst weight' (SNAP)",
              TRAITS | GRAPHFILE_HAS_WEIGHTS},
    .encode = &encode_plain,
    .line_bytes = 2,
};

/* csv: a line with the names of the columns comes first. */

static int csv_header(const graphfile_writer *w, graphfile_buffer *b)
{
    return graphfile_print(b, w->spec.graph.weight == EDGEFILE_NO_WEIGHT ? "src,dst\n"
                                                                         : "src,dst,weight\n");
}

static const graphfile_encode encode_csv = {.header = csv_header, .piece = encode_lines};

const graphfile_descriptor graphfile_csv_format = {
    .facts = {"csv", ".csv",
              "text, a line of column names, then lines 'src,dst' or 'src,dst,weight'",
              TRAITS | GRAPHFILE_HAS_WEIGHTS},
    .encode = &encode_csv,
    .line_bytes = 2,
};

/*
 * mtx: Matrix Market, coordinate format, "general".  A banner, comments, a line with the
 * numbers of rows, columns and entries, then an entry per line; rows and columns are numbered
 * from 1.
 */

static int mtx_header(const graphfile_writer *w, graphfile_buffer *b)
{
    static const char *const fields[] = {[EDGEFILE_NO_WEIGHT] = "pattern",
                                         [EDGEFILE_WEIGHT_F32] = "real",
                                         [EDGEFILE_WEIGHT_I32] = "integer"};
    const graphfile_graph *g = &w->spec.graph;

    EDGEFILE_TRY(
        graphfile_print(b, "%%%%MatrixMarket matrix coordinate %s general\n", fields[g->weight]));
    EDGEFILE_TRY(graphfile_comment(w, b));
    return graphfile_print(b, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g->rows, g->cols, g->edges);
}

static const graphfile_encode encode_mtx = {.header = mtx_header, .piece = encode_lines};

const graphfile_descriptor graphfile_mtx_format = {
    .facts = {"mtx", ".mtx", "Matrix Market, coordinate general",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS},
    .encode = &encode_mtx,
    .line_bytes = 2,
};

/*
 * metis: a line for each vertex, with its neighbors and, if there are any, the weights of
 * its edges.
 *
 * A blank follows each number, even the last one of a line, because GAPBS built with GCC 11 or
 * later overlooks a neighbor right before the end of a line.  A piece begins and ends within a
 * line.  join() writes the ends of lines between two pieces, and trailer() those after the last
 * edge.
 */

static int metis_header(const graphfile_writer *w, graphfile_buffer *b)
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

static int metis_piece(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
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

static int metis_join(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b)
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

static int metis_trailer(graphfile_writer *w, graphfile_buffer *b)
{
    return graphfile_newlines(b, w->spec.graph.rows - w->row);
}

static const graphfile_encode encode_metis = {
    .header = metis_header, .piece = metis_piece, .join = metis_join, .trailer = metis_trailer};

const graphfile_descriptor graphfile_metis_format = {
    .facts = {"metis", ".graph", "METIS: text with the neighbors of one vertex on each line",
              GRAPHFILE_PIPE | GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS |
                  GRAPHFILE_INT_WEIGHTS | GRAPHFILE_WEIGHTS_FROM_1 | GRAPHFILE_NEEDS_SORTED |
                  GRAPHFILE_NEEDS_SIMPLE},
    .encode = &encode_metis,
    .line_bytes = 1,
    .row_bytes = 1,
};
