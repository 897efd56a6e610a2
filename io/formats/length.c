/*
 * length.c - how long the file of a graph becomes, by arithmetic: exactly where every edge takes
 * the same number of bytes, else at most.
 *
 * A line of text has at most the digits of the largest vertex, those of the longest weight, and
 * what the format puts between them.
 */
#include "io/formats/digits.h"
#include "io/formats/writer.h"

#include <string.h>

enum { LONGEST_FLOAT = 15, LONGEST_INT = 11 }; /* "-1.23456789e-38" */

/* a + b * c, or UINT64_MAX. */
static uint64_t add_times(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x;

    return __builtin_mul_overflow(b, c, &x) || __builtin_add_overflow(a, x, &x) ? UINT64_MAX : x;
}

/* The digits of the number of the last vertex, which has the most. */
static size_t id_bytes(const graphfile_descriptor *about, const graphfile_spec *spec,
                       uint64_t vertices)
{
    const uint64_t base = about->facts.traits & GRAPHFILE_HAS_BASE ? spec->base : 1;

    return graphfile_n_digits(vertices > 0 ? vertices - 1 + base : 0);
}

static uint64_t line_bytes(const graphfile_descriptor *about, const graphfile_spec *spec)
{
    const graphfile_graph *g = &spec->graph;
    uint64_t bytes = about->line_bytes + id_bytes(about, spec, g->cols);

    if (about->row_bytes == 0) {
        bytes += id_bytes(about, spec, g->rows);
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

    return add_times(add_times(header, about->row_bytes, g->rows), line_bytes(about, spec),
                     g->edges);
}

uint64_t graphfile_most_bytes(const graphfile_spec *spec, int *exact)
{
    const graphfile_descriptor *about = graphfile_descriptors[spec->format];

    if (about->most != NULL) {
        return about->most(spec, exact);
    }
    *exact = about->line_bytes == 0;
    return about->line_bytes > 0   ? text_length(spec)
           : about->length != NULL ? about->length(&spec->graph)
                                   : add_times(0, about->edge_bytes, spec->graph.edges);
}
