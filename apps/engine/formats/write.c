/* From an edge source to a file of any format. */
#include "apps/common/clock.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/job.h"
#include "apps/engine/source/edge_walk.h"
#include "apps/engine/status.h"
#include "io/graphfile.h"
#include <stdio.h>
#include <string.h>

/* Where the edges go. */
typedef struct {
    graphfile_writer *writer;
    bool ours, csr; /* what it writes is an HDF5 file of our own; compressed sparse rows */
} destination;

static int write_piece(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const destination *d = state;
    const edge_block *e = &m->edges;
    graphfile_piece piece = {m->number, e->first,  e->count, d->csr ? NULL : e->src,
                             e->dst,    e->weight, 0};
    int status;

    (void)thread;
    if (d->ours) {
        piece.fingerprint = rmat_fingerprint(e->src, e->dst, e->count, e->id_bytes);
    }
    status = graphfile_write(d->writer, &piece);
    if (status == EDGEFILE_OK) {
        return 0;
    }
    /* PEER: who reads from the pipe has left, or another thread has said what failed. */
    snprintf(text, size, "%s", status == EDGEFILE_ERR_PEER ? "" : edgefile_detail());
    return -1;
}

static void cancel_writer(void *state)
{
    graphfile_cancel(((const destination *)state)->writer);
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

static int write_edges(edge_source *source, destination *d, const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const edge_walk_body body = {write_piece, cancel_writer, d};
    uint64_t begin, resumed = graphfile_resumed(d->writer, &begin);
    engine_meter meter =
        engine_meter_of(options->watch, "", g->edges, guess_bytes(g, options->spec->format));

    meter.before = (double)resumed;
    return options->spec->group != NULL
               ? format_write_rounds(source, begin, d->writer, &body, options, meter.now.edge_bytes)
               : edge_walk_some(source, begin, edge_source_facts_of(source)->pieces,
                                options->threads, &body, &meter);
}

/* Row pointers, and what else follows from all edges: of ranks the first does it where it cannot be
 * shared out, as the others have written the edges, which is most of it. */
static int write_pointers(edge_source *source, const destination *d, const format_options *options)
{
    const edgefile_group *group = options->spec->group;
    int status = ENGINE_OK;

    if (d->csr) {
        return format_copy_pointers(edge_source_facts_of(source), d->writer);
    }
    if (!(graphfile_table[options->spec->format]->traits & GRAPHFILE_NEEDS_POINTERS)) {
        return ENGINE_OK;
    }
    if (group == NULL || group->rank == 0) {
        status = format_write_pointers(source, d->writer, options);
    }
    return group != NULL ? format_agree(status) : status;
}

static int write_all(edge_source *source, destination *d, const format_options *options,
                     format_result *result)
{
    int status;

    result->io = d->ours ? graphfile_used_path(d->writer) : EDGEFILE_PATH_AUTO;
    status = write_edges(source, d, options);
    result->resumed = graphfile_resumed(d->writer, NULL);
    if (status == ENGINE_OK) {
        status = write_pointers(source, d, options);
    }
    if (status == ENGINE_OK) {
        int st = graphfile_commit(&d->writer, &result->committed);

        status = st == EDGEFILE_OK ? ENGINE_OK : engine_fail_graphfile(st);
    }
    result->edges = edge_source_facts_of(source)->graph.edges;
    return status;
}

/* From here on the source has ids of the type that they are to have in the file. */
static int choose_ids(edge_source *source, const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const uint64_t vertices = g->rows > g->cols ? g->rows : g->cols;
    const int status =
        engine_check_ids(options->spec->format, options->id_bytes, options->id_sign, vertices);

    if (status == ENGINE_OK) {
        edge_source_set_ids(source, options->id_bytes != 0 ? options->id_bytes : g->id_bytes,
                            options->id_sign == ENGINE_SIGN_AUTO
                                ? g->signed_ids
                                : options->id_sign == ENGINE_SIGNED);
    }
    return status;
}

/* Can the format hold the graph, which is known by now? */
static int check_spec(const graphfile_spec *spec)
{
    if (graphfile_check(spec->format, &spec->graph) != EDGEFILE_OK) {
        return engine_refuse("format", "%s", edgefile_detail());
    }
    if (spec->columns != NULL &&
        graphfile_check_columns(spec->format, spec->columns, &spec->graph) != EDGEFILE_OK) {
        return engine_refuse("columns", "%s", edgefile_detail());
    }
    if (graphfile_check_row_group(spec->format, spec->row_group, &spec->graph) != EDGEFILE_OK) {
        return engine_refuse("row_group", "%s", edgefile_detail());
    }
    return ENGINE_OK;
}

int format_write(edge_source *source, const char *out, const format_options *options,
                 format_result *result)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    graphfile_spec spec = *options->spec;
    destination d = {.ours = graphfile_table[spec.format]->traits & GRAPHFILE_EDGEFILE,
                     .csr = spec.format == GRAPHFILE_CSR};
    const double start = clock_seconds();
    format_attrs attrs;
    int status;

    memset(result, 0, sizeof *result);
    result->lost = format_lost(&f->graph, spec.format);
    status = choose_ids(source, options);
    spec.graph = f->graph;
    if (status == ENGINE_OK) {
        status = check_spec(&spec);
    }
    if (status != ENGINE_OK) {
        return status;
    }
    if (d.ours && spec.n_attrs == 0) {
        format_describe(&attrs, f);
        spec.attrs = attrs.attrs;
        spec.n_attrs = attrs.n;
    }
    status = graphfile_create(&d.writer, out, &spec);
    status = status == EDGEFILE_OK ? write_all(source, &d, options, result)
                                   : engine_fail_graphfile(status);
    if (spec.resume) {
        graphfile_keep_partial(&d.writer);
    } else {
        graphfile_abort(&d.writer);
    }
    result->seconds = clock_seconds() - start;
    return status;
}
