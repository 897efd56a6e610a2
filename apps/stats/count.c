/*
 * The counts of a graph: by a GPU or the CPU, in so much memory.
 *
 * The first pass over the edges counts loops and quadrants.  Degrees and pairs are counted in it
 * too if both tables fit into memory.  Otherwise passes for the degrees come first, then passes for
 * the pairs, whose table has all of the memory.
 */
#include "apps/stats/count.h"
#include "apps/client/client.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/edge_source.h"
#include "apps/engine/status.h"
#include "apps/stats/gpu/gpu.h"
#include "rmat/rmat_gpu.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    level_counts levels;
    pair_counts pairs;
    uint64_t loops;
} thread_sums;

typedef struct {
    edge_source *source;
    const stats_job *job;
    stats_results *results;
    uint64_t rows, cols, edges;
    uint64_t room;          /* bytes for tables */
    uint64_t counters_room; /* for counters, which the host's memory has in the end */
    bool square;
    thread_sums *sums;
    histogram histograms[DEGREE_KINDS];
    degree_counters counters;
    pair_table pairs;
    rmat_gen *gen;   /* to undo the permutation, or NULL */
    gpu_tables *gpu; /* that counts; or NULL, the CPU */
    client watcher;
    uint64_t read, to_read; /* edges, in all passes up to now, and in all that are foreseen */

    /* The tasks of the current pass. */
    bool first, counts, finds;
    _Atomic bool full;   /* the table of pairs */
    _Atomic bool failed; /* the GPU */
} stats_state;

/* Edges by quadrant and level. */

static int log2_up(uint64_t n)
{
    return n > 1 ? 64 - __builtin_clzll(n - 1) : 0;
}

/* The scales for so many vertices; no edges yet. */
static void begin_levels(level_totals *t, uint64_t rows, uint64_t cols)
{
    *t = (level_totals){.rows_scale = log2_up(rows), .cols_scale = log2_up(cols)};
    t->levels = t->rows_scale > t->cols_scale ? t->rows_scale : t->cols_scale;
}

level_shares levels_shares(const level_totals *t, int level)
{
    const int bit = t->levels - 1 - level;
    level_shares s = {.has_src = bit < t->rows_scale, .has_dst = bit < t->cols_scale};
    uint64_t quadrants[4];

    levels_quadrants(&t->counts, bit, quadrants);
    for (int q = 0; q < 4 && t->counts.edges > 0; q++) {
        s.share[q] = (double)quadrants[q] / (double)t->counts.edges;
    }
    return s;
}

/* The work on one piece of the edges, in any pass. */

/* An edge with a vertex that the graph does not have, for which there is no counter. */
static int report_wrong(const stats_state *r, const edge_block *e, char *text, size_t size)
{
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t u = edge_id(e->src, i, e->id_bytes), v = edge_id(e->dst, i, e->id_bytes);

        if (u >= r->rows || v >= r->cols) {
            snprintf(text, size, "%s: edge %" PRIu64 " has %s %" PRIu64 ", allowed: below %" PRIu64,
                     r->job->options.name, e->first + i, u >= r->rows ? "source" : "destination",
                     u >= r->rows ? u : v, u >= r->rows ? r->rows : r->cols);
            break;
        }
    }
    return -1;
}

/* The largest ids and the number of loops; one copy per width, which the compiler vectorises. */
#define LOOK(NAME, ID)                                                                             \
    static uint64_t NAME(const ID *src, const ID *dst, uint64_t n, uint64_t most[2])               \
    {                                                                                              \
        ID u = 0, v = 0;                                                                           \
        uint64_t loops = 0;                                                                        \
                                                                                                   \
        for (uint64_t i = 0; i < n; i++) {                                                         \
            u = src[i] > u ? src[i] : u;                                                           \
            v = dst[i] > v ? dst[i] : v;                                                           \
            loops += src[i] == dst[i];                                                             \
        }                                                                                          \
        most[0] = u;                                                                               \
        most[1] = v;                                                                               \
        return loops;                                                                              \
    }
LOOK(look_32, uint32_t)
LOOK(look_64, uint64_t)

