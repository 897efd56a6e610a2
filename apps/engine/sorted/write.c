/*
 * The file of a sorted graph, on all ranks.
 *
 * First everything is settled that may not go well: memory, GPU, the file.  Then, as far as it
 * takes, the stream is looked at to know how many edges each rank has; at last a thread makes block
 * after block, and the pipeline writes them.
 */
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/ranks/rank_work.h"
#include "apps/engine/sorted/run.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* As planned, or more where a block was cut in two or the window was missed. */
static uint64_t passes_in_all(const sorted_run *r)
{
    uint64_t planned = r->plan.passes + r->plan.counting, pass = atomic_load(&r->pass);

    return pass > planned ? pass : planned;
}

/* As long as nothing is written. */
static void show_pass(const sorted_run *r)
{
    char note[64];

    snprintf(note, sizeof note, "pass %" PRIu64 " of %" PRIu64 " over the stream",
             atomic_load(&r->pass), passes_in_all(r));
    progress_note(r->bar, note);
}

int sorted_work_tick(void *run, uint64_t made)
{
    sorted_run *r = run;

    r->made += made;
    show_pass(r);
    if (interrupt_signal() != 0) {
        dist_request_stop(interrupt_signal());
    }
    return dist_stopping();
}

int sorted_failed(sorted_run *r, int status)
{
    if (status < 0) {
        const char *cuda = r->backend->used == RMAT_BACKEND_GPU ? rmat_gpu_error() : "";

        snprintf(r->text, sizeof r->text, "%s%s%s", rmat_strerror(status), *cuda ? ": " : "", cuda);
    }
    return status;
}

int sorted_agree(const sorted_run *r, int status)
{
    if (status < 0) {
        dist_request_stop(GENERATE_FAILED);
    }
    return generate_agree(generate_early_end(status < 0 ? r->text : NULL, r->options->output));
}

int sorted_make_block(sorted_run *r, rmat_block *block, uint64_t i, uint64_t stream,
                      sorted_tick tick)
{
    const rmat_cell *c = &r->cuts.cells[i];
    bool none = c[0].src == c[1].src && c[0].dst == c[1].dst;

    return sorted_fill(block, &r->cuts, i, none ? 0 : stream, r->options->unique, tick, r);
}

/* A shard that the HDF5 library writes is open in one process alone. */
static int check_shards(const sorted_run *r, const edgefile_writer *writer)
{
    if (edgefile_used_layout(writer) == EDGEFILE_LAYOUT_SHARDED &&
        edgefile_used_path(writer) >= EDGEFILE_PATH_HDF5 && dist_size() > 1) {
        return usage_error("generate",
                           "--io: '%s' given for shards of a sorted graph on %d ranks, allowed: "
                           "auto, direct, positional",
                           generate_path_name(r->options->path), dist_size());
    }
    return EXIT_OK;
}

/* With what is known of the graph by now.  Collective; an exit code. */
static int create(sorted_run *r, const edgefile_spec *spec, edgefile_writer **writer)
{
    const generate_options *o = r->options;
    model_order order = {true, o->format == EDGEFILE_CSR, o->unique, r->edges,
                         sorted_stream(r, r->draws)};
    edgefile_spec known = *spec;
    model_attrs attrs;
    int status;

    model_attrs_fill(&attrs, &o->model, o->base_edges, o->id_bytes, &order);
    known.edges = r->edges;
    known.attrs = attrs.list;
    known.n_attrs = attrs.n;
    status = edgefile_create(writer, r->file, &known);
    if (status != EDGEFILE_OK) {
        return generate_file_error(status);
    }
    return generate_agree(check_shards(r, *writer));
}

/* Before the work: whether there can be such a file.  One whose length is not known yet, for loops
 * have no reverse, is tried with the most loops, and made again later. */
static int create_early(sorted_run *r, const edgefile_spec *spec, edgefile_writer **writer)
{
    const generate_options *o = r->options;
    uint64_t loops = o->base_edges < o->model.rows ? o->base_edges : o->model.rows;
    int status;

    r->edges = o->edges - (o->edges_known ? 0 : loops);
    r->draws = o->base_edges;
    status = create(r, spec, writer);
    if (!o->edges_known) {
        edgefile_abort(writer);
    }
    r->edges = r->draws = 0;
    return status;
}

static int tick(void *run, uint64_t done)
{
    sorted_run *r = run;

    if (done == 0) {
        show_pass(r);
    }
    return generate_tick(r->bar, done);
}

