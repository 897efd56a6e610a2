/* plan.h - sorted graphs: the plan of their memory, intervals and passes over the stream, and the
 * state of a run. */
#ifndef APPS_ENGINE_SORTED_PLAN_H
#define APPS_ENGINE_SORTED_PLAN_H

#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/job.h"
#include "rmat/rmat_interval.h"

typedef struct {
    bool in_order;           /* the stream is sorted: a pass makes only the edges of the interval */
    uint64_t stream_edges;   /* of a pass; with unique the expected number, until the search */
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

/* Makes the plan of this rank, whose memory may differ from that of other ranks; all make as many
 * passes as the rank that needs the most.  Collective.  Returns an engine_status, the same on all
 * ranks.  Call sorted_free_plan() in any case. */
int sorted_make_plan(sorted_plan *plan, const engine_plan *p, const engine_backend *b);
void sorted_free_plan(sorted_plan *plan);

/* Returns how often this number of passes makes the stream.  If the stream is in order, the passes
 * of one kind make it once together. */
uint64_t sorted_plan_stream(const sorted_plan *plan, uint64_t passes);

/* Plans the buffers on the way to the file, or to a sink.  Returns as pipeline_make_plan(). */
int sorted_plan_buffers(const sorted_plan *plan, const engine_plan *p,
                        const engine_backend *backend, bool to_sink, pipeline_plan *buffers);

/* Converts an rmat_status to an engine_status, with CUDA's message. */
int sorted_fail(const engine_backend *b, int status);

/* The default of --memory: half of this host's available memory, shared by its ranks. */
uint64_t sorted_default_memory(void);

/* --- A run.  Private to this folder, but for sorted_stop(). --- */

enum { SORTED_INTERVALS = 2 };

typedef struct {
    const engine_plan *goal;
    engine_backend *backend;
    sorted_plan plan;
    rmat_gen *gen; /* makes the intervals */
    rmat_interval *intervals[SORTED_INTERVALS];
    rmat_parts parts;           /* of this rank */
    rmat_cell *bounds;          /* of the ranks: [dist_size() + 1] */
    bool only_part_made;        /* intervals[0] has this rank's only part, ready to be written */
    uint64_t draws;             /* for unique edges: the number of draws, once it is known */
    uint64_t edges;             /* of the graph, once it is known */
    uint64_t *starts;           /* first edges of the ranks: [dist_size() + 1] */
    rmat_interval_work counted; /* the pass that counts the edges of the ranks */
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

/* make.c: finds the number of draws of the graph (r->draws), and the edges of each rank (r->starts,
 * r->edges).  Collective.  Returns as sorted_end(). */
int sorted_count(sorted_run *r);

/* make.c: calls pipeline_run() with the parts of this rank as its source, one after another. */
int sorted_run_pipeline(sorted_run *r, const pipeline_sink *sink, pipeline_tick tick,
                        pipeline_result *result);

/* write.c: the work of this rank so far, with the current pass. */
rmat_interval_work sorted_work(const sorted_run *r);

/* write.c: makes this thread's calls of rmat/ part of the run, NULL: of no run. sorted_stop() is
 * rmat_config.stop of the generators: it shows the progress of that run, and may stop it. */
void sorted_under_way(sorted_run *r);
int sorted_stop(void *unused);

/* write.c: ends a part of the run on this rank, with this rmat_status.  Returns an engine_status; a
 * failure is this rank's own. */
int sorted_end(const sorted_run *r, int status);

#endif
