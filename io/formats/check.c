/* check.c - can a format hold a graph? */
#include "io/private.h"

#include "io/formats/format.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_VERTICES ((uint64_t)1 << 62) /* of any graph */
#define MOST_SIGNED   ((uint64_t)1 << 31) /* that signed ids of 4 bytes name */

static int lacks(graphfile_format format, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_ARG, "%s needs %s", graphfile_names[format], what);
}

/* All of the order and shape that the graph is not known to have: it may have them, as a list in a
 * text file does not say so. */
static int check_shape(graphfile_format format, unsigned traits, const graphfile_graph *g)
{
    const struct {
        unsigned needs;
        int known;
        const char *what;
    } rows[] = {{GRAPHFILE_NEEDS_SORTED, g->sorted, "sorted"},
                {GRAPHFILE_NEEDS_UNIQUE, g->unique, "without duplicate edges"},
                {GRAPHFILE_NO_LOOPS | GRAPHFILE_NEEDS_PAIRS, g->no_loops, "without self-loops"},
                {GRAPHFILE_NEEDS_PAIRS, g->pairs, "undirected (each edge with its reverse)"}};
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
    if (traits & GRAPHFILE_SIGNED_IDS && traits & GRAPHFILE_UNSIGNED_IDS && g->signed_ids &&
        g->id_bytes == 4 && graphfile_vertices(g) > MOST_SIGNED) {
        return lacks(format, "ids of 8 bytes, or unsigned ones, for more than 2^31 vertices");
    }
    if (traits & GRAPHFILE_NEEDS_WEIGHTS && g->weight == EDGEFILE_NO_WEIGHT) {
        return lacks(format, "weights");
    }
    if (traits & GRAPHFILE_INT_WEIGHTS && g->weight == EDGEFILE_WEIGHT_F32) {
        return lacks(format, "integer weights");
    }
    if (traits & GRAPHFILE_NEEDS_PAIRS && g->rows != g->cols) {
        return lacks(format, "equal numbers of source and destination vertices");
    }
    return check_shape(format, traits, g);
}

int graphfile_check_compress(graphfile_format format)
{
    char list[128];

    if (graphfile_table[format]->traits & GRAPHFILE_COMPRESSES) {
        return graphfile_table[format]->traits & GRAPHFILE_EDGEFILE ? edgefile_codec_check()
                                                                    : EDGEFILE_OK;
    }
    graphfile_list(GRAPHFILE_COMPRESSES, list, sizeof list);
    return edgefile_fail(EDGEFILE_ERR_ARG, "given with format %s, allowed: with %s",
                         graphfile_names[format], list);
}

const char *const graphfile_encoding_names[] = {"auto", "plain", "delta", "split", NULL};

int graphfile_check_encoding(graphfile_format format, graphfile_encoding encoding)
{
    if (encoding == GRAPHFILE_ENCODING_AUTO || format == GRAPHFILE_PARQUET) {
        return EDGEFILE_OK;
    }
    return edgefile_fail(EDGEFILE_ERR_ARG, "'%s' given with format %s, allowed: with parquet",
                         graphfile_encoding_names[encoding], graphfile_names[format]);
}

int graphfile_check_row_group(graphfile_format format, uint64_t row_group, const graphfile_graph *g)
{
    const uint64_t edges = row_group > 0 ? row_group : GRAPHFILE_ROW_GROUP;

    if (format != GRAPHFILE_PARQUET) {
        return edges == GRAPHFILE_ROW_GROUP
                   ? EDGEFILE_OK
                   : edgefile_fail(EDGEFILE_ERR_ARG,
                                   "'%" PRIu64 "' given with format %s, allowed: with "
                                   "parquet",
                                   row_group, graphfile_names[format]);
    }
    if (edges % GRAPHFILE_ROW_GROUP_UNIT != 0 || edges > GRAPHFILE_ROW_GROUP_MOST) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "'%" PRIu64 "' is out of range, allowed: multiples of %" PRIu64
                             " (128Ki) up to %" PRIu64 " (128Mi)",
                             row_group, GRAPHFILE_ROW_GROUP_UNIT, GRAPHFILE_ROW_GROUP_MOST);
    }
    if (g != NULL && g->edges / edges >= GRAPHFILE_ROW_GROUPS) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "'%" PRIu64 "' is too small for %" PRIu64
                             " edges, allowed: so many that a file has fewer than %" PRIu64
                             " row groups",
                             edges, g->edges, GRAPHFILE_ROW_GROUPS);
    }
    return EDGEFILE_OK;
}
