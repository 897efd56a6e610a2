/*
 * Passes over the edges.
 *
 * The first pass counts loops and quadrants.  Degrees and pairs are counted in it too if both
 * tables fit into memory.  Otherwise passes for the degrees come first, then passes for the pairs,
 * whose table has all of the memory.
 */
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/engine/status.h"
#include "apps/stats/visit.h"

enum { MOST_PASSES = 1 << 20 };

int stats_no_memory(const stats_state *r)
{
    return runtime_error(r->job->options.command, "memory is exhausted");
}

int stats_gpu_failed(stats_state *r)
{
    r->failed = true;
    client_clear(&r->watcher);
    return EXIT_RUNTIME;
}

static int begin_on_gpu(stats_state *r)
{
    const gpu_pass pass = {r->counts ? &r->counters : NULL, r->finds ? &r->pairs : NULL,
                           r->first && r->job->levels ? &r->results->levels.tally : NULL, r->gen};

    return gpu_tables_cuda()->begin(r->gpu, &pass) == 0 ? EXIT_OK : stats_gpu_failed(r);
}

static int end_on_gpu(stats_state *r)
{
    bool full = false;

    if (gpu_tables_cuda()->end(r->gpu, &r->sums[0].pairs, &full) != 0) {
        return stats_gpu_failed(r);
    }
    if (r->first && r->job->levels) {
        r->results->levels.tally.edges += r->edges;
    }
    r->full = full;
    return EXIT_OK;
}

static int walk(stats_state *r)
{
    const edge_walk_body body = {stats_visit, NULL, r};
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
        return stats_gpu_failed(r);
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
            status = stats_no_memory(r);
        }
        status = status == EXIT_OK ? walk(r) : status;
        if (status == EXIT_OK &&
            !counters_collect(&r->counters, r->job->options.threads, r->histograms)) {
            status = stats_no_memory(r);
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
        status = create_pairs(r) ? walk(r) : stats_no_memory(r);
        take_pairs(r);
        if (r->full) {
            pass *= 2;
            passes *= 2;
        } else {
            pass++;
        }
        if (status == EXIT_OK && passes > MOST_PASSES) {
            status = stats_no_memory(r);
        }
    } while (status == EXIT_OK && pass < passes);
    return status;
}

int stats_count(stats_state *r)
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
