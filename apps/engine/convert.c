/*
 * convert.c - converts an HDF5 file of ours to any format, on all ranks.  `rmat convert` uses it,
 * and so do sorted graphs in formats that cannot take the intervals one by one.  Formats with row
 * pointers need the edges more than once, and several ranks make intervals out of order.  The
 * engine then writes the graph to an HDF5 file beside the output first, and converts that file.
 */
#include "apps/engine/convert.h"
#include "apps/common/system.h"
#include "apps/engine/run.h"
#include "mpi/dist.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The attributes of an h5 file: the source's model, where it has one. */

enum { VERSION = 64 };

typedef struct {
    model_attrs model;
    char version[VERSION];
    uint64_t stream;
} list_attrs;

/* What `rmat generate` would say of a list of these edges; versions are those of the source. */
static void describe_model(list_attrs *a, const edge_source_facts *f, const graphfile_spec *spec)
{
    edgefile_reader *r = f->reader;
    const file_model *m = f->model;
    const model_ids ids = {spec->graph.id_bytes, spec->graph.signed_ids};
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
}

const char *format_lost(const graphfile_graph *g, graphfile_format to)
{
    const unsigned traits = graphfile_table[to]->traits;
    const bool weights = g->weight != EDGEFILE_NO_WEIGHT && !(traits & GRAPHFILE_HAS_WEIGHTS);
    const bool vertices = !(traits & GRAPHFILE_HAS_VERTICES);

    return weights ? (vertices ? "weights, the number of vertices" : "weights")
                   : (vertices ? "the number of vertices" : "");
}

/* Collective, if there is a group. */
static int write_edges(edge_source *source, graphfile_writer *writer, const graphfile_spec *spec,
                       const format_options *options)
{
    const pipeline_plan buffers =
        edge_pipeline_plan(source, spec->graph.id_bytes, options->threads);
    edge_readers readers = {.source = source,
                            .fingerprints =
                                graphfile_table[spec->format]->traits & GRAPHFILE_EDGEFILE};
    const pipeline_producer producer = edge_producer(&readers, options->threads);
    const engine_rounds rounds = {&buffers, &producer, writer, spec, options->watch};
    pipeline_result done;
    int status = engine_write_rounds(
        &rounds, dist_size() > 1 ? engine_round_edges(options->threads) : spec->graph.edges, &done);

    return status == ENGINE_OK ? engine_agree(edge_source_check_ranks(source)) : status;
}

static int write_file(edge_source *source, const char *out, const graphfile_spec *spec,
                      const format_options *options, uint64_t *bytes)
{
    graphfile_committed committed;
    graphfile_writer *writer;
    int status = engine_file_status(graphfile_create(&writer, out, spec));

    if (status != ENGINE_OK) {
        return status;
    }
    status = write_edges(source, writer, spec, options);
    if (status == ENGINE_OK && graphfile_table[spec->format]->traits & GRAPHFILE_NEEDS_POINTERS) {
        /* It needs all edges, and is less work than they were. */
        status = engine_agree(dist_rank() == 0 ? format_write_pointers(source, writer, options)
                                               : ENGINE_OK);
    }
    if (status != ENGINE_OK) {
        graphfile_abort(&writer);
        return status;
    }
    status = engine_file_status(graphfile_commit(&writer, &committed));
    *bytes = committed.bytes;
    return status;
}

/* Fills in the properties of the file that the options leave to the source. */
static int complete_spec(graphfile_spec *spec, const edge_source_facts *f,
                         const format_options *options)
{
    const int weight_text = spec->graph.weight_text;
    const uint64_t rows = f->graph.rows, cols = f->graph.cols;
    const int status = engine_check_ids(spec->format, options->id_bytes, options->id_sign,
                                        rows > cols ? rows : cols);

    if (status != ENGINE_OK) {
        return status;
    }
    spec->graph = f->graph;
    spec->graph.weight_text = weight_text;
    if (options->id_bytes != 0) {
        spec->graph.id_bytes = options->id_bytes;
    }
    if (options->id_sign != ENGINE_SIGN_AUTO) {
        spec->graph.signed_ids = options->id_sign == ENGINE_SIGNED;
    }
    return graphfile_check(spec->format, &spec->graph) == EDGEFILE_OK
               ? ENGINE_OK
               : engine_refuse("format", "%s", edgefile_detail());
}

