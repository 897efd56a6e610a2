/* From an edge source to a file in the format of another program. */
#include "apps/common/clock.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/job.h"
#include "apps/engine/source/edge_walk.h"
#include "apps/engine/status.h"
#include "io/graphfile.h"
#include <stdio.h>
#include <string.h>

static int visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const graphfile_piece piece = {m->number,    m->edges.first, m->edges.count,
                                   m->edges.src, m->edges.dst,   m->edges.weight};
    int status = graphfile_write(state, &piece);

    (void)thread;
    if (status == EDGEFILE_OK) {
        return 0;
    }
    /* PEER: who reads from the pipe has left, or another thread has said what failed. */
    snprintf(text, size, "%s", status == EDGEFILE_ERR_PEER ? "" : edgefile_detail());
    return -1;
}

static void stop(void *state)
{
    graphfile_cancel(state);
}

const char *format_lost(const graphfile_graph *g, graphfile_format to)
{
    const unsigned traits = graphfile_table[to]->traits;
    const bool weights = g->weight != EDGEFILE_NO_WEIGHT && !(traits & GRAPHFILE_HAS_WEIGHTS);
    const bool vertices = !(traits & GRAPHFILE_HAS_VERTICES);

    return weights ? (vertices ? "weights, the number of vertices" : "weights")
                   : (vertices ? "the number of vertices" : "");
}

/* Bytes of an edge in the file, about: for the progress, until the file is complete. */
static double guess_bytes(const graphfile_graph *g, graphfile_format to)
{
    const bool weights =
        g->weight != EDGEFILE_NO_WEIGHT && graphfile_table[to]->traits & GRAPHFILE_HAS_WEIGHTS;
    double digits = 1;

    if (graphfile_table[to]->traits & GRAPHFILE_TEXT) {
        for (uint64_t v = g->rows; v >= 10; v /= 10) {
            digits++;
        }
        return 2 * digits + 2 + (!weights ? 0 : g->weight == EDGEFILE_WEIGHT_F32 ? 11 : 4);
    }
    return 2 * g->id_bytes + (weights ? 4 : 0);
}

static int end_round(void *writer)
{
    return graphfile_end_round(writer);
}

static int write_edges(edge_source *source, graphfile_writer *writer, graphfile_format to,
                       const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const edge_walk_body body = {visit, stop, writer};
    const format_rounds rounds = {graphfile_round(writer), end_round, writer};
    uint64_t begin, resumed = graphfile_resumed(writer, &begin);
    engine_meter meter = engine_meter_of(options->watch, "", g->edges, guess_bytes(g, to));

    meter.before = (double)resumed;
    return options->group != NULL
               ? format_write_rounds(source, begin, &rounds, &body, options, meter.now.edge_bytes)
               : edge_walk_some(source, begin, edge_source_facts_of(source)->pieces,
                                options->threads, &body, &meter);
}

/* Of ranks, the first: the others have written the edges, which is most of it. */
static int write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options)
{
    int status = ENGINE_OK;

    if (options->group == NULL || options->group->rank == 0) {
        status = format_write_pointers(source, writer, options);
    }
    return options->group != NULL ? format_agree(status) : status;
}

static int write_all(edge_source *source, graphfile_writer **writer, graphfile_format to,
                     const format_options *options, format_result *result)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    uint64_t pieces;
    int status = write_edges(source, *writer, to, options);

    result->resumed = graphfile_resumed(*writer, &pieces);
    if (status == ENGINE_OK && graphfile_table[to]->traits & GRAPHFILE_NEEDS_POINTERS) {
        status = write_pointers(source, *writer, options);
    }
    if (status == ENGINE_OK) {
        int st = graphfile_commit(writer, &result->bytes);

        status = st == EDGEFILE_OK ? ENGINE_OK : engine_fail_graphfile(st);
    }
    result->edges = g->edges;
    return status;
}

/* From here on the source has ids of the type that they are to have in the file. */
static int choose_ids(edge_source *source, graphfile_format to, const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const uint64_t vertices = g->rows > g->cols ? g->rows : g->cols;
    const int status = engine_check_ids(to, options->id_bytes, options->id_sign, vertices);

    if (status == ENGINE_OK) {
        edge_source_set_ids(source, options->id_bytes != 0 ? options->id_bytes : g->id_bytes,
                            options->id_sign == ENGINE_SIGN_AUTO
                                ? g->signed_ids
                                : options->id_sign == ENGINE_SIGNED);
    }
    return status;
}

int format_write(edge_source *source, const char *out, graphfile_format to,
                 const format_options *options, format_result *result)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    graphfile_spec spec = {.format = to,
                           .replace = options->replace,
                           .comment = options->comment,
                           .group = options->group,
                           .columns = options->columns,
                           .compress = options->compress,
                           .encoding = options->encoding,
                           .row_group = options->row_group,
                           .record_seconds = options->record_seconds,
                           .resume = options->resume};
    const double start = clock_seconds();
    graphfile_writer *writer;
    int status;

    memset(result, 0, sizeof *result);
    result->lost = format_lost(g, to);
    status = choose_ids(source, to, options);
    spec.graph = *g;
    if (status != ENGINE_OK) {
        return status;
    }
    if (graphfile_table[to]->traits & GRAPHFILE_EDGEFILE) {
        status = format_write_hdf5(source, out, options, result);
    } else if (graphfile_check(to, g) != EDGEFILE_OK) {
        status = engine_refuse("format", "%s", edgefile_detail());
    } else if (options->columns != NULL &&
               graphfile_check_columns(to, options->columns, g) != EDGEFILE_OK) {
        status = engine_refuse("columns", "%s", edgefile_detail());
    } else if (graphfile_check_row_group(to, options->row_group, g) != EDGEFILE_OK) {
        status = engine_refuse("row_group", "%s", edgefile_detail());
    } else {
        status = graphfile_create(&writer, out, &spec);
        status = status == EDGEFILE_OK ? write_all(source, &writer, to, options, result)
                                       : engine_fail_graphfile(status);
        if (options->resume) {
            graphfile_keep_partial(&writer);
        } else {
            graphfile_abort(&writer);
        }
    }
    result->seconds = clock_seconds() - start;
    return status;
}
