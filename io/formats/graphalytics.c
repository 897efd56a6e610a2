/*
 * graphalytics.c - graphalytics: a data set of LDBC Graphalytics, in three files of text.
 *
 * NAME.e, the main file, has an edge per line, "src dst" or "src dst weight", in ascending order;
 * of an undirected graph each edge once, its smaller vertex first.  NAME.v has all vertices, those
 * without edges too, one per line.  NAME.properties tells the benchmark about them, and from which
 * vertex to search.  A graph is undirected if every edge is known to have its reverse.
 * (Specification 1.0, section 2.2.2.)
 *
 * The other two files count as part of the graph: if one of them exists, NAME.e counts as existing.
 */
#include "io/formats/digits.h"
#include "io/formats/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* MOST_PROPERTIES: bytes of NAME.properties beside its comment; each line can have a file name. */
enum { VERTICES, PROPERTIES, BESIDE, BATCH = 1 << 16, MOST_PROPERTIES = 1 << 13 };

static const char *const suffixes[BESIDE] = {".v", ".properties"};

/* The length of NAME.v: vertices of n digits are those from 10^(n - 1) to 10^n - 1. */
static uint64_t vertices_length(const graphfile_graph *g)
{
    const uint64_t count = graphfile_vertices(g);
    uint64_t length = 2 * count, least = 10; /* a digit and the end of the line */

    while (least < count) {
        length += count - least;
        if (__builtin_mul_overflow(least, 10, &least)) {
            break;
        }
    }
    return length;
}

static char *name_beside(const graphfile_writer *w, int i, bool *wanted)
{
    *wanted = true;
    return graphfile_name_beside(w, suffixes[i]);
}

/* Weights are lengths: neither negative nor infinite. */
static int check_edges(const graphfile_writer *w, const graphfile_piece *p)
{
    const int id_bytes = w->spec.graph.id_bytes;
    const bool whole = w->spec.graph.weight == EDGEFILE_WEIGHT_I32;

    for (uint64_t i = 0; i < p->count; i++) {
        const double weight = p->weight == NULL ? 1
                              : whole           ? ((const int32_t *)p->weight)[i]
                                                : (double)((const float *)p->weight)[i];

        if (graphfile_id(id_bytes, p->src, i) == graphfile_id(id_bytes, p->dst, i)) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "edge %" PRIu64 " is a self loop, graphalytics needs a graph "
                                 "without self loops",
                                 p->first + i);
        }
        if (!(weight >= 0 && weight < HUGE_VAL)) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "graphalytics needs finite weights of at least 0, edge %" PRIu64
                                 " has %g",
                                 p->first + i, weight);
        }
    }
    return EDGEFILE_OK;
}

static int encode(const graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    EDGEFILE_TRY(check_edges(w, p));
    return graphfile_put_lines(w, p, b,
                               (graphfile_line){.blank = ' ', .once = w->spec.graph.pairs != 0});
}

static int write_vertices(graphfile_writer *w, graphfile_plain *file)
{
    const uint64_t count = graphfile_vertices(&w->spec.graph);
    graphfile_buffer *b = graphfile_take_buffer(w, false);
    uint64_t offset = 0;
    int st = b != NULL ? EDGEFILE_OK : edgefile_no_memory(NULL);

    graphfile_plain_reserve(file, vertices_length(&w->spec.graph));
    for (uint64_t v = 0; v < count && st == EDGEFILE_OK; v += BATCH) {
        const uint64_t end = count - v < BATCH ? count : v + BATCH;
        char *const from = graphfile_reserve(b, BATCH * (GRAPHFILE_DIGITS + 1) + GRAPHFILE_SLACK);
        char *to = from;

        for (uint64_t id = v; id < end && from != NULL; id++) {
            to = graphfile_put_u64(to, id);
            *to++ = '\n';
        }
        st = from != NULL ? graphfile_plain_write(file, offset, from, (size_t)(to - from))
                          : edgefile_no_memory(NULL);
        offset += (uint64_t)(to - from);
    }
    if (b != NULL) {
        graphfile_give_buffer(w, b);
    }
    return st;
}

/* A name in a properties file, where some characters stand for themselves behind a backslash. */
static int put_name(graphfile_buffer *b, const char *name, int length)
{
    const char *end = name + length, *slash = memrchr(name, '/', (size_t)length);

    name = slash != NULL ? slash + 1 : name;
    for (; name < end; name++) {
        const char *escape = strchr(" \t\f:=#!,\\", *name) != NULL ? "\\" : "";

        if (graphfile_print(b, "%s%c", escape, *name) != EDGEFILE_OK) {
            return edgefile_no_memory(NULL);
        }
    }
    return EDGEFILE_OK;
}

