/* rmat generate: options, generator, file, pipeline, summary. */
#include "apps/generate.h"
#include "apps/clock.h"
#include "apps/commands.h"
#include "apps/interrupt.h"
#include "apps/message.h"
#include "apps/one_process.h"
#include "apps/progress.h"
#include "mpi/dist.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int tick(void *argument, uint64_t done)
{
    progress_update(argument, done);
    return interrupt_signal();
}

const char *generate_path_name(edgefile_path path)
{
    switch (path) {
    case EDGEFILE_PATH_DIRECT:
        return "direct";
    case EDGEFILE_PATH_POSITIONAL:
        return "positional";
    case EDGEFILE_PATH_HDF5:
        return "hdf5";
    default:
        return "auto";
    }
}

/* The exit code for a run that ended early; the partial file is gone by now. */
static int report_failure(const pipeline_result *result, const char *output)
{
    int signal_number = interrupt_signal();

    if (result->error != NULL) {
        return runtime_error("generate", "%s", result->error);
    }
    runtime_error("generate", "stopped by %s, '%s' was not made",
                  signal_number == SIGINT ? "SIGINT" : "SIGTERM", output);
    return 128 + signal_number;
}

/* Everything from the partial file to the finished one. */
static int write_file(generate_backend *backend, const edgefile_spec *spec,
                      generate_summary *summary)
{
    const generate_options *o = summary->options;
    edgefile_writer *writer = NULL;
    pipeline_result result;
    pipeline_plan plan;
    progress bar;
    struct stat st;
    double start;
    int status;

    status = edgefile_create(&writer, o->output, spec);
    if (status != EDGEFILE_OK) {
        return runtime_error("generate", "%s%s", edgefile_detail(),
                             status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
    }
    summary->path = edgefile_used_path(writer);
    generate_backend_plan(backend, o, o->edges, summary->path, &plan);
    summary->buffer_bytes = pipeline_buffer_bytes(&plan);
    summary->chunk = plan.chunk;

    progress_start(&bar, o->edges, 2 * o->id_bytes, o->quiet);
    start = clock_seconds();
    status =
        pipeline_run(&plan, &backend->producer, backend->fallback, writer, tick, &bar, &result);
    if (status != 0 || interrupt_signal() != 0) {
        progress_end(&bar, false);
        edgefile_abort(&writer);
        return report_failure(&result, o->output);
    }
    summary->stream_seconds = clock_seconds() - start;
    summary->fingerprint = result.fingerprint;
    summary->fell_back = result.fell_back;
    if (edgefile_commit(&writer, result.fingerprint) != EDGEFILE_OK) {
        progress_end(&bar, false);
        return runtime_error("generate", "%s", edgefile_detail());
    }
    summary->commit_seconds = clock_seconds() - start - summary->stream_seconds;
    progress_end(&bar, true);
    if (result.fell_back) {
        runtime_error("generate", "%s; the CPU made the rest", result.fall_text);
    }
    summary->file_bytes = stat(o->output, &st) == 0 ? (uint64_t)st.st_size : 0;
    return EXIT_OK;
}

static int generate(const generate_options *o)
{
    double start = clock_seconds();
    generate_backend backend;
    generate_summary summary = {.options = o, .backend = &backend};
    generate_attrs attrs;
    edgefile_spec spec = {.edges = o->edges,
                          .id_bytes = o->id_bytes,
                          .path = o->path,
                          .replace = o->force,
                          .attrs = attrs.list,
                          .n_attrs = GENERATE_ATTRS};
    int status = generate_backend_open(&backend, o);

    if (status != EXIT_OK) {
        goto done;
    }
    generate_attrs_fill(&attrs, o);
    if (o->dry_run) {
        status = generate_dry_run(o, &backend, &spec, attrs.command);
        goto done;
    }
    summary.command = attrs.command;
    interrupt_install();
    status = write_file(&backend, &spec, &summary);
    if (status == EXIT_OK) {
        summary.seconds = clock_seconds() - start;
        generate_print_summary(&summary);
    }
done:
    generate_backend_close(&backend);
    return status;
}

int generate_main(int argc, char **argv)
{
    generate_options options;
    int status = one_process("generate", "writes");

    if (status == EXIT_OK) {
        status = generate_options_parse(argc, argv, &options);
    }
    if (status == EXIT_OK && options.help) {
        options_help(&generate_command_line, stdout);
    } else if (status == EXIT_OK) {
        status = generate(&options);
    }
    dist_stop();
    return status;
}
