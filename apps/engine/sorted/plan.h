/* plan.h - the plan of a sorted graph: its memory, intervals and passes over the stream. */
#ifndef APPS_ENGINE_SORTED_PLAN_H
#define APPS_ENGINE_SORTED_PLAN_H

#include "apps/engine/job.h"
#include "rmat/rmat_interval.h"

typedef struct {
    rmat_gen *gen;           /* makes the intervals; the backend's */
    bool in_order;           /* the stream is sorted: a pass makes only the edges of the interval */
    bool by_distinct;        /* parts are to have as many distinct edges, not as many draws */
    uint64_t stream_edges;   /* of a pass; with unique the expected number, until the search */
    uint64_t interval_bytes; /* memory of an interval, host or device */
    uint64_t interval_edges; /* edges that fit into it */
    int intervals;           /* in memory: 1, or 2 to make one while another is written */
    uint64_t passes;         /* over the stream to make all intervals of a rank */
    uint64_t per_stream;     /* passes that make the stream once: 1, or `passes` if in_order */
    uint64_t counting;       /* earlier passes that count: 0; with several ranks 1, shared by them;
                                with unique `passes` or 0 */
    uint64_t buffer_bytes;   /* the most host memory for buffers on the way to the file */
    rmat_sample *sample;     /* of the graph's cells; NULL: not needed */
    rmat_window window;      /* with unique: the first window of the search */
} sorted_plan;

/* Makes the plan of this rank, and that of the backend's buffers, which lead to the file or to a
 * sink.  Its memory may differ from that of other ranks; all make as many passes as the rank that
 * needs the most.  Collective.  Returns an engine_status, the same on all ranks.  Call
 * rmat_sample_destroy(plan->sample) in any case. */
int sorted_make_plan(sorted_plan *plan, const engine_plan *p, engine_backend *b, bool to_sink);

/* Cuts the order into equal parts, by the sample or, if the stream has this order, of the stream.
 * cells has parts + 1 elements, all zero.  Returns an rmat_status. */
int sorted_cut(const sorted_plan *plan, const engine_plan *p, uint64_t parts, rmat_cell *cells);

/* The default of --memory: half of this host's available memory, shared by its ranks. */
uint64_t sorted_default_memory(void);

/* write.c: rmat_config.stop of the generators.  It shows the progress of the sorted graph that is
 * being made, if there is one, and may stop it. */
int sorted_stop(void *unused);

#endif
