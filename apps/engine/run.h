/* run.h - types and functions that the parts of engine_run() share.  Private to the engine. */
#ifndef APPS_ENGINE_RUN_H
#define APPS_ENGINE_RUN_H

#include "apps/engine/job.h"
#include <limits.h>

/* The backend that makes the edges of this rank: backend.c. */
typedef struct {
    rmat_backend used; /* CPU or GPU */
    int device;        /* number of the GPU, if the job asked for one */
    rmat_isa isa;      /* of the CPU, if it takes part */
    pipeline_producer producer;
    uint64_t device_bytes;       /* for buffers on the GPU, by the last plan */
    rmat_gen *cpu_gen, *gpu_gen; /* NULL: not needed */
    char warning[ENGINE_TEXT];   /* the GPU that cannot be used, or "" */
} engine_backend;

/* Returns an engine_status.  Call engine_backend_close() in either case. */
int engine_backend_open(engine_backend *b, const engine_plan *plan);
void engine_backend_close(engine_backend *b);

/* Plans the buffers on the way to the file for `edges` edges of this rank, in
 * `memory` bytes, with chunks of `chunk` edges (0: chosen).  Returns as pipeline_make_plan(). */
int engine_plan_buffers(const engine_plan *plan, const engine_backend *b, uint64_t edges,
                        uint64_t chunk, uint64_t memory, pipeline_plan *buffers);

/* The same for a list of `edges` edges of all ranks; the backend's producer then runs by this plan.
 * Returns an engine_status, the same on all ranks. */
int engine_plan_list_buffers(const engine_plan *plan, engine_backend *b, uint64_t edges,
                             pipeline_plan *buffers);

/* Returns CPU or GPU, the faster one for this job by the cost model of backend.c, on a machine with
 * a GPU.  isa: of the CPU, not AUTO.  The ranks of a host share its disk and its GPUs, so it is the
 * work of them all that counts, and all make the same choice. */
rmat_backend choose_backend(const engine_plan *plan, rmat_isa isa);

/* A running job. */
typedef struct {
    const engine_plan *plan;
    engine_backend *backend;
    const graphfile_spec *spec; /* of the file, which is the output or the sorted file before it */
    const char *file;           /* its name */
    const engine_sink *sink;    /* receives the edges instead of a file, or NULL */
    engine_result *result;
} engine_work;

/* Make the file in one of the three ways of engine_way (job.h).  Collective.  Return an
 * engine_status, as engine_run() does. */
int engine_write_list(engine_work *work);      /* write.c */
int engine_write_sorted(engine_work *work);    /* sorted/write.c */
int engine_write_converted(engine_work *work); /* convert.c */

/* write.c: writes all edges of a file on all ranks, in rounds (graphfile.h).  In a round each rank
 * writes `share` edges, a multiple of GRAPHFILE_ROUND.  A single rank may write all edges in one
 * round.  *done is the result of this rank.  Collective.  Returns an engine_status, the same on all
 * ranks. */
typedef struct {
    const pipeline_plan *buffers;
    const pipeline_producer *producer;
    graphfile_writer *writer;
    const graphfile_spec *spec;
    const engine_watch *watch;
} engine_rounds;
int engine_write_rounds(const engine_rounds *x, uint64_t share, pipeline_result *done);

/* Returns the number of edges that a rank writes in a round, with `threads` threads on this rank.
 * Collective. */
uint64_t engine_round_edges(int threads);

/* Returns the first run of edges in [first, end) that the sink wants; without a sink, all.  Count
 * 0: there is none, and `first` is the end. */
pipeline_span engine_wanted(const engine_sink *sink, uint64_t first, uint64_t end);

/* Could the job's file, of so many bytes with what is beside it meanwhile, be made now?  It leaves
 * nothing behind.  Rank 0 alone calls it.  Returns an engine_status: run.c. */
int engine_check_output(const engine_job *job, uint64_t bytes);

/* The spec of the sorted HDF5 file that is converted to the output's format: convert.c. */
graphfile_spec engine_sorted_spec(const engine_plan *plan, const graphfile_spec *output);

/* Syncs and renames the file, and sets the result's members about it.  Frees *writer.  Collective.
 * Returns an engine_status, the same on all ranks. */
int engine_commit(graphfile_writer **writer, engine_work *work);

#endif
