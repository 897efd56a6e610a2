/*
 * check.c - checks that a format can hold a graph, computes the length of its file, and checks that
 * the edges agree with the spec.
 */
#include "io/formats/digits.h"
#include "io/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VERTICES ((uint64_t)1 << 62) /* of any graph */
#define MOST_SIGNED   ((uint64_t)1 << 31) /* that signed ids of 4 bytes name */

static int lacks(graphfile_format format, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_ARG, "%s needs %s", graphfile_names[format], what);
}

/* Checks all order and shape that the graph is not known to have.  It may still have them: a list
 * in a text file does not say. */
static int check_shape(graphfile_format format, unsigned traits, const graphfile_graph *g)
{
    const struct {
        unsigned needs;
        int known;
        const char *what;
    } rows[] = {{GRAPHFILE_NEEDS_SORTED, g->sorted, "sorted"},
                {GRAPHFILE_NEEDS_SIMPLE, g->unique, "without duplicate edges"},
                {GRAPHFILE_NEEDS_SIMPLE, g->no_loops, "without self-loops"},
                {GRAPHFILE_NEEDS_SIMPLE, g->pairs, "undirected (each edge with its reverse)"}};
    const char *missing[4];
    char text[160] = "";
    int n = 0, used = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (traits & rows[i].needs && !rows[i].known) {
            missing[n++] = rows[i].what;
        }
    }
    for (int i = 0; i < n; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%s",
                         i == 0       ? ""
                         : i == n - 1 ? " and "
                                      : ", ",
                         missing[i]);
    }
    return n == 0 ? EDGEFILE_OK
                  : edgefile_fail(EDGEFILE_ERR_ARG, "%s needs a graph that is known to be %s",
                                  graphfile_names[format], text);
}

int graphfile_check(graphfile_format format, const graphfile_graph *g)
{
    const graphfile_descriptor *about = graphfile_descriptors[format];
    const unsigned traits = about->facts.traits;
    const uint64_t most = about->most_vertices > 0 ? about->most_vertices : MOST_VERTICES;

    if (g->rows > most || g->cols > most) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "%s needs at most %" PRIu64 " vertices, the graph has %" PRIu64,
                             graphfile_names[format], most, graphfile_vertices(g));
    }
    if (traits & GRAPHFILE_UNSIGNED_IDS && g->signed_ids && g->id_bytes == 4 &&
        graphfile_vertices(g) > MOST_SIGNED) {
        return lacks(format, "ids of 8 bytes, or unsigned ones, for more than 2^31 vertices");
    }
    if (traits & GRAPHFILE_NEEDS_WEIGHTS && g->weight == EDGEFILE_NO_WEIGHT) {
        return lacks(format, "weights");
    }
    if (traits & GRAPHFILE_INT_WEIGHTS && g->weight == EDGEFILE_WEIGHT_F32) {
        return lacks(format, "integer weights");
    }
    if (traits & GRAPHFILE_NEEDS_SIMPLE && g->rows != g->cols) {
        return lacks(format, "equal numbers of source and destination vertices");
    }
    EDGEFILE_TRY(check_shape(format, traits, g));
    return about->check != NULL ? about->check(g) : EDGEFILE_OK;
}

/* The length of the file, computed: exact if every edge takes the same number of bytes, else a
 * maximum.  A line of text has at most the digits of the largest vertex, those of the longest
 * weight, and the format's separators. */

enum { LONGEST_FLOAT = 15, LONGEST_INT = 11 }; /* "-1.23456789e-38" */

static uint64_t line_bytes(const graphfile_descriptor *about, const graphfile_spec *spec)
{
    const graphfile_graph *g = &spec->graph;
    const bool from_1 = spec->format == GRAPHFILE_MTX || spec->format == GRAPHFILE_METIS;
    uint64_t bytes = about->line_bytes + graphfile_n_digits(g->cols - (g->cols > 0 && !from_1));

    if (about->row_bytes == 0) {
        bytes += graphfile_n_digits(g->rows - (g->rows > 0 && !from_1));
    }
    if (g->weight != EDGEFILE_NO_WEIGHT && about->facts.traits & GRAPHFILE_HAS_WEIGHTS) {
        bytes += 1 + (g->weight_text > 0                 ? (uint64_t)g->weight_text
                      : g->weight == EDGEFILE_WEIGHT_F32 ? LONGEST_FLOAT
                                                         : LONGEST_INT);
    }
    return bytes;
}

/* The header names the command that made the graph. */
static uint64_t text_length(const graphfile_spec *spec)
{
    const graphfile_descriptor *about = graphfile_descriptors[spec->format];
    const graphfile_graph *g = &spec->graph;
    const uint64_t header =
        1024 + (spec->comment != NULL ? 2 * strlen(spec->comment) : 0); /* it may break lines */

    return edgefile_sum(edgefile_sum(header, about->row_bytes, g->rows), line_bytes(about, spec),
                        g->edges);
}

uint64_t graphfile_most_bytes(const graphfile_spec *spec, int *exact)
{
    const graphfile_descriptor *about = graphfile_descriptors[spec->format];

    if (exact != NULL) {
        *exact = about->line_bytes == 0 && !(about->facts.traits & GRAPHFILE_EDGEFILE);
    }
    return about->line_bytes > 0   ? text_length(spec)
           : about->length != NULL ? about->length(spec)
                                   : edgefile_sum(0, about->encode->edge_bytes, spec->graph.edges);
}

/* Checks that the edges agree with the spec: vertices below rows and cols and, for formats that
 * need it, sorted edges.  The order within a piece is checked when the piece is written.  The order
 * between pieces, which may arrive in any order, is checked when all of them are written. */

