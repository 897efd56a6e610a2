/* rmat generate: the command line into a job for the engine, and the job, on one rank or on many.
 */
#include "apps/generate/generate.h"
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "apps/common/message.h"
#include "apps/engine/estimate.h"
#include "apps/generate/model.h"
#include "apps/generate/options.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <string.h>

/* --device-memory is for GPUs and for sorting. */
static int check_device_memory(const bool *given, const engine_job *job)
{
    if (!given[GENERATE_DEVICE_MEMORY]) {
        return EXIT_OK;
    }
    if (job->model.backend == RMAT_BACKEND_CPU) {
        return usage_error("generate",
                           "--device-memory: given with --backend cpu, allowed: with --backend "
                           "auto or gpu");
    }
    return job->sorted ? EXIT_OK
                       : usage_error("generate", "--device-memory: given for a graph that is not "
                                                 "sorted, allowed: with --sorted, --unique, "
                                                 "--dedup or --format csr");
}

static int resolve_devices(const generate_values *raw, const bool *given, engine_job *job)
{
    if (given[GENERATE_DEVICES] && job->model.backend == RMAT_BACKEND_CPU) {
        return usage_error(
            "generate", "--devices: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    job->device_count = raw->devices.count;
    memcpy(job->devices, raw->devices.item, sizeof job->devices);
    return EXIT_OK;
}

static void resolve_resources(const generate_values *raw, const bool *given, engine_job *job)
{
    job->threads = (int)raw->threads;
    job->memory = given[GENERATE_MEMORY] ? raw->memory : 0;
    job->device_memory = raw->device_memory;
    client_obey_tests(job);
}

static int resolve_options(const generate_values *raw, const bool *given, generate_options *out)
{
    engine_job *job = &out->job;
    char rows[NUMBER_TEXT];
    int status;

    memset(out->levels, 0, sizeof out->levels);
    job->model.backend = (rmat_backend)raw->backend;
    job->model.isa = (rmat_isa)raw->isa;
    engine_id_type(raw->id_type, &job->id_bytes, &job->id_sign);
    if ((status = resolve_devices(raw, given, job)) != EXIT_OK ||
        (status = generate_resolve_model(raw, given, out)) != EXIT_OK ||
        (status = generate_resolve_output(raw, given, out)) != EXIT_OK) {
        return status;
    }
    resolve_resources(raw, given, job);
    status = engine_make_plan(&out->plan, job);
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "edges") == 0 &&
        !given[GENERATE_EDGES]) {
        return usage_error("generate", "--edge-factor: '%" PRIu64 "' times %s source vertices: %s",
                           job->edges / out->plan.job.model.rows,
                           format_vertices(rows, out->plan.job.model.rows), engine_detail());
    }
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "redraws") == 0) {
        return usage_error("generate", "--%s: %s", generate_redraw_option(given, &job->model),
                           engine_detail());
    }
    return status == ENGINE_OK ? check_device_memory(given, &out->plan.job)
                               : client_keep("generate", status);
}

static const generate_values defaults = {.scale = {20, 20}, .seed = 1, .weights = "none"};

/* What concerns a job but not its edges, as far as the values are known. */
static void begin_options(const generate_values *raw, generate_options *out)
{
    engine_job_default(&out->job);
    out->as_gapbs = out->default_scale = false;
    out->gapbs = NULL;
    out->job.output = raw->output != NULL ? raw->output : "graph.h5";
    out->job.replace = raw->force;
    out->dry_run = raw->dry_run;
    out->quiet = raw->quiet;
    out->json = raw->json;
    out->help = raw->help;
}

enum { MANY_EDGES = 256 }; /* of a vertex */

/* A graph of which only the edges were given is seldom meant to have 2^20 vertices. */
static void note_scale(const generate_options *o)
{
    const uint64_t factor = o->job.edges / o->plan.job.model.rows;

    if (o->default_scale && factor > MANY_EDGES && !o->quiet && dist_rank() == 0) {
        message_print("generate",
                      "note: --scale is 20, its default, which makes %" PRIu64
                      " edges for each vertex",
                      factor);
    }
}

int generate_parse(int argc, char **argv, generate_options *out)
{
    generate_values raw = defaults;
    bool given[OPTIONS_MAX];
    int status = options_parse(&generate_command_line, argc, argv, &raw, given, NULL);

    begin_options(&raw, out);
    out->default_scale =
        !given[GENERATE_SCALE] && !given[GENERATE_VERTICES] && !given[GENERATE_PRESET];
    return status != EXIT_OK || raw.help ? status : resolve_options(&raw, given, out);
}

/* Parses the command line on all ranks, of which the first one reports errors.  Returns an exit
 * code. */
static int parse_on_ranks(int argc, char **argv, generate_options *options)
{
    int status;

    if (dist_size() > 1) {
        message_keep();
    }
    status = generate_parse(argc, argv, options);
    return client_parsed("generate", status);
}

static int estimate_job(generate_options *o)
{
    engine_estimate e;
    int status = engine_estimate_plan(&o->plan, &e);

    if (status != ENGINE_OK) {
        return client_fail("generate", status, o->job.output);
    }
    if (dist_rank() == 0 && o->json) {
        generate_estimate_json(&o->plan, &e);
    } else if (dist_rank() == 0 && !o->quiet) {
        generate_estimate_lines(&o->plan, &e);
    }
    return client_fail("generate", engine_estimate_end(&e), o->job.output);
}

static int run_job(generate_options *o)
{
    client c;
    engine_result result = {0};
    int status;

    client_begin(&c, "generate", o->dry_run ? NULL : o->job.output, o->quiet);
    o->job.watch = o->plan.job.watch = c.watch;
    client_note_suffix(&c, o->job.output, o->job.format);
    note_scale(o);
    if (o->dry_run) {
        return estimate_job(o);
    }
    status = generate_gapbs_open(o);
    if (status == ENGINE_OK) {
        status = engine_run_plan(&o->plan, NULL, &result);
    }
    status = client_end(&c, status, o->job.output);
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
        status = run_job(&options);
    }
    engine_stop();
    return status;
}
