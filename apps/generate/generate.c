/* rmat generate: the command line into a job for the engine, and the job, on one rank or on many.
 */
#include "apps/generate/generate.h"
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/engine/estimate/estimate.h"
#include "apps/generate/model.h"
#include "apps/generate/options.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <string.h>

/* --device-memory is for GPUs and for sorting.  The job is complete. */
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
    /* AUTO never was a promise of a GPU. */
    job->fall_back =
        given[GENERATE_FALLBACK] ? raw->fallback != 0 : job->model.backend == RMAT_BACKEND_AUTO;
    job->layout = (edgefile_layout)raw->layout;
    job->memory = given[GENERATE_MEMORY] ? raw->memory : 0;
    job->device_memory = raw->device_memory;
    job->exchange = (rmat_exchange_way)raw->exchange;
    job->resume = raw->resume;
    job->checkpoint = raw->checkpoint;
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
    status = engine_complete(job);
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "edges") == 0 &&
        !given[GENERATE_EDGES]) {
        return usage_error("generate", "--edge-factor: '%" PRIu64 "' times %s source vertices: %s",
                           job->edges / job->model.rows, format_vertices(rows, job->model.rows),
                           engine_detail());
    }
    if (status == ENGINE_ERR_JOB && strcmp(engine_field(), "redraws") == 0) {
        return usage_error("generate", "--%s: %s", generate_redraw_option(given, &job->model),
                           engine_detail());
    }
    return status == ENGINE_OK ? check_device_memory(given, job) : client_keep("generate", status);
}

static const generate_values defaults = {
    .scale = 20, .seed = 1, .timeout = 60, .checkpoint = 30, .weights = "none"};

/* What concerns a job but not its edges, as far as the values are known. */
static void begin_options(const generate_values *raw, generate_options *out)
{
    engine_job_default(&out->job);
    out->size = 0;
    out->seeds = 1;
    out->as_gapbs = out->made_folder = false;
    out->gapbs = NULL;
    out->job.timeout = (double)raw->timeout; /* needed even after an error */
    out->job.output = raw->output != NULL ? raw->output : "graph.h5";
    out->job.replace = raw->force;
    out->dry_run = raw->dry_run;
    out->statistics = raw->statistics;
    out->quiet = raw->quiet;
    out->json = raw->json;
    out->help = raw->help;
}

/* Graph `nth` of --seeds at that scale of --size: as generate_resolve_many(). */
static int parse_one(int argc, char **argv, uint64_t nth, uint64_t scale, generate_options *out)
{
    generate_values raw = defaults;
    bool given[OPTIONS_MAX];
    int status = options_parse(&generate_command_line, argc, argv, &raw, given, NULL);

    begin_options(&raw, out);
    if (status == EXIT_OK && !raw.help) {
        status = generate_resolve_many(&raw, given, nth, scale, out);
        out->job.output = raw.output != NULL ? raw.output : out->job.output;
    }
    return status != EXIT_OK || raw.help ? status : resolve_options(&raw, given, out);
}

int generate_options_parse(int argc, char **argv, generate_options *out)
{
    return parse_one(argc, argv, 0, 0, out);
}

int generate_options_set(uint64_t n, const option_setting *settings, generate_options *out)
{
    generate_values raw = defaults;
    bool given[OPTIONS_MAX] = {false};
    int status = EXIT_OK;

    for (uint64_t i = 0; i < n && status == EXIT_OK; i++) {
        status = options_set(&generate_command_line, &settings[i], &raw, given);
    }
    begin_options(&raw, out);
    return status != EXIT_OK ? status : resolve_options(&raw, given, out);
}

/* Parses the command line on all ranks, of which the first one reports errors, and which must have
 * the same number of graphs to make.  Returns an exit code. */
static int parse_on_ranks(int argc, char **argv, uint64_t nth, uint64_t scale,
                          generate_options *options)
{
    static const char *const names[] = {"size", "seeds"};
    uint64_t values[2];
    int status;

    if (dist_size() > 1) {
        message_keep();
    }
    status = parse_one(argc, argv, nth, scale, options);
    values[0] = options->size;
    values[1] = options->seeds;
    return client_parsed("generate", status, options->job.timeout, names, values, 2);
}

static int estimate_job(generate_options *o)
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