int graphfile_not_sorted(const graphfile_writer *w, uint64_t edge)
{
    return edgefile_fail(
        EDGEFILE_ERR_FORMAT, "edge %" PRIu64 " is not in order, %s needs a sorted graph%s", edge,
        w->about->facts.name,
        w->about->facts.traits & GRAPHFILE_NEEDS_SIMPLE ? " without duplicates" : "");
}

/* Sets `most` to the highest id of this type. */
#define FIND_HIGHEST(type)                                                                         \
    {                                                                                              \
        type highest = 0;                                                                          \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            const type id = ((const type *)ids)[i];                                                \
            highest = id > highest ? id : highest;                                                 \
        }                                                                                          \
        most = highest;                                                                            \
    }

static int check_ids(const graphfile_writer *w, const void *ids, uint64_t count, uint64_t vertices,
                     const char *what)
{
    uint64_t most;

    if (w->spec.graph.id_bytes == 4) {
        FIND_HIGHEST(uint32_t)
    } else
        FIND_HIGHEST(uint64_t)
    if (count > 0 && most >= vertices) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s %" PRIu64 " of an edge, there are %" PRIu64,
                             what, most, vertices);
    }
    return EDGEFILE_OK;
}

/* Whether edge (s, d) may come after edge (a, b). */
static bool follows(const graphfile_writer *w, uint64_t a, uint64_t b, uint64_t s, uint64_t d)
{
    const bool unique = w->about->facts.traits & GRAPHFILE_NEEDS_SIMPLE;

    return s > a || (s == a && (d > b || (d == b && !unique)));
}

static int check_order(const graphfile_writer *w, const graphfile_piece *p)
{
    uint64_t a = graphfile_id(w->spec.graph.id_bytes, p->src, 0),
             b = graphfile_id(w->spec.graph.id_bytes, p->dst, 0);

    for (uint64_t i = 1; i < p->count; i++) {
        const uint64_t s = graphfile_id(w->spec.graph.id_bytes, p->src, i),
                       d = graphfile_id(w->spec.graph.id_bytes, p->dst, i);
        if (!follows(w, a, b, s, d)) {
            return graphfile_not_sorted(w, p->first + i);
        }
        a = s;
        b = d;
    }
    return EDGEFILE_OK;
}

graphfile_ends graphfile_ends_of(const graphfile_writer *w, const graphfile_piece *p)
{
    const int bytes = w->spec.graph.id_bytes;
    graphfile_ends ends = {.first = p->first, .count = p->count};

    if (p->count > 0) {
        ends.first_src = graphfile_id(bytes, p->src, 0);
        ends.first_dst = graphfile_id(bytes, p->dst, 0);
        ends.last_src = graphfile_id(bytes, p->src, p->count - 1);
        ends.last_dst = graphfile_id(bytes, p->dst, p->count - 1);
    }
    return ends;
}

static int keep_ends(graphfile_writer *w, const graphfile_piece *p)
{
    int st = EDGEFILE_OK;

    pthread_mutex_lock(&w->lock);
    if (p->number >= w->n_ends) {
        const uint64_t n = 2 * p->number + 64;
        graphfile_ends *ends = realloc(w->ends, n * sizeof *ends);
        if (ends == NULL) {
            st = edgefile_no_memory(NULL);
        } else {
            memset(ends + w->n_ends, 0, (n - w->n_ends) * sizeof *ends);
            w->ends = ends;
            w->n_ends = n;
        }
    }
    if (st == EDGEFILE_OK) {
        w->ends[p->number] = graphfile_ends_of(w, p);
    }
    pthread_mutex_unlock(&w->lock);
    return st;
}

static int check_columns(const graphfile_writer *w, const graphfile_piece *p)
{
    const bool is_csr = w->spec.format == GRAPHFILE_CSR;

    if (is_csr && p->src != NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is CSR, but src is not NULL",
                             graphfile_name(w));
    }
    if ((!is_csr && p->src == NULL) || p->dst == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    }
    if ((p->weight == NULL) != (w->spec.graph.weight == EDGEFILE_NO_WEIGHT)) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             p->weight == NULL ? "%s: has weights, but weight is NULL"
                                               : "%s: has no weights, but weight is not NULL",
                             graphfile_name(w));
    }
    return EDGEFILE_OK;
}

int graphfile_check_piece(graphfile_writer *w, const graphfile_piece *p)
{
    const unsigned traits = w->about->facts.traits;

    EDGEFILE_TRY(
        edgefile_range_check(graphfile_name(w), "edges", p->first, p->count, w->spec.graph.edges));
    if (p->count == 0) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(check_columns(w, p));
    if (traits & GRAPHFILE_EDGEFILE) { /* its fingerprint is that of the generated edges */
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(check_ids(w, p->src, p->count, w->spec.graph.rows, "source"));
    EDGEFILE_TRY(check_ids(w, p->dst, p->count, w->spec.graph.cols, "destination"));
    if (!(traits & GRAPHFILE_NEEDS_SORTED)) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(check_order(w, p));
    return keep_ends(w, p);
}

int graphfile_check_ends(const graphfile_writer *w)
{
    const graphfile_ends *before = NULL;

    for (uint64_t i = 0; i < w->n_ends; i++) {
        const graphfile_ends *e = &w->ends[i];
        if (e->count == 0) {
            continue;
        }
        if (before != NULL &&
            !follows(w, before->last_src, before->last_dst, e->first_src, e->first_dst)) {
            return graphfile_not_sorted(w, e->first);
        }
        before = e;
    }
    return EDGEFILE_OK;
}
