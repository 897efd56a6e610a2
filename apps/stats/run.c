/* The counts of a graph: by a GPU or the CPU, in so much memory. */
#include "apps/common/message.h"
#include "apps/engine/sorted/plan.h"
#include "apps/stats/visit.h"
#include "rmat/rmat_gpu.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 4 << 20 }; /* bytes for tables, at least */

/* Of a thread for an edge, 27 to 84 ns where there are 2 and 16 of them; and what a GPU takes to
 * start. */
#define CPU_SECONDS 50e-9
#define GPU_START   0.5

static int take(stats_state *r)
{
    degree_counts *degrees = &r->results->degrees;
    const int kinds = r->square ? DEGREE_KINDS : DEGREE_TOTAL;

    degrees->square = r->square;
    for (int i = 0; i < kinds; i++) {
        histogram *h = &r->histograms[i];

        if (r->counters.sparse) { /* the others have no edge */
            const uint64_t all = i == DEGREE_IN ? r->cols : r->rows;
            uint64_t seen = h->n_large;

            for (uint64_t d = 0; d < HISTOGRAM_SMALL; d++) {
                seen += h->small[d];
            }
            h->small[0] += all - seen;
        }
        if (!histogram_finish(h, &degrees->of[i])) {
            return stats_no_memory(r);
        }
    }
    for (int t = 0; t < r->job->options.threads; t++) {
        r->results->loops += r->square ? r->sums[t].loops : 0;
        rmat_counter_total(r->sums[t].levels, &r->results->levels.tally);
    }
    return EXIT_OK;
}

/* The memory that the pieces of edges leave for tables. */
static int find_room(stats_state *r)
{
    const edge_source_facts *f = edge_source_facts_of(r->source);
    const degree_options *o = &r->job->options;
    const uint64_t edge = 2 * (uint64_t)f->graph.id_bytes + (f->graph.weight ? 4 : 0);
    const uint64_t reading = (uint64_t)o->threads * ((f->most + 1) * edge + sizeof(thread_sums) +
                                                     DEGREE_KINDS * sizeof(histogram));
    const uint64_t memory = o->memory != 0 ? o->memory : sorted_default_memory();

    if (memory < reading + LEAST_ROOM) {
        return usage_error(o->command,
                           "--memory: %" PRIu64 " is too little for %d threads, allowed: %" PRIu64
                           " bytes or more",
                           memory, o->threads, reading + LEAST_ROOM);
    }
    r->room = r->counters_room = memory - reading;
    if (r->gpu != NULL) {
        const uint64_t device = gpu_tables_cuda()->room(r->gpu);

        r->room = o->memory != 0 && r->room < device ? r->room : device;
        r->counters_room = r->counters_room < r->room ? r->counters_room : r->room;
    }
    return EXIT_OK;
}

/* Prepare to undo the permutation, so that the levels are those of the model. */
static int undo_permutation(stats_state *r)
{
    const file_model *model = edge_source_facts_of(r->source)->model;
    rmat_config config;
    int status;

    if (!r->job->levels || model == NULL || !model->drawn.permute) {
        return EXIT_OK;
    }
    config = model->drawn;
    config.backend = RMAT_BACKEND_CPU;
    status = rmat_create(&r->gen, &config);
    return status == RMAT_OK ? EXIT_OK
                             : runtime_error(r->job->options.command, "%s: its model: %s",
                                             r->job->options.name, rmat_strerror(status));
}

