/*
 * Files in the formats of other programs.  A list goes from the generator through the writer of the
 * format.  A sorted graph becomes an HDF5 file first, beside the output, and is converted: the
 * blocks that it is made of may come in any order, and of unique edges it is not known how many
 * there will be.
 */
#include "apps/common/clock.h"
#include "apps/common/message.h"
#include "apps/convert/convert.h"
#include "apps/engine/ranks/agree.h"
#include "apps/generate/generate.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int convert(edge_source *source, const char *comment, generate_summary *summary)
{
    const generate_options *o = summary->options;
    const convert_options options = {.command = "generate",
                                     .threads = o->threads,
                                     .force = o->force,
                                     .quiet = o->quiet,
                                     .comment = comment};
    convert_summary done = {0};
    double start = clock_seconds();
    int status = convert_run(source, o->output, o->file_format, &options, &done);

    summary->convert_seconds = clock_seconds() - start;
    summary->file_bytes = done.bytes;
    return status;
}

static int convert_list(const generate_backend *backend, const char *comment,
                        generate_summary *summary)
{
    const generate_options *o = summary->options;
    bool gpu = backend->used == RMAT_BACKEND_GPU;
    edge_source_model model = {.gen = gpu ? backend->gpu_gen : backend->cpu_gen,
                               .fallback = gpu && o->fall_back ? backend->cpu_gen : NULL,
                               .config = &o->model,
                               .edges = o->edges,
                               .id_bytes = o->id_bytes};
    edge_source *source;
    int status = edge_source_of_model(&source, &model);

    if (status == EXIT_OK) {
        status = convert(source, comment, summary);
    }
    edge_source_close(source);
    if (status == EXIT_OK && model.fell_back) {
        runtime_error("generate", "%s; the CPU made the rest", model.fall_text);
        generate_warn();
    }
    summary->edges = summary->graph_edges = summary->stream_edges = o->edges;
    summary->fell_back = model.fell_back;
    summary->fingerprint = model.fingerprint;
    summary->redraws = generate_backend_redraws(backend);
    return status;
}

/* Beside the output, as that is where room is; what goes to a pipe has no such place. */
int generate_name_sorted(const generate_options *o, char name[PATH_MAX])
{
    const char *folder = getenv("TMPDIR");
    int n;

    if (strcmp(o->output, "-") != 0) {
        n = snprintf(name, PATH_MAX, "%s.sorted.partial", o->output);
    } else {
        n = snprintf(name, PATH_MAX, "%s/rmat-%ld.sorted.partial",
                     folder != NULL && *folder != '\0' ? folder : "/tmp", (long)getpid());
    }
    return n < PATH_MAX ? EXIT_OK
                        : runtime_error("generate", "%s: %s", o->output, strerror(ENAMETOOLONG));
}

/* Before hours of work: can the output be made where it is to be? */
static int try_output(const generate_options *o)
{
    const graphfile_spec spec = {
        .format = o->file_format, .graph = generate_graph(o, o->edges), .replace = o->force};
    graphfile_writer *writer = NULL;
    int status;

    if (strcmp(o->output, "-") == 0) {
        return EXIT_OK;
    }
    status = graphfile_create(&writer, o->output, &spec);
    graphfile_abort(&writer);
    return status == EDGEFILE_OK
               ? EXIT_OK
               : runtime_error("generate", "%s%s", edgefile_detail(),
                               status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
}

static int convert_sorted(const char *name, const char *comment, generate_summary *summary)
{
    const edge_source_options options = {.command = "generate",
                                         .format = GRAPHFILE_H5,
                                         .threads = summary->options->threads,
                                         .quiet = summary->options->quiet};
    edge_source *source;
    int status = edge_source_open(&source, name, &options);

    if (status == EXIT_OK) {
        status = convert(source, comment, summary);
    }
    edge_source_close(source);
    return status;
}

int generate_write_converted(generate_backend *backend, const edgefile_spec *spec,
                             const char *comment, generate_summary *summary)
{
    edgefile_spec sorted = *spec;
    char name[PATH_MAX];
    int status;

    if (!summary->options->sorted) {
        return generate_agree(convert_list(backend, comment, summary));
    }
    status = try_output(summary->options);
    if (status == EXIT_OK) {
        status = generate_name_sorted(summary->options, name);
    }
    status = generate_agree(status);
    if (status != EXIT_OK) {
        return status;
    }
    sorted.replace = 1;
    summary->file = name;
    status = generate_write_sorted(backend, &sorted, summary);
    if (status == EXIT_OK) {
        status = generate_agree(convert_sorted(name, comment, summary));
    }
    unlink(name);
    return status;
}
