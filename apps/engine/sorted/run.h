/* The making of one sorted graph, as its parts share it.  Private to this folder. */
#ifndef APPS_ENGINE_SORTED_RUN_H
#define APPS_ENGINE_SORTED_RUN_H

#include "apps/engine/sorted/fill.h"
#include "apps/engine/sorted/plan.h"
#include <pthread.h>
#include <stdatomic.h>

enum { SORTED_SLOTS = 2 };

/* An interval in memory, and what of the file comes from it. */
typedef struct {
    rmat_interval *interval;
    uint64_t first, edges;       /* of the graph */
    uint64_t first_row, end_row; /* whose pointers it has */
    uint64_t left;               /* edges and pointers that are not in the pipeline's buffers yet */
} sorted_slot;

typedef struct {
    const engine_plan *goal;
    engine_backend *backend;
    sorted_plan plan;
    rmat_gen *gen; /* that makes the intervals */
    sorted_slot slots[SORTED_SLOTS];
    sorted_cuts cuts;      /* of this rank */
    rmat_cell *bounds;     /* of the ranks: [dist_size() + 1] */
    bool kept;             /* slots[0] has this rank's first interval, ready to be written */
    uint64_t draws;        /* of unique edges: how many it takes, once it is known */
    uint64_t edges;        /* of the graph, once it is known */
    uint64_t *starts;      /* of the ranks: their first edges, [dist_size() + 1] */
    _Atomic uint64_t made; /* edges of the stream that this rank has made, again and again */
    _Atomic uint64_t pass; /* that is under way, from 1 */
    engine_meter meter;
    const engine_sink *sink;  /* where the edges go in place of a file, or NULL */
    graphfile_writer *writer; /* once there is a file */
    graphfile_format format;  /* of that file */
    char phase[64];
    char text[PIPELINE_TEXT]; /* what failed here */

    const pipeline *pipeline; /* that the intervals are made for */
    pthread_mutex_t lock;     /* guards the slots while it runs */
    pthread_cond_t changed;   /* nothing is left of one */
} sorted_run;

/* How many pointers of the file come from the slot. */
static inline uint64_t sorted_pointers(const sorted_run *r, const sorted_slot *slot)
{
    return r->format == GRAPHFILE_CSR && slot->end_row > slot->first_row
               ? slot->end_row - slot->first_row
               : 0;
}

/* Of the graph: this many of the stream's edges. */
static inline uint64_t sorted_stream(const sorted_run *r, uint64_t draws)
{
    return draws << r->goal->job.model.symmetrize;
}

/* The current pass or whatever else the stream is made for: a sorted_tick for the main thread, with
 * the run. */
int sorted_work_tick(void *run, uint64_t made);

/* Until the next call of it in this thread, calls of rmat/ ask tick whether to go on; NULL: they
 * do. */
void sorted_calls(sorted_tick tick, void *argument);

/* Makes interval i of r->cuts, which may be cut in two. */
int sorted_make_interval(sorted_run *r, rmat_interval *interval, uint64_t i, uint64_t stream,
                         sorted_tick tick);

/* Says in r->text why a call failed, in the thread that called it.  Returns status. */
int sorted_failed(sorted_run *r, int status);

/* At the end of what all ranks do.  status: 0, an rmat_status, of which r->text tells, or
 * SORTED_STOPPED.  Returns an engine_status: of a failure, this rank's own. */
int sorted_end(const sorted_run *r, int status);

/* sorted/plan.c, collective: memory for intervals; and cuts, rank 0's, into as many passes as the
 * rank makes that needs the most.  Returns an engine_status, the same on all ranks. */
int sorted_get_memory(sorted_run *r);
int sorted_cut(sorted_run *r);
void sorted_free_intervals(sorted_run *r); /* not collective */

/* apps/engine/sorted/search.c, collective: how many draws it takes to have as many distinct edges
 * as are wanted (r->draws), and what each rank has of them.  Likewise. */
int sorted_search(sorted_run *r);

/* apps/engine/sorted/make.c, collective: what each rank has of the graph, from making its first
 * interval, where that is all, or from counting.  Likewise. */
int sorted_count(sorted_run *r);

/* Of those: r->starts and r->edges from what each rank has.  Collective. */
void sorted_add_up(sorted_run *r, uint64_t mine);

/* apps/engine/sorted/source.c: the intervals, one after another, as the spans of a pipeline_source
 * whose state this is; and what fills chunks. */
typedef struct {
    sorted_run *run;
    uint64_t intervals; /* of r->cuts that were made */
    uint64_t first;     /* edge of the graph behind these */
    sorted_slot *slot;  /* of the last of them; NULL: none is made yet */
    bool pointers;      /* of the slot that were given out: all */
    uint64_t at;        /* edges of it that were */
    pipeline_filler cpu;
    pipeline_gpu_filler gpu;
} sorted_source;

void sorted_source_init(sorted_source *s, sorted_run *r);
int sorted_source_next(void *source, pipeline *p, pipeline_span *span);
pipeline_producer sorted_producer(const sorted_source *s, const pipeline_plan *buffers);

#endif
