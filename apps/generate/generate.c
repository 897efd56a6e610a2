/* rmat generate: options, generator, file, pipeline, summary; on one rank or on many. */
#include "apps/generate/generate.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/ranks/rank_group.h"
#include "apps/generate/command.h"
#include "mpi/dist.h"
#include <stdatomic.h>
#include <stdio.h>

typedef struct {
    generate_options options;
    int status; /* of their parsing */
} generate_job;

/* What the file is about to be when a rank is lost, for lost(). */
static const char *_Atomic unmade;

static int generate(const generate_options *o)
{
    double start = clock_seconds();
    generate_backend backend = {0};
    generate_summary summary = {.options = o, .backend = &backend, .file = o->output};
    model_attrs attrs;
    char command[MODEL_COMMAND + 32];
    model_order order = {o->sorted, o->file_format == GRAPHFILE_CSR, o->unique, o->edges,
                         o->base_edges << o->model.symmetrize};
    edgefile_spec spec = {.format = o->format,
                          .rows = o->model.rows,
                          .edges = o->edges,
                          .id_bytes = o->id_bytes,
                          .weight = o->weight,
                          .path = o->path,
                          .replace = o->force,
                          .layout = o->layout,
                          .unaligned = o->sorted,
                          .group = rank_group("generate", o->timeout),
                          .attrs = attrs.list};
    int status;

    model_attrs_fill(&attrs, &o->model, o->base_edges, o->id_bytes, o->sorted ? &order : NULL);
    spec.n_attrs = attrs.n;
    snprintf(command, sizeof command, "%s%s%s", attrs.command,
             generate_converts(o) ? " --format " : "",
             generate_converts(o) ? graphfile_names[o->file_format] : "");
    status = generate_same_job(o, command);
    if (status != EXIT_OK) {
        return status;
    }
    status = generate_agree(generate_backend_open(&backend, o));
    if (status != EXIT_OK) {
        goto done;
    }
    generate_warn();
    if (o->dry_run) {
        status = generate_dry_run(o, &backend, &spec, command);
        goto done;
    }
    summary.command = command;
    interrupt_install();
    atomic_store(&unmade, o->output);
    status = generate_converts(o)
                 ? generate_write_converted(&backend, &spec, attrs.command, &summary)
             : o->sorted ? generate_write_sorted(&backend, &spec, &summary)
                         : generate_write(&backend, &spec, &summary);
    atomic_store(&unmade, NULL);
    if (status == EXIT_OK) {
        summary.seconds = clock_seconds() - start;
        generate_print_summary(&summary);
    }
done:
    generate_backend_close(&backend);
    return status;
}

static int body(void *argument)
{
    const generate_job *job = argument;
    int status = generate_agree(job->status);

    if (status == EXIT_OK && job->options.help) {
        if (dist_rank() == 0) {
            options_help(&generate_command_line, stdout);
        }
    } else if (status == EXIT_OK) {
        status = generate(&job->options);
    }
    return status;
}

static void lost(const char *text)
{
    const char *output = atomic_load(&unmade);

    if (output != NULL) {
        message_print("generate", "%s, '%s' was not made", text, output);
    } else {
        message_print("generate", "%s", text);
    }
}

int generate_main(int argc, char **argv)
{
    generate_job job;
    int status = dist_start();

    if (status != DIST_OK) {
        if (dist_rank() == 0) {
            message_print("generate", "%s", dist_strerror(status));
        }
        return EXIT_RUNTIME;
    }
    message_keep();
    job.status = generate_options_parse(argc, argv, &job.options);
    status = dist_run(body, &job, job.options.timeout, lost);
    if (status < 0) {
        message_print("generate", "%s", dist_strerror(status));
        status = EXIT_RUNTIME;
    }
    dist_stop();
    return status;
}
