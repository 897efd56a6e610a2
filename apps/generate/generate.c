/* rmat generate: options, a job for the engine, a summary; on one rank or on many. */
#include "apps/generate/generate.h"
#include "apps/client/client.h"
#include "apps/client/program.h"
#include "apps/common/message.h"
#include "apps/engine/estimate/estimate.h"
#include "apps/generate/command.h"
#include "mpi/dist.h"

typedef struct {
    generate_options options;
    int status; /* of their parsing */
} parsing;

/* Did all ranks understand their command line? */
static int agree(void *argument)
{
    const parsing *p = argument;

    return client_agree("generate", p->status);
}

static void lost(const char *text)
{
    message_print("generate", "%s", text);
}

static int dry_run(generate_options *o)
{
    engine_estimate e;
    int status = engine_estimate_file(&o->job, &e);

    if (status != ENGINE_OK) {
        return client_fail("generate", status, o->job.output);
    }
    if (dist_rank() == 0 && o->json) {
        generate_estimate_json(&o->job, &e);
    } else if (dist_rank() == 0 && !o->quiet) {
        generate_estimate_lines(&o->job, &e);
    }
    return client_fail("generate", engine_estimate_end(&e), o->job.output);
}

static int statistics(const generate_options *o, client *c)
{
    engine_counts counts;
    int status = engine_count_edges(&o->job, &o->request, &counts);

    status = client_end(c, status, NULL, o->job.edges, 0);
    return status == EXIT_OK && dist_rank() == 0 ? generate_print_statistics(o, &counts) : status;
}

static int generate(generate_options *o)
{
    client c;
    engine_result result = {0};
    int status;

    client_begin(&c, "generate", o->dry_run || o->statistics ? NULL : o->job.output, o->quiet);
    c.keeps = o->job.resume;
    if (c.keeps) {
        program_keeps_partial_files();
    }
    o->job.watch = c.watch;
    if (!o->statistics) {
        client_note_suffix(&c, o->job.output, o->job.format);
    }
    if (o->dry_run) {
        return dry_run(o);
    }
    if (o->statistics) {
        return statistics(o, &c);
    }
    status = generate_gapbs_open(o);
    if (status == ENGINE_OK) {
        status = generate_open_shard(o);
    }
    if (status == ENGINE_OK) {
        status = engine_write_file(&o->job, &result);
    }
    if (status != ENGINE_OK) {
        generate_close_shard(o);
    }
    status =
        client_end(&c, status, o->job.output, result.edges, generate_edge_bytes(&o->job, &result));
    if (status == EXIT_OK && dist_rank() == 0) {
        generate_print_summary(o, &result);
    }
    generate_gapbs_close(o);
    return status;
}

int generate_main(int argc, char **argv)
{
    parsing p;
    int status = engine_start();

    if (status != ENGINE_OK) {
        return client_fail("generate", status, NULL);
    }
    message_keep();
    p.status = generate_options_parse(argc, argv, &p.options);
    status = dist_run(agree, &p, p.options.job.timeout, lost);
    if (status < 0) {
        if (dist_rank() == 0) { /* all ranks know */
            message_print("generate", "%s", dist_strerror(status));
        }
        status = EXIT_RUNTIME;
    } else if (status == EXIT_OK && p.options.help) {
        if (dist_rank() == 0) {
            options_help(&generate_command_line, stdout);
        }
    } else if (status == EXIT_OK) {
        status = generate(&p.options);
    }
    engine_stop();
    return status;
}
