/*
 * Distinct edges, and pairs of vertices with edges in both directions: by sorting.
 *
 * The engine sorts the edges of the file and drops copies, interval by interval if memory does not
 * hold all of them, and returns the number left.  It then repeats this with every edge turned to
 * point from the larger vertex to the smaller one.  Two distinct edges become one exactly if both
 * directions exist, so the difference of the two numbers is the number of mutual pairs.
 */
#include "apps/engine/job.h"
#include "apps/engine/source/edge_source.h"
#include "apps/stats/count.h"

/* Returns the number of distinct edges; turned: an edge and its reverse count as one. */
static int sort_edges(edge_source *s, const degree_options *o, const engine_watch *watch,
                      rmat_direction turned, uint64_t *edges)
{
    const pipeline_span none[1] = {{PIPELINE_EDGES, 0, 0}};
    const engine_sink sink = {.spans = none, .n_spans = 0};
    engine_source source;
    engine_result result;
    engine_job job;
    int status;

    engine_job_default(&job);
    status = count_room(s, o, 0, &job.memory);
    if (status != ENGINE_OK) {
        return status;
    }
    source = edge_source_for_engine(s);
    source.edges.weights = RMAT_NO_WEIGHTS;
    source.command = source.csr_option = ""; /* no file records them */
    job.source = &source;
    job.model.backend = RMAT_BACKEND_CPU;
    job.model.direction = turned;
    job.edges = source.edges.edges;
    job.dedup = true;
    job.threads = o->threads;
    job.watch = *watch;
    status = engine_run(&job, &sink, &result);
    if (status == ENGINE_OK) {
        *edges = result.edges;
    }
    return status;
}

int count_distinct(edge_source *s, const degree_options *options, const engine_watch *watch,
                   edge_counts *edges)
{
    return sort_edges(s, options, watch, RMAT_DIRECTED, &edges->distinct);
}

int count_mutual(edge_source *s, const degree_options *options, const engine_watch *watch,
                 edge_counts *edges)
{
    uint64_t pairs = 0;
    const int status = sort_edges(s, options, watch, RMAT_LOWER, &pairs);

    edges->mutual = edges->distinct - pairs;
    return status;
}
