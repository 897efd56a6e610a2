/* plan.h - the plan of a sorted graph: memory, intervals, passes over the stream. */
#ifndef APPS_ENGINE_SORTED_PLAN_H
#define APPS_ENGINE_SORTED_PLAN_H

#include "apps/engine/run.h"
#include "rmat/rmat_interval.h"

typedef struct {
    bool in_order;           /* the stream is sorted: a pass makes only the edges of the interval */
    uint64_t stream_edges;   /* of a pass; with unique the expected number, until the search */
    uint64_t share;          /* approximate edges of the graph per rank */
    uint64_t interval_bytes; /* memory of an interval, host or device */
    uint64_t interval_edges; /* edges that fit into it */
    int intervals;           /* in memory: 1, or 2 to make one while another is written */
    uint64_t passes;         /* over the stream to make all intervals of a rank */
    uint64_t counting;       /* earlier passes that count: 0; with several ranks 1, shared by them;
                                with unique `passes` or 0 */
    uint64_t buffer_bytes;   /* the most host memory for buffers on the way to the file */
    rmat_sample *sample;     /* of the graph's cells; NULL: not needed */
    rmat_window window;      /* with unique: the first window of the search */
} sorted_plan;

/*
 * Makes the plan of this rank, whose memory may differ from that of other ranks.  All ranks then
 * make as many passes as the rank that needs the most.  Returns an engine_status.  Call
 * sorted_free_plan() in either case.
 */
int sorted_make_plan(sorted_plan *plan, const engine_plan *p, const engine_backend *b);
void sorted_free_plan(sorted_plan *plan);

/* Converts an rmat_status to an engine_status, with CUDA's message. */
int sorted_fail(const engine_backend *b, int status);

/* For the search for unique edges: the number of new edges for which a rank has room at a time, and
 * the number of draws in which a pass over all intervals finds them. */
uint64_t sorted_most_new(const sorted_plan *plan);
uint64_t sorted_most_draws(const sorted_plan *plan, const engine_plan *p);

/* Returns how often this number of passes makes the stream.  If the stream is in order, the passes
 * of one kind make it once together. */
uint64_t sorted_plan_stream(const sorted_plan *plan, uint64_t passes);

/* Changes the plan to as many passes as the rank that needs the most.  Collective.  Returns an
 * engine_status, the same on all ranks. */
int sorted_join_passes(sorted_plan *plan, const engine_plan *p);

/* Plans the buffers on the way to the file.  Returns as pipeline_make_plan(). */
int sorted_plan_buffers(const sorted_plan *plan, const engine_plan *p,
                        const engine_backend *backend, uint64_t edges, pipeline_plan *buffers);

/* rmat_config.stop of generators that make intervals: run.h. */
int sorted_stop(void *unused);

/* The default of --memory: half of this host's available memory, shared by its ranks. */
uint64_t sorted_default_memory(void);

#endif
