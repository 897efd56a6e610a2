/*
 * run.c - engine_run() and engine_estimate_file(): one job on all ranks.
 *
 * Every rank does the same: the ranks agree that they were given the same job, open their backends,
 * and make the file, or find out what making it would take.
 */
#include "apps/engine/run.h"
#include "apps/common/clock.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/estimate.h"
#include "apps/engine/ranks/ranks.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"

#include <stdio.h>
#include <string.h>

static bool started;
static bool alone; /* the last job failed on this rank, and not on others */

int engine_start(void)
{
    int status = DIST_OK;

    if (!started) {
        status = dist_start();
        started = status == DIST_OK;
    }
    return status == DIST_OK ? ENGINE_OK : engine_fail("%s", dist_strerror(status));
}

void engine_stop(void)
{
    if (alone) {
        engine_abandon();
        dist_abort(1);
    }
    dist_stop();
    started = false;
}

int engine_rank(void)
{
    return dist_rank();
}

int engine_ranks(void)
{
    return dist_size();
}

/* A job that all ranks were given alike, with the backend that makes its edges here and what
 * describes its file. */
typedef struct {
    engine_backend backend;
    model_attrs attrs;
    graphfile_spec spec; /* points to attrs */
    char command[ENGINE_COMMAND];
} prepared;

/* Collective.  finish() in either case. */
static int prepare(prepared *x, const engine_plan *p, bool dry_run)
{
    const engine_job *o = &p->job;
    int status;

    x->backend = (engine_backend){.used = o->model.backend};
    model_attrs_of_plan(&x->attrs, p, o->format, p->graph_edges, o->edges << o->model.symmetrize);
    x->spec = (graphfile_spec){.format = o->format,
                               .graph = engine_graph(p, p->graph_edges),
                               .replace = o->replace,
                               .comment = x->attrs.command,
                               .group = rank_group(),
                               .base = o->base,
                               .attrs = x->attrs.list,
                               .n_attrs = x->attrs.n,
                               .buffered = o->buffered,
                               .unaligned = p->way != ENGINE_LIST};
    snprintf(x->command, sizeof x->command, "%s%s%s", x->attrs.command,
             p->foreign ? " --format " : "", p->foreign ? graphfile_names[o->format] : "");
    status = engine_same_job(o, x->command, dry_run);
    if (status == ENGINE_OK) {
        status = engine_agree(engine_backend_open(&x->backend, p));
    }
    if (status == ENGINE_OK) {
        engine_share_warning(&o->watch);
    }
    return status;
}

/* All that the libraries can say is that a source failed; it knows why. */
static void explain_source(const engine_source *source)
{
    const char *why =
        source != NULL && source->error != NULL ? source->error(source->edges.state) : "";
    char text[ENGINE_TEXT];

    if (*why != '\0') {
        snprintf(text, sizeof text, "%s", why);
        engine_set_detail("", text);
    }
}

static int finish(prepared *x, const engine_plan *p, int status)
{
    engine_backend_close(&x->backend);
    if (status == ENGINE_ERR_RUN || status == ENGINE_ERR_RANK) {
        explain_source(p->job.source);
    }
    alone = status == ENGINE_ERR_RANK || (status == ENGINE_STOPPED && dist_size() > 1);
    return status;
}

int engine_run_plan(const engine_plan *p, const engine_sink *sink, engine_result *result)
{
    static int (*const ways[])(engine_work *) = {[ENGINE_LIST] = engine_write_list,
                                                 [ENGINE_SORTED] = engine_write_sorted,
                                                 [ENGINE_CONVERTED] = engine_write_converted};
    const double start = clock_seconds();
    prepared x;
    engine_work work = {.plan = p,
                        .backend = &x.backend,
                        .spec = &x.spec,
                        .file = p->job.output,
                        .sink = sink,
                        .result = result};
    int status = prepare(&x, p, false);

    *result = (engine_result){.threads = p->job.threads};
    if (status == ENGINE_OK) {
        snprintf(result->command, sizeof result->command, "%s", x.command);
        status = ways[p->way](&work);
    }
    if (status == ENGINE_OK) {
        engine_share_warning(&p->job.watch);
        result->backend = x.backend.used;
        result->device = x.backend.device;
        result->device_bytes = x.backend.device_bytes;
        result->isa = x.backend.isa;
        result->seconds = clock_seconds() - start;
        engine_sum_up(&result->totals, result);
    }
    return finish(&x, p, status);
}

int engine_run(const engine_job *job, const engine_sink *sink, engine_result *result)
{
    engine_plan plan;
    int status = engine_start();

    if (status == ENGINE_OK) {
        status = engine_agree(engine_make_plan(&plan, job));
    }
    return status == ENGINE_OK ? engine_run_plan(&plan, sink, result) : status;
}

int engine_estimate_plan(const engine_plan *p, engine_estimate *estimate)
{
    prepared x;
    int status = prepare(&x, p, true);

    *estimate = (engine_estimate){.bytes = 0};
    if (status == ENGINE_OK) {
        snprintf(estimate->command, sizeof estimate->command, "%s", x.command);
        status = engine_estimate_it(estimate, p, &x.backend, &x.spec);
    }
    return finish(&x, p, status);
}

int engine_commit(graphfile_writer **writer, engine_work *run)
{
    engine_result *result = run->result;
    graphfile_committed done;
    double start = clock_seconds();
    int status = graphfile_commit(writer, &done);

    if (status != EDGEFILE_OK) { /* the same on all ranks, and so is its text */
        return engine_fail_graphfile(status);
    }
    result->commit_seconds = clock_seconds() - start;
    result->file_bytes = done.bytes;
    if (graphfile_table[run->spec->format]->traits & GRAPHFILE_EDGEFILE) {
        result->fingerprint = done.fingerprint;
    }
    engine_share_warning(&run->plan->job.watch);
    return ENGINE_OK;
}