/* What failed is asked for when all threads are through. */
static int count_on_gpu(stats_state *r, int thread, const edge_block *e, char *text)
{
    if (gpu_tables_cuda()->add(r->gpu, thread, e) != 0) {
        r->failed = true;
        text[0] = '\0';
        return -1;
    }
    return 0;
}

/* edge_walk_body.visit; the state is a stats_state. */
static int visit_piece(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    stats_state *r = state;
    thread_sums *sums = &r->sums[thread];
    const edge_block *e = &m->edges;
    uint64_t most[2], loops;

    if (e->count == 0) {
        return 0;
    }
    /* In each pass, since the file may change between them. */
    loops = e->id_bytes == 4 ? look_32(e->src, e->dst, e->count, most)
                             : look_64(e->src, e->dst, e->count, most);
    if (most[0] >= r->rows || most[1] >= r->cols) {
        return report_wrong(r, e, text, size);
    }
    if (r->first) {
        sums->loops += loops;
    }
    if (r->first && r->job->levels && !levels_add(&sums->levels, r->gen, e, 0, 1)) {
        snprintf(text, size, "%s: the permutation of its vertices cannot be undone",
                 r->job->options.name);
        return -1;
    }
    if (r->gpu != NULL) {
        return count_on_gpu(r, thread, e, text);
    }
    if (r->counts && !counters_add(&r->counters, e, thread)) {
        snprintf(text, size, "memory is exhausted");
        return -1;
    }
    if (r->finds && !r->full && !pairs_add(&r->pairs, e, thread, &sums->pairs)) {
        r->full = true;
    }
    return 0;
}

/* The passes. */

enum { MOST_PASSES = 1 << 20 };

static int report_no_memory(const stats_state *r)
{
    return runtime_error(r->job->options.command, "memory is exhausted");
}

/* The GPU has failed: ends the bar, and leaves the rest to stats_run(). */
static int note_gpu_failure(stats_state *r)
{
    r->failed = true;
    client_clear(&r->watcher);
    return EXIT_RUNTIME;
}

static int begin_on_gpu(stats_state *r)
{
    const gpu_pass pass = {r->counts ? &r->counters : NULL, r->finds ? &r->pairs : NULL};

    return gpu_tables_cuda()->begin(r->gpu, &pass) == 0 ? EXIT_OK : note_gpu_failure(r);
}

static int end_on_gpu(stats_state *r)
{
    bool full = false;

    if (gpu_tables_cuda()->end(r->gpu, &r->sums[0].pairs, &full) != 0) {
        return note_gpu_failure(r);
    }
    r->full = full;
    return EXIT_OK;
}

static int walk_once(stats_state *r)
{
    const edge_walk_body body = {visit_piece, NULL, r};
    const degree_options *o = &r->job->options;
    engine_meter meter = engine_meter_of(&r->watcher.watch, "counting", r->edges,
                                         2 * edge_source_facts_of(r->source)->graph.id_bytes);
    int status = r->gpu != NULL ? begin_on_gpu(r) : EXIT_OK;

    if (status != EXIT_OK) {
        return status;
    }
    meter.work = (double)r->to_read;
    meter.before = (double)r->read;
    status = edge_walk(r->source, o->threads, &body, &meter);
    r->read += r->edges;
    if (status == ENGINE_ERR_RUN && r->failed) {
        return note_gpu_failure(r);
    }
    if (status != ENGINE_OK) {
        return client_end(&r->watcher, status, NULL, 0, 0);
    }
    if (r->gpu != NULL) {
        status = end_on_gpu(r);
        if (status != EXIT_OK) {
            return status;
        }
    } else if (r->finds && !r->full && !pairs_finish(&r->pairs, &r->sums[0].pairs)) {
        r->full = true;
    }
    r->results->passes++;
    r->first = false;
    return EXIT_OK;
}

/* Add up the pairs that the threads found, unless the table was too small. */
static void take_pairs(stats_state *r)
{
    pair_counts *all = &r->results->pairs;

    for (int t = 0; t < r->job->options.threads; t++) {
        pair_counts *some = &r->sums[t].pairs;

        if (!r->full) {
            all->distinct += some->distinct;
            all->loops += some->loops;
            all->mutual += some->mutual;
        }
        *some = (pair_counts){0};
    }
    pairs_free(&r->pairs);
}

