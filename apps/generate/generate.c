/* generate.c - rmat generate: turns the command line into a job for the engine, and runs the job on
 * one rank or on many.
 */
#include "apps/generate/generate.h"
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <string.h>

/* From the values to the job and its plan. */
static int resolve_options(generate_options *o)
{
    engine_job *job = &o->job;
    const bool no_gpu = job->model.backend == RMAT_BACKEND_CPU;
    char rows[NUMBER_TEXT];
    int status;

    if (o->given[GENERATE_DEVICES] && no_gpu) {
        return refuse("--devices: given with --backend cpu, allowed: with --backend auto or gpu");
    }
    job->device_count = o->devices.count;
    memcpy(job->devices, o->devices.item, sizeof job->devices);
    job->threads = (int)o->threads;
    engine_id_type(o->id_type, &job->id_bytes, &job->id_sign);
    if ((status = generate_resolve_model(o)) != EXIT_OK ||
        (status = generate_resolve_output(o)) != EXIT_OK) {
        return status;
    }
    client_obey_tests(job);
    status = engine_make_plan(&o->plan, job);
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "edges") == 0 &&
        !o->given[GENERATE_EDGES]) {
        return refuse("--edge-factor: '%" PRIu64 "' times %s source vertices: %s",
                      job->edges / o->plan.job.model.rows,
                      format_vertices(rows, o->plan.job.model.rows), engine_detail());
    }
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "redraws") == 0) {
        return refuse("--%s: %s", generate_redraw_option(o), engine_detail());
    }
    if (status != ENGINE_OK) {
        return client_refuse("generate");
    }
    if (o->given[GENERATE_DEVICE_MEMORY] && (no_gpu || !o->plan.job.sorted)) {
        return refuse("--device-memory: %s",
                      no_gpu ? "given with --backend cpu, allowed: with --backend auto or gpu"
                             : "given for a graph that is not sorted, allowed: with --sorted, "
                               "--unique, --dedup or --format csr");
    }
    return EXIT_OK;
}

int generate_parse(int argc, char **argv, generate_options *o)
{
    int status;

    memset(o, 0, sizeof *o);
    engine_job_default(&o->job);
    o->scale = (option_pair){20, 20};
    o->weights = "none";
    status = options_parse(&generate_command_line, argc, argv, o, o->given, NULL);
    return status != EXIT_OK || o->help ? status : resolve_options(o);
}

enum { MANY_EDGES = 256 }; /* of a vertex */

/* If only the number of edges is given, the user seldom means a graph of 2^20 vertices. */
static void note_scale(const generate_options *o)
{
    static const int sizes[] = {GENERATE_SCALE, GENERATE_VERTICES, GENERATE_PRESET, -1};
    const uint64_t factor = o->job.edges / o->plan.job.model.rows;

    if (factor > MANY_EDGES && generate_any(o, sizes) < 0 && !o->quiet && dist_rank() == 0) {
        message_print("generate",
                      "note: --scale is 20, its default, which makes %" PRIu64
                      " edges for each vertex",
                      factor);
    }
}

static int estimate_job(generate_options *o)
{
    engine_estimate e;
    int status = engine_estimate_plan(&o->plan, &e);

    if (status != ENGINE_OK) {
        return client_fail("generate", status, o->job.output);
    }
    if (dist_rank() == 0) {
        generate_print_estimate(o, &e);
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
    status = o->as_gapbs ? generate_gapbs_open(o) : ENGINE_OK;
    if (status == ENGINE_OK) {
        status = engine_run_plan(&o->plan, NULL, &result);
    }
    status = client_end(&c, status, o->job.output);
    if (status == EXIT_OK && dist_rank() == 0) {
        generate_print_summary(o, &result);
    }
    if (o->as_gapbs) {
        rmat_destroy(o->gapbs);
    }
    return status;
}

int generate_main(int argc, char **argv)
{
    generate_options options;
    int status = engine_start();

    if (status != ENGINE_OK) {
        return client_fail("generate", status, NULL);
    }
    client_keep();
    status = client_parsed("generate", generate_parse(argc, argv, &options));
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