static int count_job_edges(const generate_options *o, client *c)
{
    engine_counts counts;
    int status = engine_count_edges(&o->job, &o->request, &counts);

    status = client_end(c, status, NULL, o->job.edges, 0);
    return status == EXIT_OK && dist_rank() == 0 ? generate_print_statistics(o, &counts) : status;
}

static int run_job(generate_options *o)
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
        return estimate_job(o);
    }
    if (o->statistics) {
        return count_job_edges(o, &c);
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

/*
 * --size: the options of graph `nth` at the largest scale whose file fits.  They are parsed, and
 * the file's size is estimated, for one scale after another: as sizes double from scale to scale,
 * or nearly, each tells how far away the right one is.  Collective; returns an exit code.
 */
static int find_scale(int argc, char **argv, uint64_t nth, generate_options *o)
{
    const uint64_t size = o->size;
    uint64_t low = 0, high = RMAT_MAX_SCALE + 1, scale = (uint64_t)o->job.model.rows_scale,
             least = 0;
    engine_estimate e;
    char unheard[MESSAGE_TEXT];
    client c;

    client_begin(&c, "generate", NULL, true);
    while (high - low > 1) {
        int status;

        message_capture(unheard); /* a scale that the model cannot have is too large */
        status = parse_one(argc, argv, nth, scale, o);
        message_capture(NULL);
        o->job.watch = c.watch;
        e.bytes = 0;
        if (status == EXIT_OK) {
            status = engine_estimate_file(&o->job, &e);
            if (status != ENGINE_OK && (status != ENGINE_ERR_JOB || low == 0)) {
                return client_end(&c, status, NULL, 0, 0);
            }
        }
        least = e.bytes > 0 ? e.bytes : least;
        if (status == ENGINE_OK && e.bytes <= size) {
            low = scale;
        } else {
            high = scale;
        }
        for (; e.bytes > 0 && e.bytes <= size / 2 && scale < high; scale++) {
            e.bytes *= 2;
        }
        for (; e.bytes > size && scale > low; scale--) {
            e.bytes /= 2;
        }
        scale = scale <= low ? low + 1 : scale >= high ? high - 1 : scale;
    }
    if (low == 0 && dist_rank() == 0) {
        message_print("generate",
                      "--size: '%" PRIu64 "' is too little for any graph with these "
                      "options, allowed: %" PRIu64 " or more",
                      size, least);
    }
    return low > 0 ? parse_on_ranks(argc, argv, nth, low, o) : EXIT_USAGE;
}

/* The n-th graph: *o has options that were parsed before. */
static int run_nth(int argc, char **argv, uint64_t nth, generate_options *o)
{
    const bool list = o->seeds > 1 && o->json && dist_rank() == 0;
    int status = EXIT_OK;
    json_object failed;

    if (o->size > 0) {
        status = find_scale(argc, argv, nth, o);
    } else if (o->seeds > 1) {
        status = parse_on_ranks(argc, argv, nth, 0, o);
    }
    if (list) {
        fputs(nth == 0 ? "[" : ", ", stdout);
    }
    status = status == EXIT_OK ? run_job(o) : status;
    if (list && status != EXIT_OK) {
        json_begin(&failed, stdout);
        json_string(&failed, "file", o->job.output);
        json_bool(&failed, "failed", true);
        json_end(&failed);
    }
    if (list && (nth == o->seeds - 1 || status != EXIT_OK)) {
        fputs("]\n", stdout);
    }
    return status;
}

/* All graphs: one, or those of --seeds, until one fails. */
static int run_jobs(int argc, char **argv, generate_options *o)
{
    const uint64_t seeds = o->seeds;
    int status = EXIT_OK;

    if (seeds > 1) { /* before any graph is made: the last one has the highest seed */
        status = parse_on_ranks(argc, argv, seeds - 1, 0, o);
    }
    for (uint64_t nth = 0; nth < seeds && status == EXIT_OK; nth++) {
        status = run_nth(argc, argv, nth, o);
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
    status = parse_on_ranks(argc, argv, 0, 0, &options);
    if (status == EXIT_OK && options.help) {
        if (dist_rank() == 0) {
            options_help(&generate_command_line, stdout);
        }
    } else if (status == EXIT_OK) {
        status = run_jobs(argc, argv, &options);
    }
    engine_stop();
    return status;
}