/* The table of pairs for its part in so much memory.  A GPU has no log. */
static void cut_pairs(stats_state *r, uint64_t memory, uint64_t passes, uint64_t pass)
{
    pairs_cut(&r->pairs, memory, passes, pass);
    r->pairs.logs = r->pairs.logs && r->gpu == NULL;
}

/* In the host's memory; the GPU has its own. */
static bool create_pairs(stats_state *r)
{
    return r->gpu != NULL || pairs_create(&r->pairs);
}

/* Passes for the degrees; together: the same pass finds the pairs. */
static int count_degrees(stats_state *r, bool together)
{
    int status = EXIT_OK;

    for (uint64_t pass = 0; pass < r->counters.passes && status == EXIT_OK; pass++) {
        r->counts = true;
        r->finds = together;
        if (!counters_create(&r->counters, pass) || (together && !create_pairs(r))) {
            status = report_no_memory(r);
        }
        status = status == EXIT_OK ? walk_once(r) : status;
        if (status == EXIT_OK &&
            !counters_collect(&r->counters, r->job->options.threads, r->histograms)) {
            status = report_no_memory(r);
        }
        if (status == EXIT_OK && interrupt_signal() != 0) { /* not all may have been collected */
            status = client_end(&r->watcher, engine_stop_with(interrupt_signal()), NULL, 0, 0);
        }
        counters_free(&r->counters);
        take_pairs(r);
    }
    r->counts = false;
    return status;
}

/* Passes for the pairs.  The table has room for a pass's share of all pairs that there can be.
 * There are more if a file lacks the reverse edges that its attributes promise; then passes are
 * divided in two until the table is large enough. */
static int find_pairs(stats_state *r)
{
    uint64_t pass = 0, passes = 1;
    int status = EXIT_OK;

    if (r->full) {
        passes = 2;
    }
    do {
        cut_pairs(r, r->room, passes, pass);
        passes = r->pairs.range.passes;
        r->to_read = r->read + (passes - pass) * r->edges;
        r->finds = true;
        r->full = false;
        status = create_pairs(r) ? walk_once(r) : report_no_memory(r);
        take_pairs(r);
        if (r->full) {
            pass *= 2;
            passes *= 2;
        } else {
            pass++;
        }
        if (status == EXIT_OK && passes > MOST_PASSES) {
            status = report_no_memory(r);
        }
    } while (status == EXIT_OK && pass < passes);
    return status;
}

/* All that is counted, in as many passes as it takes.  An exit code. */
static int count_in_passes(stats_state *r)
{
    bool together;
    int status;

    counters_plan(&r->counters, r->rows, r->cols, r->edges, r->square, r->counters_room,
                  r->gpu != NULL ? 1 : r->job->options.threads);
    r->to_read = r->edges * r->counters.passes;
    together = r->job->pairs && r->counters.passes == 1 &&
               pairs_wanted(&r->pairs) + (double)r->counters.bytes <= (double)r->room;
    if (together) {
        cut_pairs(r, r->room - r->counters.bytes, 1, 0);
    }
    status = count_degrees(r, together);
    if (status == EXIT_OK && r->job->pairs && (!together || r->full)) {
        status = find_pairs(r);
    }
    return status;
}

/* The whole: how much memory there is, the passes, and their results. */

enum { LEAST_ROOM = 4 << 20 }; /* bytes for tables, at least */

/* Of a thread for an edge, 27 to 84 ns where there are 2 and 16 of them; and what a GPU takes to
 * start. */
#define CPU_SECONDS 50e-9
#define GPU_START   0.5

static int collect_results(stats_state *r)
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
            return report_no_memory(r);
        }
    }
    for (int t = 0; t < r->job->options.threads; t++) {
        r->results->loops += r->square ? r->sums[t].loops : 0;
        levels_merge(&r->results->levels.counts, &r->sums[t].levels);
    }
    return EXIT_OK;
}

