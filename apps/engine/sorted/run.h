/* The making of one sorted graph, as its parts share it.  Private to this folder. */
#ifndef APPS_ENGINE_SORTED_RUN_H
#define APPS_ENGINE_SORTED_RUN_H

#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/sorted/plan.h"
#include <stdatomic.h>

enum { SORTED_INTERVALS = 2 };

typedef struct {
    const engine_plan *goal;
    engine_backend *backend;
    sorted_plan plan;
    rmat_gen *gen; /* that makes the intervals */
    rmat_interval *intervals[SORTED_INTERVALS];
    rmat_cell *cells; /* part i of this rank's order begins at cells[i]: [parts + 1] */
    uint64_t parts;
    rmat_cell *bounds;     /* of the ranks: [dist_size() + 1] */
    bool only_part_made;   /* intervals[0] has this rank's only part, ready to be written */
    uint64_t draws;        /* of unique edges: how many it takes, once it is known */
    uint64_t edges;        /* of the graph, once it is known */
    uint64_t *starts;      /* of the ranks: their first edges, [dist_size() + 1] */
    _Atomic uint64_t made; /* edges of the stream that this rank has made, again and again */
    _Atomic uint64_t pass; /* that is under way, from 1 */
    engine_meter meter;
    const engine_sink *sink;  /* where the edges go in place of a file, or NULL */
    graphfile_writer *writer; /* once there is a file */
    graphfile_format format;  /* of that file */
    model_attrs attrs;        /* of that file, where the number of its edges shows late */
    char phase[64];
    const pipeline *pipeline; /* that the intervals are made for, once it runs */
} sorted_run;

/* Of the graph: this many of the stream's edges. */
static inline uint64_t sorted_stream(const sorted_run *r, uint64_t draws)
{
    return draws << r->goal->job.model.symmetrize;
}

/* plan.c, collective: memory for intervals, and cuts into as many passes as the rank makes that
 * needs the most.  Returns an engine_status, the same on all ranks. */
int sorted_prepare(sorted_run *r);

/* make.c: calls work(state, first, count) for all of the stream's edges [first, end), piece by
 * piece, and sorted_tick() between.  Returns 0 or an rmat_status. */
int sorted_pieces(sorted_run *r, uint64_t first, uint64_t end,
                  int (*work)(void *state, uint64_t first, uint64_t count), void *state);

/* make.c: part i of the stream's first `stream` edges, from one pass over them.  One that does not
 * fit is cut in two, as often as it takes, and part i is then the first of these.  Likewise. */
int sorted_make(sorted_run *r, rmat_interval *b, uint64_t i, uint64_t stream);

/* make.c: pipeline_run() with the parts of this rank, one after another, as its source. */
void sorted_run_pipeline(sorted_run *r, const pipeline_plan *buffers, const pipeline_sink *sink,
                         pipeline_tick tick, pipeline_result *result);

/* search.c, collective: finds out how many draws the graph takes (r->draws), and which of its edges
 * each rank has (r->starts, r->edges).  Returns as sorted_end(). */
int sorted_count(sorted_run *r);

/* write.c: so many more edges of the stream are made.  Returns whether the run is to end. */
bool sorted_tick(sorted_run *r, uint64_t made);

/* write.c: from now on, this thread's calls of rmat/ are part of the run, which says whether they
 * go on; NULL: of none. */
void sorted_under_way(sorted_run *r);

/* write.c: what a rank does at the end of a part of the run, of this rmat_status.  Returns an
 * engine_status: of a failure, this rank's own. */
int sorted_end(const sorted_run *r, int status);

#endif
