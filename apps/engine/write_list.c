/* The file of `rmat generate`: from the partial one to the finished one, on all ranks. */
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/progress.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/ranks/rank_work.h"
#include "apps/generate/generate.h"
#include "mpi/dist.h"
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int generate_tick(void *argument, uint64_t done)
{
    int stopping = rank_work_tick(done);

    if (dist_size() > 1) {
        done = dist_rank() == 0 ? dist_work_done() : 0;
    }
    progress_update(argument, done);
    return stopping;
}

static int share_out(const edgefile_writer *writer, const generate_options *o)
{
    char text[MESSAGE_TEXT];
    int status = rank_work_begin(writer, o->edges, o->id_bytes, o->weight, text, sizeof text);

    if (status != 0 && dist_rank() == 0) {
        message_print("generate", "%s", text);
    }
    return status == 0 ? EXIT_OK : EXIT_RUNTIME;
}

/* Bytes of the finished file; of all its shards, of which each rank looks at one. */
static uint64_t file_bytes(const char *output, edgefile_layout layout)
{
    char *name = realpath(output, NULL), shard[PATH_MAX + 32];
    struct stat st;
    uint64_t bytes = 0;

    if (name != NULL && dist_rank() == 0 && stat(name, &st) == 0) {
        bytes = (uint64_t)st.st_size;
    }
    if (name != NULL && layout == EDGEFILE_LAYOUT_SHARDED) {
        snprintf(shard, sizeof shard, "%s.shards/%05d.h5", name, dist_rank());
        bytes += stat(shard, &st) == 0 ? (uint64_t)st.st_size : 0;
    }
    free(name);
    dist_sum(&bytes, 1);
    return bytes;
}

int generate_file_error(int status)
{
    if (dist_rank() == 0) {
        message_print("generate", "%s%s", edgefile_detail(),
                      status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
    }
    return EXIT_RUNTIME;
}

int generate_early_end(const char *error, const char *output)
{
    int reason = dist_stopping();

    if (error != NULL) {
        return runtime_error("generate", "%s", error);
    }
    if (reason == 0 || reason == GENERATE_FAILED) {
        return EXIT_OK;
    }
    runtime_error("generate", "stopped by %s, '%s' was not made",
                  reason == SIGINT ? "SIGINT" : "SIGTERM", output);
    return 128 + reason;
}

int generate_end_writes(edgefile_writer *writer, const char *error, const char *output)
{
    int status;

    if (error != NULL) {
        dist_request_stop(GENERATE_FAILED);
    }
    status = edgefile_drain(writer, dist_stopping() != 0);
    if (error == NULL && status != EDGEFILE_OK && status != EDGEFILE_ERR_PEER) {
        error = edgefile_detail();
        dist_request_stop(GENERATE_FAILED);
    }
    dist_work_end();
    return generate_agree(generate_early_end(error, output));
}

int generate_commit(edgefile_writer **writer, progress *bar, generate_summary *summary)
{
    double start = clock_seconds();
    int status = edgefile_commit(writer, &summary->fingerprint);

    if (status != EDGEFILE_OK) {
        return generate_file_error(status);
    }
    summary->commit_seconds = clock_seconds() - start;
    progress_end(bar, true);
    generate_warn();
    summary->file_bytes = file_bytes(summary->file, summary->layout);
    return EXIT_OK;
}

/* Edges into the file, until all ranks are done. */
static int fill(generate_backend *backend, const pipeline_plan *plan, edgefile_writer *writer,
                progress *bar, generate_summary *summary)
{
    double start = clock_seconds();
    pipeline_result result;
    int status;

    pipeline_run(plan, dist_size() > 1 ? &rank_work_source : NULL, &backend->producer,
                 backend->fallback, writer, generate_tick, bar, &result);
    summary->stream_seconds = clock_seconds() - start;
    summary->edges = result.done;
    summary->fell_back = result.fell_back;
    generate_tick(bar, result.done);
    status = generate_end_writes(writer, result.error, summary->options->output);
    progress_end(bar, false);
    if (status == EXIT_OK && result.fell_back) {
        runtime_error("generate", "%s; the CPU made the rest", result.fall_text);
    }
    return status;
}

int generate_write(generate_backend *backend, const edgefile_spec *spec, generate_summary *summary)
{
    const generate_options *o = summary->options;
    edgefile_writer *writer = NULL;
    pipeline_plan plan;
    progress bar;
    int status = edgefile_create(&writer, summary->file, spec);

    if (status != EDGEFILE_OK) {
        return generate_file_error(status);
    }
    summary->path = edgefile_used_path(writer);
    summary->layout = edgefile_used_layout(writer);
    generate_backend_plan(backend, o, o->edges, summary->path, &plan);
    summary->buffer_bytes = pipeline_buffer_bytes(&plan);
    summary->chunk = plan.chunk;
    summary->graph_edges = summary->stream_edges = o->edges;
    status = dist_size() > 1 ? share_out(writer, o) : EXIT_OK;
    if (status == EXIT_OK) {
        progress_start(&bar, o->edges, 2 * o->id_bytes + generate_weight_bytes(o),
                       o->quiet || dist_rank() != 0);
        status = fill(backend, &plan, writer, &bar, summary);
    }
    if (status != EXIT_OK) {
        edgefile_abort(&writer);
        return status;
    }
    status = generate_commit(&writer, &bar, summary);
    if (status == EXIT_OK) {
        summary->redraws = generate_backend_redraws(backend);
        dist_sum(&summary->redraws, 1);
    }
    return status;
}