/* The memory that the pieces of edges leave for tables. */
static int find_room(stats_state *r)
{
    const edge_source_facts *f = edge_source_facts_of(r->source);
    const degree_options *o = &r->job->options;
    const uint64_t edge = 2 * (uint64_t)f->graph.id_bytes + (f->graph.weight ? 4 : 0);
    const uint64_t reading =
        (uint64_t)o->threads *
        (EDGE_SOURCE_PIECE * edge + sizeof(thread_sums) + DEGREE_KINDS * sizeof(histogram));
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

static int begin_counting(stats_state *r)
{
    const graphfile_graph *g = &edge_source_facts_of(r->source)->graph;
    bool good = true;
    int status = find_room(r);

    r->rows = g->rows;
    r->cols = g->cols;
    r->results->rows = r->rows;
    r->results->cols = r->cols;
    r->edges = g->edges;
    r->square = r->rows == r->cols;
    r->first = true;
    begin_levels(&r->results->levels, r->rows, r->cols);
    pairs_plan(&r->pairs, r->rows, r->cols, r->edges, g->id_bytes, g->pairs,
               r->job->options.threads);
    if (status != EXIT_OK) {
        return status;
    }
    if (posix_memalign((void **)&r->sums, 64, (size_t)r->job->options.threads * sizeof *r->sums) !=
        0) {
        r->sums = NULL;
        return report_no_memory(r);
    }
    memset(r->sums, 0, (size_t)r->job->options.threads * sizeof *r->sums);
    for (int i = 0; i < DEGREE_KINDS; i++) {
        good = histogram_create(&r->histograms[i], r->job->options.top) && good;
    }
    return good ? undo_permutation(r) : report_no_memory(r);
}

static void end_counting(stats_state *r)
{
    for (int i = 0; i < DEGREE_KINDS; i++) {
        histogram_free(&r->histograms[i]);
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
static int count_by(edge_source *s, const stats_job *job, bool gpu, stats_results *results,
                    bool *failed, char text[EDGE_WALK_TEXT])
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;
    stats_state r = {.source = s, .job = job, .results = results};
    int status = EXIT_OK;

    *results = (stats_results){0};
    client_begin(&r.watcher, job->options.command, NULL, job->options.quiet);
    if (gpu && (gpu_tables_cuda() == NULL ||
                gpu_tables_cuda()->open(&r.gpu, job->device, g->id_bytes, job->options.threads))) {
        status = note_gpu_failure(&r);
    }
    status = status == EXIT_OK ? begin_counting(&r) : status;
    status = status == EXIT_OK ? count_in_passes(&r) : status;
    status = status == EXIT_OK ? collect_results(&r) : status;
    if (status == EXIT_OK) {
        client_end(&r.watcher, ENGINE_OK, NULL, r.edges * results->passes, 2 * g->id_bytes);
    }
    *failed = r.failed;
    snprintf(text, EDGE_WALK_TEXT, "%s",
             !gpu                        ? ""
             : gpu_tables_cuda() == NULL ? rmat_strerror(RMAT_ERR_NO_BACKEND)
                                         : gpu_tables_cuda()->error(r.gpu));
    end_counting(&r);
    return status;
}

int stats_run(edge_source *s, const stats_job *job, stats_results *results)
{
    const bool automatic = job->backend == RMAT_BACKEND_AUTO;
    const bool gpu = job->backend == RMAT_BACKEND_GPU ||
                     (automatic && is_large(s, job) && rmat_gpu_count() > job->device);
    char text[EDGE_WALK_TEXT];
    bool failed = false;
    int status = count_by(s, job, gpu, results, &failed, text);

    if (failed && !automatic) {
        return runtime_error(job->options.command, "--backend gpu: %s", text);
    }
    if (failed) {
        message_print(job->options.command, "%s; the CPU counts instead", text);
        degree_counts_free(&results->degrees);
        status = count_by(s, job, false, results, &failed, text);
    }
    return status;
}

/* The degrees alone. */

int degree_count(edge_source *s, const degree_options *options, degree_counts *counts)
{
    const stats_job job = {.options = *options, .backend = RMAT_BACKEND_CPU};
    stats_results results;
    int status = stats_run(s, &job, &results);

    *counts = results.degrees;
    return status;
}

void degree_counts_free(degree_counts *counts)
{
    for (int i = 0; i < DEGREE_KINDS; i++) {
        free(counts->of[i].bins);
        free(counts->of[i].top);
    }
    *counts = (degree_counts){0};
}