int format_write(edge_source *source, const char *out, const format_options *options,
                 uint64_t *bytes)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    graphfile_spec spec = *options->spec;
    list_attrs attrs;
    int status = complete_spec(&spec, f, options);

    if (status != ENGINE_OK) {
        return status;
    }
    if (f->model != NULL) {
        describe_model(&attrs, f, &spec);
    } else {
        model_attrs_foreign(&attrs.model, &spec.graph);
        attrs.model.list[attrs.model.n++] =
            (edgefile_attr){"command", EDGEFILE_STRING, 1, FOREIGN_COMMAND};
    }
    spec.attrs = attrs.model.list;
    spec.n_attrs = attrs.model.n;
    return write_file(source, out, &spec, options, bytes);
}

/* A sorted graph, by way of an HDF5 file. */

graphfile_spec engine_sorted_spec(const engine_plan *p, const graphfile_spec *output)
{
    return (graphfile_spec){.format = p->hdf5_format,
                            .graph = output->graph,
                            .replace = 1,
                            .group = output->group,
                            .attrs = output->attrs,
                            .n_attrs = output->n_attrs,
                            .buffered = p->job.buffered,
                            .unaligned = 1};
}

/* Beside the output, as that is where room is; formats that need it cannot go to a pipe. */
int engine_name_sorted(const engine_job *o, char name[PATH_MAX])
{
    const int n = snprintf(name, PATH_MAX, "%s.sorted.partial", o->output);

    return n < PATH_MAX ? ENGINE_OK : engine_fail("%s: %s", o->output, strerror(ENAMETOOLONG));
}

/* Collective; the same on all ranks. */
static int convert_sorted(const char *name, engine_work *run)
{
    const engine_job *o = &run->plan->job;
    const format_options options = {.threads = o->threads,
                                    .spec = run->spec,
                                    .id_bytes = o->id_bytes,
                                    .id_sign = o->id_sign,
                                    .watch = &o->watch};
    const double start = clock_seconds();
    edge_source *source;
    int status = engine_agree(edge_source_open(&source, name));

    if (status == ENGINE_OK) {
        status = format_write(source, o->output, &options, &run->result->file_bytes);
    }
    run->result->convert_seconds = clock_seconds() - start;
    edge_source_close(source);
    return status;
}

/* Removes the sorted file, which nothing reads after the conversion or the end of the job. */
static struct {
    char name[PATH_MAX];
    struct stat ours; /* st_ino 0: it is not there yet */
} sorted_file;

/* Unless another process has put its own there. */
static void remove_sorted(void)
{
    struct stat now;

    if (sorted_file.ours.st_ino != 0 && stat(sorted_file.name, &now) == 0 &&
        now.st_ino == sorted_file.ours.st_ino && now.st_dev == sorted_file.ours.st_dev) {
        unlink(sorted_file.name);
    }
    sorted_file.ours.st_ino = 0;
}

int engine_abandon(void)
{
    remove_sorted();
    return edgefile_abandon();
}

int engine_write_converted(engine_work *run)
{
    const engine_job *o = &run->plan->job;
    const graphfile_spec spec = engine_sorted_spec(run->plan, run->spec);
    engine_work sorted = *run;
    graphfile_writer *writer = NULL;
    char *name = sorted_file.name;
    int status;

    /* Checks, before hours of work, that the output can be created. */
    status = engine_file_status(graphfile_create(&writer, run->file, run->spec));
    graphfile_abort(&writer);
    if (status == ENGINE_OK) {
        status = engine_name_sorted(o, name);
    }
    status = engine_agree(status);
    if (status != ENGINE_OK) {
        return status;
    }
    sorted.spec = &spec;
    sorted.file = name;
    status = engine_write_sorted(&sorted);
    if (status == ENGINE_OK) {
        dist_hold_poll(0); /* it is not the file that was asked for */
        (void)stat(name, &sorted_file.ours);
        status = convert_sorted(name, run);
    }
    if (dist_rank() == 0) {
        remove_sorted();
    }
    return status;
}
