/*
 * GAPBS's graphs as GAPBS's own programs have them: `rmat generate --stream gapbs` into sg or wsg.
 *
 * Its builder adds the reverse of each edge, drops loops and copies, and takes the largest vertex
 * that occurs for the last one.  The first three are options of the job; the last one is found by
 * making the edges once more beforehand, until the last vertex of the scale turns up.
 */
#include "apps/engine/meter.h"
#include "apps/engine/status.h"
#include "apps/generate/generate.h"
#include "apps/generate/model.h"
#include "rmat/rmat_gapbs.h"

#define PIECE ((uint64_t)1 << 22) /* edges between two looks at signals */

static bool is_gapbs_file(const generate_options *o)
{
    return o->job.model.stream >= RMAT_STREAM_GAPBS &&
           (o->job.format == GRAPHFILE_SG || o->job.format == GRAPHFILE_WSG);
}

void generate_as_gapbs(const bool *given, generate_options *o)
{
    static const int others[] = {GENERATE_PERMUTE,    GENERATE_NO_SELF_LOOPS,
                                 GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE,
                                 GENERATE_DEDUP,      GENERATE_SIMPLE,
                                 GENERATE_SORTED,     GENERATE_FIRST,
                                 GENERATE_COUNT,      -1};
    rmat_config *m = &o->job.model;

    if (!is_gapbs_file(o) || generate_any(given, others) >= 0) {
        return;
    }
    o->as_gapbs = true;
    m->symmetrize = m->no_self_loops = 1;
    o->job.dedup = true;
    if (o->job.format == GRAPHFILE_WSG && !given[GENERATE_WEIGHTS]) {
        m->weights = RMAT_WEIGHTS_INT;
        m->weight_min = 1;
        m->weight_max = 255;
    }
}

/* The number of vertices of the graph. */
static int count_vertices(const engine_job *job, const rmat_gapbs *g, uint64_t *vertices)
{
    const uint64_t all = (uint64_t)1 << job->model.rows_scale;
    engine_meter meter = engine_meter_of(&job->watch, "counting vertices", job->edges, 0);

    *vertices = 1;
    for (uint64_t first = 0, n; first < job->edges && *vertices < all; first += n) {
        const int reason = engine_meter_tick(&meter, (double)first, 0);
        uint64_t some;
        int status;

        if (reason != 0) {
            return engine_stop_with(reason);
        }
        n = job->edges - first < PIECE ? job->edges - first : PIECE;
        status = rmat_gapbs_vertices(g, first, n, job->threads, &some);
        if (status != RMAT_OK) {
            return engine_fail("%s", rmat_strerror(status));
        }
        *vertices = some > *vertices ? some : *vertices;
    }
    return ENGINE_OK;
}

int generate_gapbs_open(generate_options *o)
{
    engine_job *job = &o->job;
    const rmat_config *m = &job->model;
    uint64_t vertices;
    int status;

    if (!o->as_gapbs) {
        return ENGINE_OK;
    }
    status = rmat_gapbs_create(&o->gapbs, m->rows_scale, (uint32_t)m->seed,
                               (rmat_gapbs_shuffle)(m->stream - RMAT_STREAM_GAPBS), m->isa);
    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    status = count_vertices(job, o->gapbs, &vertices);
    if (status != ENGINE_OK) {
        return status;
    }
    o->source = (engine_source){
        .edges = rmat_gapbs_source(o->gapbs, job->edges, rmat_has_own_weights(m)),
        .command = "rmat generate --stream gapbs", /* of the sorted file, which is removed */
        .csr_option = " --format csr"};
    o->source.edges.rows = o->source.edges.cols = vertices;
    foreign_attrs_fill(&o->attrs, &(graphfile_graph){.rows = vertices, .cols = vertices});
    o->source.attrs = o->attrs.list;
    o->source.n_attrs = o->attrs.n;
    job->source = &o->source;
    job->complete = false;
    return engine_complete(job);
}

void generate_gapbs_close(generate_options *o)
{
    rmat_gapbs_destroy(o->gapbs);
}
