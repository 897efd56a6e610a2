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
    rmat_gen *gen;
    pipeline_plan buffers;     /* from the backend to the file, once they are planned */
    char warning[ENGINE_TEXT]; /* the GPU that cannot be used, or "" */
} engine_backend;

/* Returns an engine_status.  Call rmat_destroy(b->gen) in either case. */
int engine_backend_open(engine_backend *b, const engine_plan *plan);

/* Returns the producer of the generator's edges, for b->buffers. */
pipeline_producer engine_producer(const engine_backend *b);

/* Plans buffers on the way to the file, or to an engine_sink, in `memory` bytes.  Returns as
 * pipeline_make_plan(). */
int engine_plan_buffers(const engine_plan *plan, const engine_backend *b, uint64_t memory,
                        bool to_sink, pipeline_plan *buffers);

/* Plans b->buffers for a list.  Collective.  Returns an engine_status, the same on all ranks. */
int engine_plan_list_buffers(const engine_plan *plan, engine_backend *b, bool to_sink);

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

/* write.c: writes all edges of a file on all ranks, in rounds (graphfile.h).  A single rank writes
 * all edges in one round.  *done is the result of this rank.  Collective.  Returns an
 * engine_status, the same on all ranks. */
typedef struct {
    int threads; /* of this rank; they decide how many edges a round has */
    const pipeline_plan *buffers;
    const pipeline_producer *producer;
    graphfile_writer *writer;
    const graphfile_spec *spec;
    const engine_watch *watch;
} engine_rounds;
int engine_write_rounds(const engine_rounds *x, pipeline_result *done);

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
