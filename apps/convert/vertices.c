/*
 * The vertices of a graph that is converted: compact numbers, OUT.ids, and the table of
 * --vertex-file.
 *
 * Where edges go to OUT as they are, the table is that of the source.  Where they are changed on
 * the way, OUT is read for it.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/whole_file.h"
#include "apps/convert/convert.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/status.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_compact(const convert_values *v)
{
    return v->compact != CONVERT_AS_IT_IS || v->vertex_names || v->drop_isolated || v->largest;
}

static const char *compact_option(const convert_values *v)
{
    return v->compact != CONVERT_AS_IT_IS ? "compact"
           : v->vertex_names              ? "vertex-names"
           : v->drop_isolated             ? "drop-isolated"
                                          : "largest-component";
}

/* The format of the table, by the suffix of its name; -1: it cannot be one. */
static int table_format(const char *name)
{
    const int format = graphfile_format_of(name);

    switch (format) {
    case GRAPHFILE_CSV:
    case GRAPHFILE_TSV:
        return format;
    case GRAPHFILE_H5:
    case GRAPHFILE_PARQUET:
        return graphfile_codec_of_name(name, NULL) == GRAPHFILE_CODEC_NONE ? format : -1;
    default:
        return -1;
    }
}

int convert_check_tables(const convert_request *r)
{
    const convert_values *v = r->values;
    const char *alone = v->components          ? "components"
                        : v->labels > 0        ? "labels"
                        : v->vertex_header > 0 ? "vertex-header"
                                               : NULL;

    if (alone != NULL && v->vertex_file == NULL) {
        return usage_error("convert", "--%s: given alone, allowed: with --vertex-file", alone);
    }
    if (v->edges.permute && (is_compact(v) || v->labels > 0)) {
        return usage_error("convert", "--permute: given with --%s, allowed: without it",
                           is_compact(v) ? compact_option(v) : "labels");
    }
    if (v->labels > 0 && v->vertex_names) {
        return usage_error("convert", "--labels: given with --vertex-names, allowed: for graphs of "
                                      "a model");
    }
    if (v->vertex_file != NULL && table_format(v->vertex_file) < 0) {
        return usage_error("convert",
                           "--vertex-file: '%s' has none of the suffixes of tables, allowed: .csv, "
                           ".tsv, .txt, also with .gz or .zst behind them, .h5, .parquet",
                           v->vertex_file);
    }
    if (v->vertex_file != NULL && (v->vertex_names || v->vertex_header > 0) &&
        !(graphfile_table[table_format(v->vertex_file)]->traits & GRAPHFILE_TEXT)) {
        return usage_error("convert",
                           "--vertex-file: '%s' given with --%s, allowed: .csv, .tsv, .txt",
                           v->vertex_file, v->vertex_names ? "vertex-names" : "vertex-header");
    }
    if (v->vertex_file != NULL && strcmp(v->vertex_file, r->out) == 0) {
        return usage_error("convert", "--vertex-file: '%s' is OUT, allowed: another file",
                           v->vertex_file);
    }
    return EXIT_OK;
}

/* A quarter of the memory may be names. */
int convert_begin_names(convert_tables *t, const convert_request *r)
{
    const uint64_t memory = r->values->memory;

    return !r->values->vertex_names ||
                   graphfile_names_create(&t->names,
                                          (memory != 0 ? memory : sorted_default_memory()) / 4) ==
                       EDGEFILE_OK
               ? ENGINE_OK
               : engine_fail("%s", edgefile_detail());
}

/* Can the vertices of this source be numbered, or have labels? */
static int check_source(convert_tables *t, const convert_request *r, const edge_source_facts *f)
{
    const convert_values *v = r->values;
    const char *given = is_compact(v) ? compact_option(v) : "vertex-file";

    if ((is_compact(v) || v->vertex_file != NULL) && f->graph.rows != f->graph.cols) {
        return usage_error("convert",
                           "--%s: given for %" PRIu64 " source and %" PRIu64
                           " destination vertices, allowed: for equal numbers of both",
                           given, f->graph.rows, f->graph.cols);
    }
    if (v->vertex_file != NULL && convert_is_changed(r, &f->graph) && strcmp(r->out, "-") == 0) {
        return usage_error("convert",
                           "--vertex-file: given for edges that are changed on their way "
                           "to OUT, allowed: if OUT is a file");
    }
    if (v->labels == 0) {
        return EXIT_OK;
    }
    if (f->model == NULL) {
        return usage_error("convert",
                           "--labels: '%" PRIu64 "' given for a graph without a model, "
                           "allowed: for files of rmat generate",
                           v->labels);
    }
    if (rmat_is_official(f->model->drawn.stream)) {
        return usage_error("convert",
                           "--labels: '%" PRIu64 "' given for edges of the stream %s, allowed: of "
                           "rmat and rows",
                           v->labels, rmat_stream_name(f->model->drawn.stream));
    }
    if (v->labels > (uint64_t)1 << f->model->drawn.rows_scale) {
        return usage_error("convert",
                           "--labels: '%" PRIu64 "' out of range, allowed: 2 to %" PRIu64,
                           v->labels, (uint64_t)1 << f->model->drawn.rows_scale);
    }
    rmat_expect_labels(&f->model->drawn, v->labels, &t->homophily);
    return EXIT_OK;
}

