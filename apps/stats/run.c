/*
 * Passes over the edges.
 *
 * The first pass counts loops and quadrants.  Degrees and pairs are counted in it too if both
 * tables fit into memory.  Otherwise passes for the degrees come first, then passes for the pairs,
 * whose table has all of the memory.
 */
#include "apps/common/message.h"
#include "apps/engine/sorted/plan.h"
#include "apps/stats/visit.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes for tables, at least. */
enum { LEAST_ROOM = 4 << 20, MOST_PASSES = 1 << 20 };

static int no_memory(const stats_state *r)
{
    return runtime_error(r->job->options.command, "memory is exhausted");
}

static int walk(stats_state *r)
{
    const edge_walk_body body = {stats_visit, NULL, r};
    const degree_options *o = &r->job->options;
    engine_meter meter = engine_meter_of(&r->watcher.watch, "counting", r->edges,
                                         2 * edge_source_facts_of(r->source)->graph.id_bytes);
    int status;

    meter.work = (double)r->to_read;
    meter.before = (double)r->read;
    status = edge_walk(r->source, o->threads, &body, &meter);
    r->read += r->edges;
    if (status != ENGINE_OK) {
        return client_end(&r->watcher, status, NULL, 0, 0);
    }
    if (r->finds && !r->full && !pairs_finish(&r->pairs, &r->sums[0].pairs)) {
        r->full = true;
    }
    r->results->passes++;
    r->first = false;
    return EXIT_OK;
}

/* Add up the pairs that the threads found, unless the table was too small. */
static void take_pairs(stats_state *r)
{
    pair_tally *all = &r->results->pairs;

    for (int t = 0; t < r->job->options.threads; t++) {
        pair_tally *some = &r->sums[t].pairs;

        if (!r->full) {
            all->distinct += some->distinct;
            all->loops += some->loops;
            all->mutual += some->mutual;
        }
        *some = (pair_tally){0};
    }
    pairs_free(&r->pairs);
}

/* Passes for the degrees; together: the same pass finds the pairs. */
static int count_degrees(stats_state *r, bool together)
{
    int status = EXIT_OK;

    for (uint64_t pass = 0; pass < r->counters.passes && status == EXIT_OK; pass++) {
        r->counts = true;
        r->finds = together;
        if (!counters_create(&r->counters, pass) || (together && !pairs_create(&r->pairs))) {
            status = no_memory(r);
        }
        status = status == EXIT_OK ? walk(r) : status;
        if (status == EXIT_OK &&
            !counters_collect(&r->counters, r->job->options.threads, r->histograms)) {
            status = no_memory(r);
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
        pairs_cut(&r->pairs, r->room, passes, pass);
        passes = r->pairs.range.passes;
        r->to_read = r->read + (passes - pass) * r->edges;
        r->finds = true;
        r->full = false;
        status = pairs_create(&r->pairs) ? walk(r) : no_memory(r);
        take_pairs(r);
        if (r->full) {
            pass *= 2;
            passes *= 2;
        } else {
            pass++;
        }
        if (status == EXIT_OK && passes > MOST_PASSES) {
            status = no_memory(r);
        }
    } while (status == EXIT_OK && pass < passes);
    return status;
}

static int count(stats_state *r)
{
    bool together;
    int status;

    counters_plan(&r->counters, r->rows, r->cols, r->edges, r->square, r->room,
                  r->job->options.threads);
    r->to_read = r->edges * r->counters.passes;
    together = r->job->pairs && r->counters.passes == 1 &&
               pairs_wanted(&r->pairs) + (double)r->counters.bytes <= (double)r->room;
    if (together) {
        pairs_cut(&r->pairs, r->room - r->counters.bytes, 1, 0);
    }
    status = count_degrees(r, together);
    if (status == EXIT_OK && r->job->pairs && (!together || r->full)) {
        status = find_pairs(r);
    }
    return status;
}

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
            return no_memory(r);
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
    r->room = memory - reading;
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
        return no_memory(r);
    }
    memset(r->sums, 0, (size_t)r->job->options.threads * sizeof *r->sums);
    for (int t = 0; t < r->job->options.threads && good; t++) {
        r->sums[t].levels = rmat_counter_create(0);
        good = r->sums[t].levels != NULL;
    }
    for (int i = 0; i < DEGREE_KINDS; i++) {
        good = histogram_create(&r->histograms[i], r->job->options.top) && good;
    }
    return good ? undo_permutation(r) : no_memory(r);
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
}

int stats_run(edge_source *s, const stats_job *job, stats_results *results)
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;
    stats_state r = {.source = s, .job = job, .results = results};
    int status;

    *results = (stats_results){0};
    status = begin(&r);
    if (status == EXIT_OK) {
        client_begin(&r.watcher, job->options.command, NULL, job->options.quiet);
        status = count(&r);
        status = status == EXIT_OK ? take(&r) : status;
        if (status == EXIT_OK) {
            client_end(&r.watcher, ENGINE_OK, NULL, r.edges * results->passes, 2 * g->id_bytes);
        }
    }
    end(&r);
    return status;
}
