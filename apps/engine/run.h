/* What the parts of engine_run() share.  Private to the engine. */
#ifndef APPS_ENGINE_RUN_H
#define APPS_ENGINE_RUN_H

#include "apps/engine/job.h"
#include "apps/engine/meter.h"
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "apps/engine/pipeline/pipeline.h"
#include "apps/engine/sink.h"
#include <limits.h>

/* Who makes the edges of this rank. */
typedef struct {
    rmat_backend used; /* CPU or GPU */
    int device;        /* of the GPU, where it was wanted */
    rmat_isa isa;      /* of the CPU, where it has a part */
    pipeline_producer producer;
    uint64_t device_bytes;       /* for buffers on the GPU, by the last plan */
    rmat_gen *cpu_gen, *gpu_gen; /* NULL where not wanted */
} engine_backend;

/* Returns an engine_status.  engine_backend_close() in either case. */
int engine_backend_open(engine_backend *b, const engine_plan *plan);
void engine_backend_close(engine_backend *b);

/* pipeline_make_plan() for this backend, before its producers run by that plan.  edges: of all
 * ranks.  Returns 0, or -1 where not even one buffer fits, which engine_make_plan() refuses. */
int engine_backend_plan(engine_backend *b, const engine_plan *plan, uint64_t edges,
                        pipeline_plan *buffers);

/* How many draws were thrown away and made again, on this rank. */
uint64_t engine_backend_redraws(const engine_backend *b);

/* One job under way. */
typedef struct {
    const engine_plan *plan;
    engine_backend *backend;
    const graphfile_spec *spec; /* of the file: the output, or the sorted file before it */
    const char *file;           /* its name */
    const engine_sink *sink;    /* where the edges go in place of a file, or NULL */
    engine_result *result;
} engine_work;

/* Make the file, in one of the three ways (job.h).  Collective.  Return an engine_status, as
 * engine_run() does. */
int engine_write_list(engine_work *work);      /* write.c */
int engine_write_sorted(engine_work *work);    /* sorted/write.c */
int engine_write_converted(engine_work *work); /* write_converted.c */

/* write.c: all edges of a file by all ranks, in rounds (graphfile.h) in which each rank writes
 * `share` edges, a multiple of GRAPHFILE_ROUND; one rank may write all of them in one round.
 * *done: of this rank.  Collective.  Returns an engine_status, the same on all ranks. */
typedef struct {
    const pipeline_plan *plan;
    const pipeline_producer *producer;
    graphfile_writer *writer;
    const graphfile_spec *spec;
    const engine_watch *watch;
} engine_rounds;
int engine_write_rounds(const engine_rounds *x, uint64_t share, pipeline_result *done);

/* How many edges a rank writes in a round, with so many threads here.  Collective. */
uint64_t engine_round_edges(int threads);

/* Of edges [first, end): the first run that the sink, if there is one, wants.  A count of 0: there
 * is none, and first is the end. */
pipeline_span engine_wanted(const engine_sink *sink, uint64_t first, uint64_t end);

/* write_rows.c: pipeline_run() of a list that is written as CSR: with this rank's pointers before
 * its edges. */
int engine_run_rows(const engine_work *work, const pipeline_plan *plan,
                    const pipeline_source *edges, const pipeline_sink *sink, pipeline_tick tick,
                    void *argument, pipeline_result *result);

/* The HDF5 file that a sorted graph is before it gets its format: what, and where. */
graphfile_spec engine_sorted_spec(const engine_plan *plan, const graphfile_spec *output);
int engine_name_sorted(const engine_job *job, char name[PATH_MAX]);

/* Sync, rename, and what the result says of the file.  Frees *writer.  Collective, likewise. */
int engine_commit(graphfile_writer **writer, engine_work *work);

/* status.c: sums up what all ranks did.  Collective. */
void engine_sum_up(engine_totals *totals, const engine_result *result);

#endif