static int create(edgefile_small **file, const convert_request *r, const char *given,
                  const char *name)
{
    int status;

    if (whole_file_is_input(name, r->in)) {
        return usage_error("convert", "--%s: '%s' is the same file as IN, allowed: another file",
                           given, name);
    }
    status = edgefile_small_create(file, name, r->values->force);
    return status == EDGEFILE_OK
               ? EXIT_OK
               : runtime_error("convert", "--%s: %s%s", given, edgefile_detail(),
                               status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
}

static int create_files(convert_tables *t, const convert_request *r)
{
    const convert_values *v = r->values;
    int status = EXIT_OK;

    if (v->vertex_file != NULL) {
        status = create(&t->file, r, "vertex-file", v->vertex_file);
    }
    if (status == EXIT_OK && is_compact(v) && strcmp(r->out, "-") != 0) {
        if (snprintf(t->ids_name, PATH_MAX, "%s.ids", r->out) >= PATH_MAX) {
            return runtime_error("convert", "%s: the name is too long", r->out);
        }
        status = create(&t->ids, r, compact_option(v), t->ids_name);
    }
    return status;
}

int convert_begin_tables(convert_tables *t, const convert_request *r, edge_source **source,
                         const engine_watch *watch, int threads)
{
    const convert_values *v = r->values;
    const compact_options how = {.first = v->compact == CONVERT_BY_FIRST ||
                                          (v->compact == CONVERT_AS_IT_IS && v->vertex_names),
                                 .largest = v->largest,
                                 .no_isolated = v->drop_isolated,
                                 .names = t->names};
    const vertices_run run = {threads, v->memory, watch};
    int status;

    t->opened = *source;
    status = check_source(t, r, edge_source_facts_of(*source));
    if (status == EXIT_OK) {
        status = create_files(t, r);
    }
    return status == EXIT_OK && is_compact(v)
               ? client_fail("convert", compact_source(source, &how, &run), r->out)
               : status;
}

/* OUT, whose own numbers the lines have.  Text has lost the number of vertices. */
static int open_out(edge_source **out, const convert_request *r, const graphfile_graph *g,
                    const engine_watch *watch, int threads)
{
    const unsigned traits = graphfile_table[r->to]->traits;
    const uint64_t vertices = traits & GRAPHFILE_HAS_VERTICES ? 0 : g->rows;
    const edge_source_options options = {
        .format = r->to,
        .base = (unsigned)r->values->base,
        .weight = traits & GRAPHFILE_BARE_WEIGHTS ? EDGEFILE_WEIGHT_I32 : EDGEFILE_NO_WEIGHT,
        .rows = vertices,
        .cols = vertices,
        .threads = threads,
        .watch = watch};

    return edge_source_open(out, r->out, &options);
}

static int write_table(const convert_tables *t, const convert_request *r, edge_source *source,
                       const vertices_run *run)
{
    const convert_values *v = r->values;
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const bool changed = convert_is_changed(r, g);
    vertices_table table = {.header = (vertices_header)v->vertex_header,
                            .format = (graphfile_format)table_format(v->vertex_file),
                            .add = v->base,
                            .numbers = is_compact(v) ? source : NULL,
                            .names = t->names,
                            .components = v->components,
                            .classes = v->labels,
                            .model = edge_source_facts_of(t->opened)->model};
    edge_source *read = source;
    int status = changed ? open_out(&read, r, g, run->watch, run->threads) : ENGINE_OK;

    if (status == ENGINE_OK) {
        status = vertices_write(read, t->file, &table, run);
    }
    if (changed) {
        edge_source_close(read);
    }
    return status;
}

static int publish(edgefile_small *file)
{
    return file == NULL || edgefile_small_publish(file, NULL, 0) == EDGEFILE_OK
               ? ENGINE_OK
               : engine_fail("%s", edgefile_detail());
}

int convert_end_tables(convert_tables *t, const convert_request *r, edge_source *source,
                       const engine_watch *watch, int threads)
{
    const vertices_run run = {threads, r->values->memory, watch};
    const vertices_table list = {
        .header = VERTICES_LIST, .format = GRAPHFILE_TSV, .numbers = source, .names = t->names};
    int status = ENGINE_OK;

    if (t->ids != NULL) {
        status = vertices_write(source, t->ids, &list, &run);
    }
    if (status == ENGINE_OK && t->file != NULL) {
        status = write_table(t, r, source, &run);
    }
    if (status == ENGINE_OK) {
        status = publish(t->ids);
    }
    if (status == ENGINE_OK) {
        status = publish(t->file);
    }
    return client_fail("convert", status, r->values->vertex_file);
}

void convert_free_tables(convert_tables *t)
{
    edgefile_small_close(t->ids);
    edgefile_small_close(t->file);
    graphfile_names_free(t->names);
}
