/* From an edge source to a file of any format. */
#include "apps/common/clock.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/job.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/run.h"
#include "apps/engine/source/edge_source.h"
#include "apps/engine/status.h"
#include "io/graphfile.h"
#include "mpi/dist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the edges go. */
typedef struct {
    graphfile_writer *writer;
    bool ours; /* what it writes is an HDF5 file of our own, a list */
} destination;

/* HDF5 files of our own from an edge source: the attributes of a list, with the model of the source
 * where it has one; and the row pointers of a sorted graph. */

static void describe_graph(format_attrs *a, const graphfile_graph *g)
{
    foreign_attrs_fill(&a->foreign, g);
    a->foreign.list[a->foreign.n++] =
        (edgefile_attr){"command", EDGEFILE_STRING, 1, FOREIGN_COMMAND};
    a->attrs = a->foreign.list;
    a->n = a->foreign.n;
}

/* What `rmat generate` would say of a list of these edges; versions are those of IN. */
static void describe_model(format_attrs *a, const edge_source_facts *f)
{
    edgefile_reader *r = f->reader;
    const file_model *m = f->model;
    const model_ids ids = {f->graph.id_bytes, f->graph.signed_ids};
    model_order order = m->order;

    order.csr = false;
    model_attrs_fill(&a->model, &m->given, model_base_edges(r, m), ids,
                     order.sorted ? &order : NULL);
    for (size_t i = 0; i < a->model.n; i++) {
        edgefile_attr *attr = &a->model.list[i];

        if (strcmp(attr->name, "matrices") == 0) {
            attr->value = m->levels;
        } else if (strcmp(attr->name, "library_version") == 0 &&
                   edgefile_get_string(r, attr->name, a->version, sizeof a->version) ==
                       EDGEFILE_OK) {
            attr->value = a->version;
        } else if (strcmp(attr->name, "stream_version") == 0 &&
                   edgefile_get_u64(r, attr->name, &a->stream) == EDGEFILE_OK) {
            attr->value = &a->stream;
        }
    }
    a->attrs = a->model.list;
    a->n = a->model.n;
}

static void format_describe(format_attrs *a, const edge_source_facts *f)
{
    if (f->model != NULL) {
        describe_model(a, f);
    } else {
        describe_graph(a, &f->graph);
    }
}

/* The edges of a source into one file, by all ranks: each takes some pieces in
 * turn, so that no rank keeps more than a bounded number of edges. */

enum { EACH = 4 }; /* pieces for a thread, at least */

/* Ranks do about the same, so that rank 0 speaks for all. */
typedef struct {
    const engine_watch *watch;
    uint64_t before, edges; /* in earlier rounds, and of the graph */
} progress;

static int report_round(void *state, const engine_progress *now)
{
    const progress *p = state;
    uint64_t done = p->before + now->done * (uint64_t)dist_size();
    engine_progress all = *now;

    all.done = done < p->edges ? done : p->edges;
    all.share = p->edges > 0 ? (double)all.done / (double)p->edges : 1;
    return p->watch != NULL && p->watch->tick != NULL ? p->watch->tick(p->watch->state, &all) : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Ranks may have different numbers of threads, and all must cut the rounds alike.  Collective. */
static uint64_t mean_threads(int own)
{
    uint64_t sum = (uint64_t)own;

    dist_sum(&sum, 1);
    return sum / (uint64_t)dist_size();
}

uint64_t format_round_edges(int threads)
{
    const uint64_t wanted = EACH * EDGE_SOURCE_PIECE * mean_threads(threads);

    return (wanted + GRAPHFILE_ROUND - 1) / GRAPHFILE_ROUND * GRAPHFILE_ROUND;
}

/* The source compares the fingerprint itself where one process reads everything.  Collective. */
static int check_source(const edge_source *source)
{
    const edge_source_seen seen = edge_source_seen_of(source);
    uint64_t sums[2] = {seen.pieces, seen.fingerprint};

    dist_sum(sums, 2);
    return edge_source_check(source, (edge_source_seen){sums[0], sums[1]});
}

/* The edges by all ranks, in the rounds of graphfile.h.  The body writes
 * pieces.  Returns an engine_status, the same on all ranks.  Collective. */
static int format_write_rounds(edge_source *source, graphfile_writer *writer,
                               const edge_walk_body *body, const format_options *options,
                               double edge_bytes)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    const uint64_t mine = format_round_edges(options->threads) / EDGE_SOURCE_PIECE;
    const uint64_t rank = (uint64_t)dist_rank(), all = mine * (uint64_t)dist_size();
    progress state = {.watch = options->watch, .edges = f->graph.edges};
    const engine_watch watch = {.state = &state, .tick = report_round};
    int status = ENGINE_OK;

    for (uint64_t at = 0; at < f->pieces && status == ENGINE_OK; at += all) {
        const uint64_t first = least(at + rank * mine, f->pieces);
        const uint64_t end = least(first + mine, f->pieces);
        engine_meter meter = engine_meter_of(&watch, "", f->graph.edges, edge_bytes);

        state.before = at * EDGE_SOURCE_PIECE;
        status = engine_agree(edge_walk_some(source, first, end, options->threads, body, &meter));
        if (status == ENGINE_OK && graphfile_end_round(writer) != EDGEFILE_OK) {
            status = engine_fail("%s", edgefile_detail());
        }
    }
    return status == ENGINE_OK ? engine_agree(check_source(source)) : status;
}

static int write_piece(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const destination *d = state;
    const edge_block *e = &m->edges;
    graphfile_piece piece = {m->number, e->first, e->count, e->src, e->dst, e->weight, 0};
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

static int write_edges(edge_source *source, destination *d, const format_options *options)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const edge_walk_body body = {write_piece, cancel_writer, d};
    engine_meter meter =
        engine_meter_of(options->watch, "", g->edges, engine_edge_bytes(g, options->spec->format));

    return options->spec->group != NULL
               ? format_write_rounds(source, d->writer, &body, options, meter.now.edge_bytes)
               : edge_walk_some(source, 0, edge_source_facts_of(source)->pieces, options->threads,
                                &body, &meter);
}

/* Row pointers, and what else follows from all edges: of ranks the first does it where it cannot be
 * shared out, as the others have written the edges, which is most of it. */
static int write_pointers(edge_source *source, const destination *d, const format_options *options)
{
    const edgefile_group *group = options->spec->group;
    int status = ENGINE_OK;

    if (!(graphfile_table[options->spec->format]->traits & GRAPHFILE_NEEDS_POINTERS)) {
        return ENGINE_OK;
    }
    if (group == NULL || group->rank == 0) {
        status = format_write_pointers(source, d->writer, options);
    }
    return group != NULL ? engine_agree(status) : status;
}

static int write_all(edge_source *source, destination *d, const format_options *options,
                     format_result *result)
{
    int status;

    status = write_edges(source, d, options);
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
    return ENGINE_OK;
}

int format_write(edge_source *source, const char *out, const format_options *options,
                 format_result *result)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    graphfile_spec spec = *options->spec;
    destination d = {.ours = graphfile_table[spec.format]->traits & GRAPHFILE_EDGEFILE};
    const double start = clock_seconds();
    format_attrs attrs;
    int status;

    memset(result, 0, sizeof *result);
    result->lost = format_lost(&f->graph, spec.format);
    status = choose_ids(source, options);
    spec.graph = f->graph;
    spec.graph.weight_text = options->spec->graph.weight_text;
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
    graphfile_abort(&d.writer);
    result->seconds = clock_seconds() - start;
    return status;
}
