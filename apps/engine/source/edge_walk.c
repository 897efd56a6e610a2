/* All edges of a source once, through a pipeline whose threads read a piece each. */
#include "apps/engine/source/edge_source.h"

#include <stdatomic.h>
#include <stdio.h>

pipeline_plan edge_pipeline_plan(const edge_source *s, int id_bytes, int threads)
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;

    return (pipeline_plan){.edges = g->edges,
                           .id_bytes = id_bytes,
                           .weight_bytes = g->weight != EDGEFILE_NO_WEIGHT ? 4 : 0,
                           .chunk = EDGE_PIECE,
                           .generators = threads,
                           .buffers = threads};
}

/* Returns whether it succeeded. */
static bool read_chunk(edge_readers *r, int thread, int id_bytes, pipeline_chunk *c, char *text,
                       size_t size)
{
    const rmat_arrays to = {c->src, c->dst, c->weight, id_bytes};
    const edge_block e = {c->what.first, c->what.count, c->src, c->dst, c->weight, id_bytes};

    if (edge_source_read(r->source, e.first, e.count, &to) != 0) {
        snprintf(text, size, "%s", edge_source_error(r->source));
        return false;
    }
    c->fingerprint = r->fingerprints ? rmat_fingerprint(c->src, c->dst, e.count, id_bytes) : 0;
    return r->visit == NULL || r->visit(r->state, thread, &e, text, size) == 0;
}

static int run_reader(void *state, pipeline *p, char *text, size_t size)
{
    edge_readers *r = state;
    const int thread = atomic_fetch_add(&r->started, 1);
    pipeline_chunk *c;

    while ((c = pipeline_claim(p, true)) != NULL) {
        if (!read_chunk(r, thread, pipeline_plan_of(p)->id_bytes, c, text, size)) {
            return -1;
        }
        pipeline_submit(p, c);
    }
    return 0;
}

pipeline_producer edge_producer(edge_readers *r, int threads)
{
    return (pipeline_producer){run_reader, r, threads};
}

static const char *keep_nothing(void *state, const pipeline_chunk *c)
{
    (void)state;
    (void)c;
    return NULL;
}

static int report(void *meter, uint64_t done)
{
    return engine_meter_tick(meter, (double)done, done);
}

int edge_walk(edge_source *s, int threads, edge_visit *visit, void *state, engine_meter *meter)
{
    const pipeline_plan plan =
        edge_pipeline_plan(s, edge_source_facts_of(s)->graph.id_bytes, threads);
    const pipeline_sink sink = {.write = keep_nothing};
    const pipeline_source all = {.first = {PIPELINE_EDGES, 0, plan.edges}};
    edge_readers readers = {.source = s, .visit = visit, .state = state};
    const pipeline_producer producer = edge_producer(&readers, threads);
    pipeline_result result;

    (void)report(meter, 0); /* the walk may be shorter than the time between two reports */
    pipeline_run(&plan, &all, &producer, &sink, report, meter, &result);
    if (report(meter, result.done) != 0) {
        result.stopped = true;
    }
    return result.error != NULL ? engine_fail("%s", result.error)
           : result.stopped     ? engine_stop_with(meter->stopped)
                                : ENGINE_OK;
}
