/* What it takes to make a sorted graph: memory, intervals, passes over the stream. */
#ifndef APPS_ENGINE_SORTED_PLAN_H
#define APPS_ENGINE_SORTED_PLAN_H

#include "apps/engine/run.h"
#include "rmat/rmat_sample.h"

typedef struct {
    bool in_order; /* the stream is sorted: a pass over it makes no more of it than the interval */
    uint64_t stream_edges; /* of a pass; with unique what is expected until it has been searched */
    uint64_t share;        /* edges of the graph for each rank, about */
    uint64_t interval_bytes; /* of an interval's memory, host or device */
    uint64_t interval_edges; /* that fit into it */
    int intervals;           /* of memory: 1, or 2 to make one while another is written */
    uint64_t passes;         /* over the stream to make all intervals of a rank */
    uint64_t counting;     /* passes before these, to count: 0, with several ranks 1, of which each
                              makes its part, with unique as many as `passes` or 0 */
    uint64_t buffer_bytes; /* the most of host memory on the way to the file */
    rmat_sample *sample;   /* of the graph's cells; NULL where none is needed */
    rmat_window window;    /* with unique: where to search for the number of draws, at first */
} sorted_plan;

/*
 * In the place of another plan, for this rank, which may have other memory than others; ranks then
 * make as many passes as the one that needs the most.  Returns an engine_status.
 * sorted_free_plan() in either case.
 */
int sorted_make_plan(sorted_plan *plan, const engine_plan *p, const engine_backend *b);
void sorted_free_plan(sorted_plan *plan);

/* An engine_status from an rmat_status, with what CUDA says. */
int sorted_fail(const engine_backend *b, int status);

/* Of the search for unique edges: how many new ones a rank has room for at a time, and of how many
 * draws a look at all intervals finds them. */
uint64_t sorted_most_new(const sorted_plan *plan);
uint64_t sorted_most_draws(const sorted_plan *plan, const engine_plan *p);

/* How often that many passes make the stream: where it is in order, those of a kind make it once
 * together. */
uint64_t sorted_plan_stream(const sorted_plan *plan, uint64_t passes);

/* The plan for as many passes as the rank that needs the most.  Collective; returns an
 * engine_status, the same on all ranks. */
int sorted_join_passes(sorted_plan *plan, const engine_plan *p);

/* The buffers on the way to the file; returns as pipeline_make_plan(). */
int sorted_plan_buffers(const sorted_plan *plan, const engine_plan *p,
                        const engine_backend *backend, uint64_t edges, pipeline_plan *buffers);

/* rmat_config.stop of generators that make intervals: run.h. */
int sorted_stop(void *unused);

/* Where --memory is not given: half of this host's available memory, shared by its ranks. */
uint64_t sorted_default_memory(void);

#endif
