/* check.c - can a format hold a graph? */
#include "io/private.h"

#include "io/formats/format.h"

#include <inttypes.h>

#define MOST_VERTICES ((uint64_t)1 << 62) /* of any graph */
#define MOST_SIGNED   ((uint64_t)1 << 31) /* that signed ids of 4 bytes name */

static int lacks(graphfile_format format, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_ARG, "%s needs %s", graphfile_names[format], what);
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
    if (traits & GRAPHFILE_NEEDS_SORTED && !g->sorted) {
        return lacks(format, "a sorted graph");
    }
    if (traits & GRAPHFILE_NEEDS_UNIQUE && !g->unique) {
        return lacks(format, "a graph without duplicate edges");
    }
    if (traits & GRAPHFILE_NO_LOOPS && !g->no_loops) {
        return lacks(format, "a graph without self loops");
    }
    if (traits & GRAPHFILE_NEEDS_PAIRS && g->rows != g->cols) {
        return lacks(format, "equal numbers of source and destination vertices");
    }
    if (traits & GRAPHFILE_NEEDS_PAIRS && !(g->pairs && g->no_loops)) {
        return lacks(format,
                     "an undirected graph with the reverse of each edge and without self loops");
    }
    return EDGEFILE_OK;
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