static int begin(stats_state *r)
{
    const edge_source_facts *f = edge_source_facts_of(r->source);
    const graphfile_graph *g = &f->graph;
    bool good = true;
    int status = find_room(r);

    r->rows = g->rows;
    r->cols = g->cols;
    if (!(graphfile_table[f->format]->traits & GRAPHFILE_HAS_VERTICES)) {
        /* The highest ids are all that is known: of one set of vertices, most likely. */
        r->rows = r->cols = g->rows > g->cols ? g->rows : g->cols;
    }
    r->results->rows = r->rows;
    r->results->cols = r->cols;
    r->edges = g->edges;
    r->square = r->rows == r->cols;
    r->first = true;
    levels_begin(&r->results->levels, r->rows, r->cols);
    pairs_plan(&r->pairs, r->rows, r->cols, r->edges, g->id_bytes, g->pairs,
               r->job->options.threads);
    if (status != EXIT_OK) {
        return status;
    }
    if (posix_memalign((void **)&r->sums, 64, (size_t)r->job->options.threads * sizeof *r->sums) !=
        0) {
        r->sums = NULL;
        return stats_no_memory(r);
    }
    memset(r->sums, 0, (size_t)r->job->options.threads * sizeof *r->sums);
    for (int t = 0; t < r->job->options.threads && good; t++) {
        r->sums[t].levels = rmat_counter_create(0);
        good = r->sums[t].levels != NULL;
    }
    for (int i = 0; i < DEGREE_KINDS; i++) {
        good = histogram_create(&r->histograms[i], r->job->options.top) && good;
    }
    return good ? undo_permutation(r) : stats_no_memory(r);
}

static void end(stats_state *r)
{
    for (int i = 0; i < DEGREE_KINDS; i++) {
        histogram_free(&r->histograms[i]);
    }
    for (int t = 0; r->sums != NULL && t < r->job->options.threads; t++) {
        rmat_counter_destroy(r->sums[t].levels);
    }
    free(r->sums);
    rmat_destroy(r->gen);
    if (r->gpu != NULL) {
        gpu_tables_cuda()->close(r->gpu);
    }
}

/* With so many threads and edges, is a GPU done sooner, although it has to be started? */
static bool is_large(const edge_source *s, const stats_job *job)
{
    const double edges = (double)edge_source_facts_of(s)->graph.edges;

    return edges * CPU_SECONDS / job->options.threads > GPU_START;
}

/* *failed: the GPU has, which nobody has been told yet, but text says why. */
static int run(edge_source *s, const stats_job *job, bool gpu, stats_results *results, bool *failed,
               char text[EDGE_WALK_TEXT])
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;
    stats_state r = {.source = s, .job = job, .results = results};
    int status = EXIT_OK;

    *results = (stats_results){0};
    client_begin(&r.watcher, job->options.command, NULL, job->options.quiet);
    if (gpu && (gpu_tables_cuda() == NULL ||
                gpu_tables_cuda()->open(&r.gpu, job->device, g->id_bytes, job->options.threads))) {
        status = stats_gpu_failed(&r);
    }
    status = status == EXIT_OK ? begin(&r) : status;
    status = status == EXIT_OK ? stats_count(&r) : status;
    status = status == EXIT_OK ? take(&r) : status;
    if (status == EXIT_OK) {
        client_end(&r.watcher, ENGINE_OK, NULL, r.edges * results->passes, 2 * g->id_bytes);
    }
    *failed = r.failed;
    snprintf(text, EDGE_WALK_TEXT, "%s",
             !gpu                        ? ""
             : gpu_tables_cuda() == NULL ? rmat_strerror(RMAT_ERR_NO_BACKEND)
                                         : gpu_tables_cuda()->error(r.gpu));
    end(&r);
    return status;
}

int stats_run(edge_source *s, const stats_job *job, stats_results *results)
{
    const bool automatic = job->backend == RMAT_BACKEND_AUTO;
    const bool gpu = job->backend == RMAT_BACKEND_GPU ||
                     (automatic && is_large(s, job) && rmat_gpu_count() > job->device);
    char text[EDGE_WALK_TEXT];
    bool failed = false;
    int status = run(s, job, gpu, results, &failed, text);

    if (failed && !automatic) {
        return runtime_error(job->options.command, "--backend gpu: %s", text);
    }
    if (failed) {
        message_print(job->options.command, "%s; the CPU counts instead", text);
        degree_counts_free(&results->degrees);
        status = run(s, job, false, results, &failed, text);
    }
    return status;
}