static int put_key(graphfile_buffer *b, const char *name, const char *key)
{
    EDGEFILE_TRY(graphfile_print(b, "graph."));
    EDGEFILE_TRY(put_name(b, name, graphfile_stem_length(name, ".e")));
    return graphfile_print(b, ".%s = ", key);
}

static int put_property(graphfile_buffer *b, const char *name, const char *key, const char *value)
{
    EDGEFILE_TRY(put_key(b, name, key));
    return graphfile_print(b, "%s\n", value);
}

static int put_number(graphfile_buffer *b, const char *name, const char *key, uint64_t value)
{
    EDGEFILE_TRY(put_key(b, name, key));
    return graphfile_print(b, "%" PRIu64 "\n", value);
}

static int put_file(graphfile_buffer *b, const char *name, const char *key, const char *file)
{
    EDGEFILE_TRY(put_key(b, name, key));
    EDGEFILE_TRY(put_name(b, file, (int)strlen(file)));
    return graphfile_print(b, "\n");
}

/* The first vertex that has an edge to another one; 0 if none has. */
static uint64_t first_source(const graphfile_writer *w)
{
    for (uint64_t i = 0; i < w->n_ends; i++) {
        if (w->ends[i].count > 0) {
            return w->ends[i].first_src;
        }
    }
    return 0;
}

/* Iterations and damping are those of the benchmark's own synthetic data sets. */
static int put_properties(const graphfile_writer *w, graphfile_buffer *b)
{
    const char *name = w->file.name;
    const graphfile_graph *g = &w->spec.graph;
    const bool weights = g->weight != EDGEFILE_NO_WEIGHT;
    const uint64_t source = first_source(w);

    EDGEFILE_TRY(graphfile_comment(w, b, '#'));
    EDGEFILE_TRY(put_file(b, name, "vertex-file", w->beside[VERTICES].name));
    EDGEFILE_TRY(put_file(b, name, "edge-file", name));
    EDGEFILE_TRY(put_number(b, name, "meta.vertices", graphfile_vertices(g)));
    EDGEFILE_TRY(put_number(b, name, "meta.edges", g->pairs ? g->edges / 2 : g->edges));
    EDGEFILE_TRY(put_property(b, name, "directed", g->pairs ? "false" : "true"));
    if (weights) {
        EDGEFILE_TRY(put_property(b, name, "edge-properties.names", "weight"));
        EDGEFILE_TRY(put_property(b, name, "edge-properties.types", "real"));
    }
    EDGEFILE_TRY(
        put_property(b, name, "algorithms",
                     weights ? "bfs, cdlp, lcc, pr, sssp, wcc" : "bfs, cdlp, lcc, pr, wcc"));
    EDGEFILE_TRY(put_number(b, name, "bfs.source-vertex", source));
    EDGEFILE_TRY(put_number(b, name, "cdlp.max-iterations", 10));
    EDGEFILE_TRY(put_property(b, name, "pr.damping-factor", "0.85"));
    EDGEFILE_TRY(put_number(b, name, "pr.num-iterations", 10));
    if (weights) {
        EDGEFILE_TRY(put_property(b, name, "sssp.weight-property", "weight"));
        EDGEFILE_TRY(put_number(b, name, "sssp.source-vertex", source));
    }
    return EDGEFILE_OK;
}

static int write_properties(graphfile_writer *w)
{
    graphfile_buffer b = {0};
    int st = put_properties(w, &b);

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_write(&w->beside[PROPERTIES], 0, b.data, b.bytes);
    }
    graphfile_buffer_free(&b);
    return st;
}

/* The other files, by the first process. */
static int finish_graphalytics(graphfile_writer *w)
{
    if (!graphfile_is_first(w)) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(write_vertices(w, &w->beside[VERTICES]));
    return write_properties(w);
}

static uint64_t most_bytes(const graphfile_spec *s, int *exact)
{
    *exact = 0;
    return graphfile_text_length(s) + vertices_length(&s->graph) + MOST_PROPERTIES;
}

static const graphfile_write_ops write_ops = {.encode = encode,
                                              .name_beside = name_beside,
                                              .n_beside = BESIDE,
                                              .finish = finish_graphalytics};

const graphfile_descriptor graphfile_graphalytics_format = {
    .facts = {"graphalytics", ".e",
              "LDBC Graphalytics: edges in NAME.e, with NAME.v and NAME.properties",
              GRAPHFILE_TEXT | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_SIMPLE |
                  GRAPHFILE_NO_LOOPS | GRAPHFILE_WEIGHTS_FROM_0},
    .write = &write_ops,
    .line_bytes = 2,
    .halves = true,
    .most = most_bytes,
};
