/*
 * engine.h - writes the file of a model, or of any other source of edges: `rmat generate` as a
 * library.
 *
 *     engine_job job;
 *     engine_result result;
 *
 *     engine_start();
 *     engine_job_default(&job);
 *     job.model.rows_scale = job.model.cols_scale = 20;
 *     job.edges = (uint64_t)16 << 20;
 *     job.output = "graph.h5";
 *     status = engine_run(&job, NULL, &result);
 *     if (status == ENGINE_ERR_RANK || (status != ENGINE_OK && engine_rank() == 0)) {
 *         fprintf(stderr, "%s\n", engine_detail());
 *     }
 *     engine_stop();
 *
 * The file depends only on the model, the number of edges, the format and the order.  The number of
 * ranks, threads and GPUs, the memory and the way of writing change no byte.
 *
 * Under a launcher (mpirun, srun) the program runs once per rank, and all ranks make one file
 * together.  A program that no launcher started is one rank and needs no MPI.
 *
 * The functions print nothing and do not exit, with one exception.  On several ranks, a failure may
 * belong to one rank alone (ENGINE_ERR_RANK, ENGINE_STOPPED), while the others work or wait for it.
 * The program may print the error. engine_stop() then ends all ranks.
 *
 * Call them from the main thread.  Jobs run one after another, not at the same time.
 */
#ifndef APPS_ENGINE_ENGINE_H
#define APPS_ENGINE_ENGINE_H

#include "io/edgefile.h"
#include "io/graphfile.h"
#include "rmat/rmat.h"
#include "rmat/rmat_rows.h"
#include "rmat/rmat_source.h"
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum engine_status {
    ENGINE_OK = 0,
    ENGINE_ERR_JOB = -401, /* an impossible job; engine_field() names the wrong member */
    ENGINE_ERR_RUN = -402, /* a run-time failure: memory, disk, GPU, MPI */
    ENGINE_STOPPED = -403, /* watch.tick() stopped the job: engine_stop_reason() */
    ENGINE_ERR_RANK = -404 /* ENGINE_ERR_RUN of this rank alone; the others still work */
};

enum { ENGINE_TEXT = 4096, ENGINE_COMMAND = 1280 };

/* The progress of a job.  Valid only during the call. */
typedef struct {
    const char *phase; /* the current work, such as "pass 2 of 5"; "": edges are written */
    double share;      /* the estimated share of the work that is done: 0 to 1 */
    uint64_t done;     /* edges in the file so far; on rank 0, of all ranks */
    uint64_t edges;    /* edges of the finished file, as far as is known */
    double edge_bytes; /* approximate bytes of the file per edge */
} engine_progress;

/* Functions that a job calls while it runs.  Members may be NULL. */
typedef struct {
    /* Called about ten times a second, on every rank, in the thread of the job.  A positive result
     * stops the job on this rank; engine_stop_reason() returns it. */
    int (*tick)(void *state, const engine_progress *progress);

    /* Called on rank 0 with a warning, such as a GPU that cannot be used.  The job continues. */
    void (*warn)(void *state, const char *text);

    void *state;
} engine_watch;

/*
 * Edges that do not come from an R-MAT model.  The engine sorts, permutes and writes them like
 * those of a model.  All members are borrowed during the call, and are the same on all ranks.
 */
typedef struct {
    rmat_source edges;          /* every edge as a function of its number */
    const edgefile_attr *attrs; /* n_attrs attributes that say what made them: generator, */
    size_t n_attrs;             /* rows_scale, cols_scale, num_rows and num_cols at least */
    const char *command; /* the command line that makes the edges; options of the job follow it */
    const char *csr_option;       /* the option in it that makes CSR, such as " --format csr" */
    bool pairs, unique, no_loops; /* known facts about the edges, as in graphfile_graph */

    /* Called with the fingerprint of the edges before the file is complete, if the job does not
     * change edges.  Nonzero: they are damaged.  NULL: the fingerprint is unknown. */
    int (*check)(void *state, uint64_t fingerprint);

    /* Describes the failure after fill(), fill_device() or check() returned nonzero.  NULL: there
     * is no description. */
    const char *(*error)(void *state);
} engine_source;

/* Whether vertex numbers are signed integers in the file, if the format leaves a choice. */
typedef enum {
    ENGINE_SIGN_AUTO, /* the format's default: signed for Parquet, else unsigned */
    ENGINE_SIGNED,    /* ENGINE_ERR_JOB, "id_type": the format does not allow it */
    ENGINE_UNSIGNED   /* the same */
} engine_sign;

/*
 * A job: the graph, the file and the resources.  Pointers are borrowed during the call.  On several
 * ranks, all members except the resources are the same on every rank.
 */
