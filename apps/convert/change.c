/* Edges of a file that are permuted, turned, symmetrized, sorted or freed of copies on the way: the
 * file is the source of a job of the engine. */
#include "apps/common/clock.h"
#include "apps/common/message.h"
#include "apps/convert/convert.h"
#include "apps/engine/attributes/foreign.h"
#include "apps/engine/source/edge_stream.h"
#include <inttypes.h>
#include <stdio.h>

enum { COMMAND = 96, ATTRS = FOREIGN_ATTRS + 2 };

/* What the job's source points to. */
typedef struct {
    foreign_attrs foreign;
    edgefile_attr list[ATTRS];
    uint64_t seed;
    char command[COMMAND];
} description;

bool convert_changes(const convert_request *r, const graphfile_graph *graph)
{
    const unsigned traits = graphfile_table[r->to]->traits;

    return edge_options_any(&r->values->edges) || r->to == GRAPHFILE_CSR ||
           ((traits & GRAPHFILE_NEEDS_SORTED) && !graph->sorted);
}

static void describe(description *d, const convert_request *r, const edge_source_facts *f,
                     engine_source *source)
{
    const edge_values *v = &r->values->edges;
    const bool random = v->permute || v->weights != NULL;
    size_t n = 0;

    d->seed = r->values->seed;
    snprintf(d->command, sizeof d->command, FOREIGN_COMMAND);
    if (random) {
        snprintf(d->command, sizeof d->command, FOREIGN_COMMAND " --seed %" PRIu64, d->seed);
    }
    foreign_attrs_fill(&d->foreign, &f->graph);
    for (; n < d->foreign.n; n++) {
        d->list[n] = d->foreign.list[n];
    }
    if (*f->made_by != '\0') {
        d->list[n++] = (edgefile_attr){"source", EDGEFILE_STRING, 1, f->made_by};
    }
    if (random) {
        d->list[n++] = (edgefile_attr){"seed", EDGEFILE_U64, 1, &d->seed};
    }
    source->attrs = d->list;
    source->n_attrs = n;
    source->command = d->command;
    source->csr_option = " --to csr";
}

/* Signed ids stay as they are, where the format can have them so. */
static void choose_ids(const convert_request *r, const graphfile_graph *g, engine_job *job)
{
    engine_id_type(r->values->id_type, &job->id_bytes, &job->id_sign);
    if (job->id_bytes == 0 && g->signed_ids &&
        graphfile_table[job->format]->traits & GRAPHFILE_SIGNED_IDS) {
        job->id_bytes = g->id_bytes;
        job->id_sign = ENGINE_SIGNED;
    }
}

static int run(const convert_request *r, const edge_source_facts *f, const engine_source *source,
               client *c, int threads, format_result *result)
{
    const double start = clock_seconds();
    engine_result made;
    engine_job job;
    int status;

    engine_job_default(&job);
    job.source = source;
    job.model.backend = RMAT_BACKEND_CPU;
    job.model.seed = r->values->seed;
    job.edges = source->edges.edges;
    job.format = (graphfile_format)r->to;
    job.output = r->out;
    job.columns = r->values->columns;
    job.compress = r->values->compress;
    job.encoding = (graphfile_encoding)r->values->encoding;
    job.row_group = r->values->row_group;
    choose_ids(r, &f->graph, &job);
    job.replace = r->values->force;
    job.threads = threads;
    job.memory = r->values->memory;
    job.layout = EDGEFILE_LAYOUT_SINGLE;
    job.watch = c->watch;
    status = edge_options_apply("convert", &r->values->edges, &job);
    if (status != EXIT_OK) {
        client_clear(c);
        return status;
    }
    status = engine_write_file(&job, &made);
    if (status == ENGINE_OK) {
        *result = (format_result){.edges = made.edges,
                                  .committed.bytes = made.file_bytes,
                                  .seconds = clock_seconds() - start,
                                  .lost = format_lost(&f->graph, job.format),
                                  .io = made.io};
    }
    return convert_end(c, status, r, &f->graph, result);
}

int convert_change(const convert_request *r, edge_source *source, client *c, int threads,
                   format_result *result)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    edge_stream *stream;
    engine_source edges;
    description d;
    int status = edge_stream_open(&stream, source);

    if (status != ENGINE_OK) {
        return convert_end(c, status, r, &f->graph, result);
    }
    edges = edge_stream_source(stream);
    if (r->values->edges.weights != NULL) {
        edges.edges.weights = RMAT_NO_WEIGHTS; /* others are given, or none */
    }
    describe(&d, r, f, &edges);
    status = run(r, f, &edges, c, threads, result);
    edge_stream_close(stream);
    return status;
}
