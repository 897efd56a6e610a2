/* What the parts of engine_run() share.  Private to the engine. */
#ifndef APPS_ENGINE_RUN_H
#define APPS_ENGINE_RUN_H

#include "apps/engine/job.h"
#include "apps/engine/status.h"
#include <limits.h>

/* Who makes the edges of this rank: backend.c. */
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

/* pipeline/plan.c: the buffers between so many edges of this rank, in so much memory, and the file,
 * in chunks of so many edges (0: chosen).  Returns as pipeline_make_plan(). */
int engine_plan_buffers(const engine_plan *plan, const engine_backend *b, uint64_t edges,
                        uint64_t chunk, uint64_t memory, pipeline_plan *buffers);

/* The same for a list of so many edges of all ranks, for which the backend's producer then runs.
 * Returns an engine_status, the same on all ranks. */
int engine_plan_list_buffers(const engine_plan *plan, engine_backend *b, uint64_t edges,
                             pipeline_plan *buffers);

/* How many draws were thrown away and made again, on this rank. */
uint64_t engine_backend_redraws(const engine_backend *b);

/* What --backend auto depends on.  Several ranks of a host share its disk and its GPUs: they count
 * together, and all choose alike. */
typedef struct {
    uint64_t edges;   /* that this host makes */
    int id_bytes;     /* 4 or 8 */
    int weight_bytes; /* 4, or 0: no weights */
    int threads;      /* of the CPU, all ranks' */
    rmat_isa isa;     /* of the CPU, not AUTO */
    bool sorted;      /* the edges are sorted before the first is written */
} backend_job;

/* CPU or GPU, whichever is done sooner by the cost model of backend.c: for a machine that has a
 * GPU. */
rmat_backend choose_backend(const backend_job *job);

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
int engine_write_converted(engine_work *work); /* convert.c */

/* write.c: all edges of a file by all ranks, in rounds (graphfile.h) in which each rank writes
 * `share` edges, a multiple of GRAPHFILE_ROUND; one rank may write all of them in one round.
 * *done: of this rank.  Collective.  Returns an engine_status, the same on all ranks. */
typedef struct {
    const pipeline_plan *buffers;
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

/* The HDF5 file that a sorted graph is before it gets its format: what, and where. */
graphfile_spec engine_sorted_spec(const engine_plan *plan, const graphfile_spec *output);
int engine_name_sorted(const engine_job *job, char name[PATH_MAX]);

/* Sync, rename, and what the result says of the file.  Frees *writer.  Collective, likewise. */
int engine_commit(graphfile_writer **writer, engine_work *work);

#endif
