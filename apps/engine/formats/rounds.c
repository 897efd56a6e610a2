/* The edges of a source into one file, by all ranks: each takes some pieces in
 * turn, so that no rank keeps more than a bounded number of edges. */
#include "apps/engine/formats/formats.h"
#include "apps/engine/ranks/agree.h"
#include "apps/engine/run.h"
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"

enum { EACH = 4 }; /* pieces for a thread, at least */

/* Ranks do about the same, so that rank 0 speaks for all. */
typedef struct {
    const engine_watch *watch;
    uint64_t before, edges; /* in earlier rounds, and of the graph */
} progress;

static int tick(void *state, const engine_progress *now)
{
    const progress *p = state;
    uint64_t done = p->before + now->done * (uint64_t)dist_size();
    engine_progress all = *now;

    all.done = done < p->edges ? done : p->edges;
    all.share = p->edges > 0 ? (double)all.done / (double)p->edges : 1;
    return engine_pass_on(
        p->watch != NULL && p->watch->tick != NULL ? p->watch->tick(p->watch->state, &all) : 0);
}

int format_agree(int status)
{
    char none[1] = "";
    int reason;

    if (status == ENGINE_STOPPED) { /* perhaps where the others do not look after signals */
        dist_request_stop(engine_stop_reason());
    } else if (status != ENGINE_OK) {
        dist_request_stop(ENGINE_FAILED);
    }
    reason = dist_agree(dist_stopping(), none, sizeof none, NULL);
    if (status == ENGINE_STOPPED) {
        status = ENGINE_OK;
    }
    if (status == ENGINE_OK && reason != 0 && reason != ENGINE_FAILED) {
        status = engine_stop_with(reason);
    }
    return engine_agree(status);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Ranks may have different numbers of threads, and all must cut the rounds alike.  Collective. */
static uint64_t mean_threads(int own)
{
    uint64_t sum = (uint64_t)own;

    dist_sum(&sum, 1);
    return sum / (uint64_t)dist_size();
}

/* The source compares the fingerprint itself where one process reads everything.  Collective. */
static int check_source(const edge_source *source)
{
    const edge_source_seen seen = edge_source_seen_of(source);
    uint64_t sums[2] = {seen.pieces, seen.fingerprint};

    dist_sum(sums, 2);
    return edge_source_check(source, (edge_source_seen){sums[0], sums[1]});
}

int format_write_rounds(edge_source *source, uint64_t begin, graphfile_writer *writer,
                        const edge_walk_body *body, const format_options *options,
                        double edge_bytes)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    const uint64_t unit = graphfile_round(writer) / EDGE_SOURCE_PIECE;
    const uint64_t threads = mean_threads(options->threads);
    const uint64_t mine = (EACH * threads + unit - 1) / unit * unit;
    const uint64_t rank = (uint64_t)dist_rank(), all = mine * (uint64_t)dist_size();
    progress state = {.watch = options->watch, .edges = f->graph.edges};
    const engine_watch watch = {.state = &state, .tick = tick};
    int status = ENGINE_OK;

    for (uint64_t at = begin; at < f->pieces && status == ENGINE_OK; at += all) {
        const uint64_t first = least(at + rank * mine, f->pieces);
        const uint64_t end = least(first + mine, f->pieces);
        engine_meter meter = engine_meter_of(&watch, "", f->graph.edges, edge_bytes);

        state.before = edge_source_first(source, at);
        status = format_agree(edge_walk_some(source, first, end, options->threads, body, &meter));
        if (status == ENGINE_OK && graphfile_end_round(writer) != EDGEFILE_OK) {
            status = engine_fail("%s", edgefile_detail());
        }
    }
    return status == ENGINE_OK ? format_agree(check_source(source)) : status;
}
