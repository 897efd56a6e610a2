/*
 * Files in the formats of other programs.
 *
 * A list goes from the generator through the writer of the format.  A sorted graph becomes an HDF5
 * file first, beside the output, and is converted: the intervals that it is made of may come in any
 * order, and the number of distinct edges is not known before they are made.
 */
#include "apps/common/clock.h"
#include "apps/engine/formats/formats.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/run.h"
#include "apps/engine/status.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int convert(edge_source *source, const engine_run *run)
{
    const engine_job *o = run->job;
    const format_options options = {.threads = o->threads,
                                    .replace = o->replace,
                                    .columns = o->columns,
                                    .comment = run->comment,
                                    .watch = &o->watch};
    format_result done = {0};
    double start = clock_seconds();
    int status = format_write(source, o->output, o->format, &options, &done);

    run->result->convert_seconds = clock_seconds() - start;
    run->result->file_bytes = done.bytes;
    return status;
}

static int convert_list(engine_run *run)
{
    const engine_backend *backend = run->backend;
    const engine_job *o = run->job;
    engine_result *r = run->result;
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    edge_source_model model = {.gen = gpu ? backend->gpu_gen : backend->cpu_gen,
                               .fallback = gpu && o->fall_back ? backend->cpu_gen : NULL,
                               .config = &o->model,
                               .edges = o->graph_edges,
                               .id_bytes = o->id_bytes};
    edge_source *source;
    int status = edge_source_of_model(&source, &model);

    if (status == ENGINE_OK) {
        status = convert(source, run);
    }
    edge_source_close(source);
    if (status == ENGINE_OK && model.fell_back) {
        engine_note_warning("%s; the CPU made the rest", model.fall_text);
        engine_share_warning(&o->watch);
    }
    r->edges = r->rank_edges = r->stream_edges = o->graph_edges;
    r->fell_back = model.fell_back;
    r->fingerprint = model.fingerprint;
    r->redraws = engine_backend_redraws(backend);
    return status;
}

/* Beside the output, as that is where room is; what goes to a pipe has no such place. */
int engine_name_sorted(const engine_job *o, char name[PATH_MAX])
{
    const char *folder = getenv("TMPDIR");
    int n;

    if (strcmp(o->output, "-") != 0) {
        n = snprintf(name, PATH_MAX, "%s.sorted.partial", o->output);
    } else {
        n = snprintf(name, PATH_MAX, "%s/rmat-%ld.sorted.partial",
                     folder != NULL && *folder != '\0' ? folder : "/tmp", (long)getpid());
    }
    return n < PATH_MAX ? ENGINE_OK : engine_fail("%s: %s", o->output, strerror(ENAMETOOLONG));
}

/* Before hours of work: can the output be made where it is to be? */
static int try_output(const engine_job *o)
{
    const graphfile_spec spec = {
        .format = o->format, .graph = engine_graph(o, o->graph_edges), .replace = o->replace};
    graphfile_writer *writer = NULL;
    int status;

    if (strcmp(o->output, "-") == 0) {
        return ENGINE_OK;
    }
    status = graphfile_create(&writer, o->output, &spec);
    graphfile_abort(&writer);
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail_file(status);
}

static int convert_sorted(const char *name, engine_run *run)
{
    const edge_source_options options = {
        .format = GRAPHFILE_H5, .threads = run->job->threads, .watch = &run->job->watch};
    edge_source *source;
    int status = edge_source_open(&source, name, &options);

    if (status == ENGINE_OK) {
        status = convert(source, run);
    }
    edge_source_close(source);
    return status;
}

int engine_write_format(engine_run *run)
{
    edgefile_spec spec = *run->spec;
    engine_run sorted = *run;
    char name[PATH_MAX];
    int status;

    if (!run->job->sorted) {
        return engine_agree(convert_list(run));
    }
    status = try_output(run->job);
    if (status == ENGINE_OK) {
        status = engine_name_sorted(run->job, name);
    }
    status = engine_agree(status);
    if (status != ENGINE_OK) {
        return status;
    }
    spec.replace = 1;
    sorted.spec = &spec;
    sorted.file = name;
    status = engine_write_sorted(&sorted);
    if (status == ENGINE_OK) {
        status = engine_agree(convert_sorted(name, run));
    }
    unlink(name);
    return status;
}
