/* rmat generate: options, a job for the engine, a summary; on one rank or on many. */
#include "apps/generate/generate.h"
#include "apps/client/client.h"
#include "apps/client/program.h"
#include "apps/common/message.h"
#include "apps/engine/estimate/estimate.h"
#include "apps/generate/command.h"
#include "mpi/dist.h"

/* The body of dist_run(): did all ranks understand their command line?  status: of this rank's
 * parser. */
static int agree_on_parser(void *status)
{
    return client_agree("generate", *(const int *)status);
}

static void report_lost_rank(const char *text)
{
    message_print("generate", "%s", text);
}

/* Parses the command line on all ranks, of which the first one reports errors.  Returns an exit
 * code. */
static int parse_on_ranks(int argc, char **argv, generate_options *options)
{
    int parsed, status;

    if (dist_size() == 1) {
        return generate_options_parse(argc, argv, options);
    }
    message_keep();
    parsed = generate_options_parse(argc, argv, options);
    status = dist_run(agree_on_parser, &parsed, options->job.timeout, report_lost_rank);
    if (status < 0 && dist_rank() == 0) { /* all ranks know */
        message_print("generate", "%s", dist_strerror(status));
    }
    return status < 0 ? EXIT_RUNTIME : status;
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
    generate_options options;
    int status = engine_start();

    if (status != ENGINE_OK) {
        return client_fail("generate", status, NULL);
    }
    status = parse_on_ranks(argc, argv, &options);
    if (status == EXIT_OK && options.help) {
        if (dist_rank() == 0) {
            options_help(&generate_command_line, stdout);
        }
    } else if (status == EXIT_OK) {
        status = generate(&options);
    }
    engine_stop();
    return status;
}