typedef struct {
    /* The graph. */
    rmat_config model; /* backend AUTO: the engine chooses; device -1: the ranks of a host take the
                          GPUs in turn; .threads is ignored */
    const engine_source *source; /* NULL: edges of the model; else only the model's options apply */
    uint64_t edges;          /* before symmetrize adds reverse edges; with unique: distinct edges */
    graphfile_format format; /* GRAPHFILE_H5: a list; GRAPHFILE_CSR; or one of another program */
    bool sorted;  /* by source, then destination; implied by unique, by some formats, and by
                     model.no_self_loops for a source */
    bool unique;  /* no edge twice: the job draws until it has `edges` distinct edges; only for a
                     model with the stream RMAT */
    bool dedup;   /* no edge twice: the job draws `edges` edges and drops copies */
    int id_bytes; /* 4 or 8; 0: 4 if every vertex number fits */
    engine_sign id_sign; /* 4 bytes hold 2^31 signed or 2^32 unsigned ids ("id_type") */

    /* The file. */
    const char *output; /* its path; "-": standard output, for formats that are text or pairs */
    bool replace;       /* replaces an existing file, once the new one is complete */
    bool buffered;      /* writes an HDF5 file through the page cache, for tests */

    /* Resources. */
    int threads;     /* CPU threads of this rank; 0: its share of the processors */
    uint64_t chunk;  /* edges per buffer; 0: the engine chooses */
    uint64_t memory; /* bytes for intervals, of the GPU where it sorts, and for buffers; 0: the
                        engine chooses */
    engine_watch watch;
} engine_job;

/* Receives the edges instead of a file, for programs within this repository. */
typedef struct engine_sink engine_sink;

/* The work of all ranks. */
typedef struct {
    int ranks, hosts;
    int gpu_ranks; /* ranks whose edges a GPU made */
    int threads;   /* CPU threads of the other ranks */
} engine_totals;

/* The result of a job.  A value is the same on all ranks unless stated otherwise. */
typedef struct {
    uint64_t edges;               /* of the graph in the file */
    uint64_t stream_edges;        /* edges of the stream that the graph is made of */
    uint64_t passes;              /* over the stream, for a sorted graph; else 0 */
    uint64_t fingerprint;         /* rmat_fingerprint() of the graph */
    uint64_t file_bytes;          /* of the output */
    char command[ENGINE_COMMAND]; /* the command line that makes the same file again */

    /* Of this rank. */
    uint64_t chunk, buffer_bytes; /* edges of a buffer; bytes of all of them */
    uint64_t interval_bytes;      /* host or device memory in which the graph was sorted */
    uint64_t device_bytes;        /* GPU memory in all */
    rmat_backend backend;         /* CPU or GPU */
    int device;                   /* number of the GPU, if the job asked for one */
    rmat_isa isa;                 /* instruction set of the CPU, if it took part */
    int threads;
    double stream_seconds;  /* generating and writing */
    double commit_seconds;  /* syncing and renaming the file */
    double convert_seconds; /* converting a sorted graph from HDF5 into the format */
    double seconds;         /* everything */

    engine_totals totals;
} engine_result;

/* Joins the ranks of the job.  Call it once, before all other functions.  ENGINE_ERR_RUN:
 * engine_detail() says why. */
int engine_start(void);
/* Leaves the ranks.  Call it last.  Collective, except after a failure of this rank alone: it then
 * removes the incomplete files, ends all ranks with exit status 1 (MPI_Abort), and does not return.
 */
void engine_stop(void);
int engine_rank(void);
int engine_ranks(void);

/* Sets the default job: scale 20, edge factor 16, Graph500's matrix, seed 1, file "graph.h5". */
void engine_job_default(engine_job *job);

/* Checks whether the job is possible.  Returns 0 or ENGINE_ERR_JOB.  Only engine_run() finds out
 * whether there is enough memory or a GPU.  Not collective. */
int engine_check(const engine_job *job);

/* Does the job: makes its file if sink is NULL.  Collective.  Returns an engine_status.  It is the
 * same on all ranks unless it is a rank's own (ENGINE_ERR_RANK, ENGINE_STOPPED).  If and only if it
 * is 0, the file has its name, complete and durable, and *result is set. */
int engine_run(const engine_job *job, const engine_sink *sink, engine_result *result);

/* Describes this thread's last failed call in one line without a period. "" if the reader of a pipe
 * closed it, which is no failure. */
const char *engine_detail(void);

/* After ENGINE_ERR_JOB: the wrong member of engine_job or of its model ("weights",
 * "level_matrices"); "model" for several members, "graph" if the ranks' jobs differ.  After
 * ENGINE_ERR_RUN: "replace" if the file exists and job.replace is not set.  Else "". */
const char *engine_field(void);

/* After ENGINE_STOPPED: what watch.tick() returned. */
int engine_stop_reason(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
