/* The command line of `rmat generate` into a job. */
#include "apps/generate/options.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/generate/command.h"
#include "apps/generate/describe.h"
#include "apps/generate/model.h"
#include <inttypes.h>
#include <string.h>

/* --device-memory is for GPUs and for sorting. */
static int check_device_memory(const bool *given, const engine_job *job)
{
    const bool sorted = job->sorted || job->unique || job->dedup ||
                        graphfile_table[job->format]->traits & GRAPHFILE_NEEDS_SORTED;

    if (!given[GENERATE_DEVICE_MEMORY]) {
        return EXIT_OK;
    }
    if (job->model.backend == RMAT_BACKEND_CPU) {
        return usage_error("generate",
                           "--device-memory: given with --backend cpu, allowed: with --backend "
                           "auto or gpu");
    }
    return sorted ? EXIT_OK
                  : usage_error("generate",
                                "--device-memory: given for a graph that is not sorted, allowed: "
                                "with --sorted, --unique or --format csr");
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
    job->io = (edgefile_path)raw->path;
    job->layout = (edgefile_layout)raw->layout;
    job->memory = given[GENERATE_MEMORY] ? raw->memory : 0;
    job->device_memory = raw->device_memory;
    job->resume = raw->resume;
    job->checkpoint = raw->checkpoint;
    client_obey_tests(job);
}

static int resolve(const generate_values *raw, const bool *given, generate_options *out)
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
        (status = generate_resolve_statistics(raw, given, out)) != EXIT_OK ||
        (status = generate_resolve_format(raw, given, out)) != EXIT_OK ||
        (status = generate_resolve_shard(raw, given, out)) != EXIT_OK ||
        (status = check_device_memory(given, job)) != EXIT_OK) {
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
    return status == ENGINE_OK ? EXIT_OK : client_keep("generate", status);
}

int generate_options_parse(int argc, char **argv, generate_options *out)
{
    generate_values raw = {
        .scale = 20, .seed = 1, .timeout = 60, .checkpoint = 30, .weights = "none"};
    bool given[OPTIONS_MAX];
    int status = options_parse(&generate_command_line, argc, argv, &raw, given, NULL);

    engine_job_default(&out->job);
    out->as_gapbs = out->made_folder = false;
    out->gapbs = NULL;
    out->job.timeout = (double)raw.timeout; /* needed even after an error */
    out->job.output = raw.output != NULL ? raw.output : "graph.h5";
    out->job.replace = raw.force;
    out->dry_run = raw.dry_run;
    out->statistics = raw.statistics;
    out->quiet = raw.quiet;
    out->json = raw.json;
    out->help = raw.help;
    return status != EXIT_OK || raw.help ? status : resolve(&raw, given, out);
}
