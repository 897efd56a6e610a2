/*
 * Distinct edges, and pairs of vertices with edges in both directions: by sorting.
 *
 * The engine sorts the edges of the file and drops copies, interval by interval where memory does
 * not hold all of them, and tells how many are left.  Then it does so once more with every edge
 * turned to point from the larger vertex to the smaller one, and without loops: of E distinct edges
 * that are no loops, two become one exactly where both directions exist, so that P are left and
 * E - P pairs are mutual.
 */
#include "apps/engine/sink.h"
#include "apps/engine/source/edge_stream.h"
#include "apps/stats/count.h"
#include <stdatomic.h>

typedef struct {
    int id_bytes;
    _Atomic uint64_t loops;
} loop_counter;

/* A pipeline_sink of edges that are distinct. */
static const char *count_loops(void *state, const pipeline_chunk *c)
{
    loop_counter *counter = state;
    uint64_t loops = 0;

    for (uint64_t i = 0; i < c->what.count; i++) {
        loops += edge_id(c->src, i, counter->id_bytes) == edge_id(c->dst, i, counter->id_bytes);
    }
    counter->loops += loops;
    return NULL;
}

/* How many edges there are without copies; undirected: nor loops, nor reverse edges.  *loops is set
 * where that is not NULL. */
static int sort_edges(edge_source *s, const degree_options *o, const engine_watch *watch,
                      bool undirected, uint64_t *edges, uint64_t *loops)
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;
    const uint64_t vertices = g->rows > g->cols ? g->rows : g->cols;
    const pipeline_span none[1] = {{PIPELINE_EDGES, 0, 0}};
    loop_counter counter = {.id_bytes = vertices <= (uint64_t)1 << 32 ? 4 : 8};
    const engine_sink sink = {
        {.write = count_loops, .state = &counter}, loops != NULL ? NULL : none, 0};
    engine_source source;
    engine_result result;
    edge_stream *stream;
    engine_job job;
    int status;

    engine_job_default(&job);
    status = count_room(s, o, 0, &job.memory);
    if (status != ENGINE_OK) {
        return status;
    }
    status = edge_stream_open(&stream, s);
    if (status != ENGINE_OK) {
        return status;
    }
    source = edge_stream_source(stream);
    source.edges.weights = RMAT_NO_WEIGHTS;
    source.command = source.csr_option = ""; /* no file will name them */
    job.source = &source;
    job.model.backend = RMAT_BACKEND_CPU;
    job.model.direction = undirected ? RMAT_LOWER : RMAT_DIRECTED;
    job.model.no_self_loops = undirected;
    job.edges = g->edges;
    job.dedup = true;
    job.id_bytes = counter.id_bytes;
    job.threads = o->threads;
    job.watch = *watch;
    status = engine_run(&job, &sink, &result);
    edge_stream_close(stream);
    if (status == ENGINE_OK) {
        *edges = result.edges;
    }
    if (status == ENGINE_OK && loops != NULL) {
        *loops = counter.loops;
    }
    return status;
}

int count_distinct(edge_source *s, const degree_options *o, const engine_watch *watch,
                   pair_counts *p)
{
    const graphfile_graph *g = &edge_source_facts_of(s)->graph;

    return sort_edges(s, o, watch, false, &p->distinct, g->rows == g->cols ? &p->loops : NULL);
}

int count_mutual(edge_source *s, const degree_options *o, const engine_watch *watch, pair_counts *p)
{
    uint64_t pairs = 0;
    const int status = sort_edges(s, o, watch, true, &pairs, NULL);

    p->mutual = p->distinct - p->loops - pairs;
    return status;
}