/* Blocks into the file, until all ranks are done. */
static int fill(sorted_run *r, edgefile_writer *writer, generate_summary *summary)
{
    sorted_source source;
    pipeline_source spans = {sorted_source_next, &source};
    pipeline_producer producer;
    pipeline_result result = {.error = NULL};
    pipeline_plan buffers;
    pthread_t builder;
    const char *error = NULL;
    int status;

    if (sorted_plan_buffers(&r->plan, r->options, r->backend, summary->path, r->plan.share,
                            &buffers) != 0) {
        error = rmat_strerror(RMAT_ERR_NOMEM);
    }
    sorted_source_init(&source, r, summary->layout);
    producer = sorted_producer(&source, &buffers);
    if (dist_size() > 1) {
        dist_work_begin(r->starts, 1, 0);
    }
    if (error == NULL && sorted_build_start(r, &builder) != 0) {
        error = rmat_strerror(RMAT_ERR_NOMEM);
    }
    if (error == NULL) {
        summary->buffer_bytes = pipeline_buffer_bytes(&buffers);
        summary->chunk = buffers.chunk;
        r->backend->device_bytes = r->backend->used == RMAT_BACKEND_GPU
                                       ? pipeline_gpu_bytes(&buffers) + summary->block_bytes
                                       : 0;
        pipeline_run(&buffers, &spans, &producer, NULL, writer, tick, r, &result);
        status = sorted_build_end(r, builder, true);
        error = result.error != NULL ? result.error : status < 0 ? r->text : NULL;
        summary->edges = result.done;
        tick(r, result.done);
    }
    return generate_end_writes(writer, error, r->options->output);
}

static double edge_bytes(const generate_options *o)
{
    bool csr = o->format == EDGEFILE_CSR;
    double pointers = csr ? 8 * (double)o->model.rows / (double)(o->edges > 0 ? o->edges : 1) : 0;

    return (csr ? 1 : 2) * o->id_bytes + generate_weight_bytes(o) + pointers;
}

/* Everything but the memory's end. */
static int write_file(sorted_run *r, const edgefile_spec *spec, edgefile_writer **writer,
                      generate_summary *summary)
{
    const generate_options *o = r->options;
    double start;
    int status = sorted_get_memory(r);

    if (status != EXIT_OK || (status = sorted_cut(r)) != EXIT_OK ||
        (status = create_early(r, spec, writer)) != EXIT_OK) {
        return status;
    }
    start = clock_seconds();
    progress_start(r->bar, o->edges, edge_bytes(o), o->quiet || dist_rank() != 0);
    status = o->unique ? sorted_search(r) : sorted_count(r);
    if (status == EXIT_OK && *writer == NULL) {
        status = create(r, spec, writer);
    }
    if (status == EXIT_OK) {
        r->bar->edges = r->edges;
        summary->path = edgefile_used_path(*writer);
        summary->layout = edgefile_used_layout(*writer);
        summary->graph_edges = r->edges;
        summary->stream_edges = sorted_stream(r, r->draws);
        summary->block_bytes = r->plan.block_bytes * (uint64_t)r->plan.blocks;
        status = fill(r, *writer, summary);
        summary->passes = passes_in_all(r);
    }
    summary->stream_seconds = clock_seconds() - start;
    progress_end(r->bar, false);
    return status;
}

/* Draws are thrown away in every pass alike, as far as these are over the same edges. */
static uint64_t redraws(const sorted_run *r)
{
    uint64_t sums[2] = {generate_backend_redraws(r->backend), r->made};

    dist_sum(sums, 2);
    return sums[1] > 0
               ? (uint64_t)((unsigned __int128)sums[0] * sorted_stream(r, r->draws) / sums[1])
               : 0;
}

int generate_write_sorted(generate_backend *backend, const edgefile_spec *spec,
                          generate_summary *summary)
{
    edgefile_writer *writer = NULL;
    progress bar = {.quiet = true};
    sorted_run r = {
        .options = summary->options, .backend = backend, .file = summary->file, .bar = &bar};
    pthread_condattr_t monotonic;
    int status;

    pthread_mutex_init(&r.lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&r.changed, &monotonic);
    pthread_condattr_destroy(&monotonic);

    status = write_file(&r, spec, &writer, summary);
    if (status == EXIT_OK) {
        edgefile_set_u64(writer, "stream_edges", summary->stream_edges);
        status = generate_commit(&writer, &bar, summary);
    }
    edgefile_abort(&writer);
    if (status == EXIT_OK) {
        summary->redraws = redraws(&r);
    }

    sorted_free_blocks(&r);
    sorted_free_plan(&r.plan);
    free(r.cuts.cells);
    free(r.bounds);
    free(r.starts);
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.lock);
    return status;
}
