/* run.h - the state of a run that makes one sorted graph.  Private to this folder. */
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
    rmat_gen *gen; /* makes the intervals */
    rmat_interval *intervals[SORTED_INTERVALS];
    rmat_cell *cells; /* part i of this rank begins at cells[i]: [parts + 1] */
    uint64_t parts;
    rmat_cell *bounds;     /* of the ranks: [dist_size() + 1] */
    bool only_part_made;   /* intervals[0] has this rank's only part, ready to be written */
    uint64_t draws;        /* for unique edges: the number of draws, once it is known */
    uint64_t edges;        /* of the graph, once it is known */
    uint64_t *starts;      /* first edges of the ranks: [dist_size() + 1] */
    _Atomic uint64_t made; /* edges of the stream that this rank has made, in all passes */
    _Atomic uint64_t pass; /* the current pass, from 1 */
    engine_meter meter;
    const engine_sink *sink;  /* receives the edges instead of a file, or NULL */
    graphfile_writer *writer; /* once there is a file */
    graphfile_format format;  /* of that file */
    model_attrs attrs;        /* of that file, where the number of its edges shows late */
    char phase[64];
    const pipeline *pipeline; /* receives the intervals, once it runs */
} sorted_run;

/* Returns the number of the stream's edges in this number of draws. */
static inline uint64_t sorted_stream(const sorted_run *r, uint64_t draws)
{
    return draws << r->goal->job.model.symmetrize;
}

/* plan.c: allocates the intervals, and cuts the order into parts, for as many passes as the rank
 * that needs the most.  Collective.  Returns an engine_status, the same on all ranks. */
int sorted_prepare(sorted_run *r);

/* make.c: calls work(state, first, count) for the stream's edges [first, end), piece by piece, and
 * sorted_tick() after each piece.  Returns 0 or an rmat_status. */
int sorted_pieces(sorted_run *r, uint64_t first, uint64_t end,
                  int (*work)(void *state, uint64_t first, uint64_t count), void *state);

/* make.c: makes part i of the stream's first `stream` edges, in one pass over them.  A part that
 * does not fit is cut in two, repeatedly if necessary; part i is then the first piece.  Returns 0
 * or an rmat_status. */
int sorted_make(sorted_run *r, rmat_interval *b, uint64_t i, uint64_t stream);

/* make.c: calls pipeline_run() with the parts of this rank as its source, one after another. */
void sorted_run_pipeline(sorted_run *r, const pipeline_plan *buffers, const pipeline_sink *sink,
                         pipeline_tick tick, pipeline_result *result);

/* search.c: finds the number of draws of the graph (r->draws), and the edges of each rank
 * (r->starts, r->edges).  Collective.  Returns as sorted_end(). */
int sorted_count(sorted_run *r);

/* write.c: reports `made` more edges of the stream.  Returns whether the run must end. */
bool sorted_tick(sorted_run *r, uint64_t made);

/* write.c: makes this thread's calls of rmat/ part of the run, which can stop them.  NULL: part of
 * no run. */
void sorted_under_way(sorted_run *r);

/* write.c: ends a part of the run on this rank, with this rmat_status.  Returns an engine_status; a
 * failure is this rank's own. */
int sorted_end(const sorted_run *r, int status);

#endif
