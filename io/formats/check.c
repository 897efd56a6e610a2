/* io/formats/check.c - can a format hold a graph? */
#include "io/formats/writer.h"

#include <inttypes.h>

static int lacks(graphfile_format format, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_ARG, "%s needs %s", graphfile_table[format].name, what);
}

/* Vertices that ids of the format can tell apart. */
static uint64_t most_vertices(graphfile_format format)
{
    switch (format) {
    case GRAPHFILE_BIN32:
        return (uint64_t)1 << 32;
    case GRAPHFILE_GRAPH500:
        return (uint64_t)1 << 47; /* the 48th bit is a sign */
    case GRAPHFILE_SG:
    case GRAPHFILE_WSG:
        return ((uint64_t)1 << 31) - 2; /* one more is the length of its pointers, an int */
    default:
        return (uint64_t)1 << 62;
    }
}

int graphfile_check(graphfile_format format, const graphfile_graph *g)
{
    const unsigned traits = graphfile_table[format].traits;
    const uint64_t most = most_vertices(format);

    if (g->rows > most || g->cols > most) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s needs at most %" PRIu64 " vertices",
                             graphfile_table[format].name, most);
    }
    if (traits & GRAPHFILE_NEEDS_WEIGHTS && g->weight == EDGEFILE_NO_WEIGHT) {
        return lacks(format, "weights");
    }
    if (traits & GRAPHFILE_INT_WEIGHTS && g->weight == EDGEFILE_WEIGHT_F32) {
        return lacks(format, "integer weights");
    }
    if (traits & GRAPHFILE_NEEDS_SORTED && !g->sorted) {
        return lacks(format, "a sorted graph");
    }
    if (traits & GRAPHFILE_NEEDS_UNIQUE && !g->unique) {
        return lacks(format, "a graph without duplicate edges");
    }
    if (traits & GRAPHFILE_NEEDS_PAIRS && g->rows != g->cols) {
        return lacks(format, "as many source vertices as destination vertices");
    }
    if (traits & GRAPHFILE_NEEDS_PAIRS && !(g->pairs && g->no_loops)) {
        return lacks(format, "an undirected graph, with each edge its reverse, and no self loops");
    }
    return EDGEFILE_OK;
}
