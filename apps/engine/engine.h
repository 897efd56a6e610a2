/*
 * engine.h - from a model, or any other source of edges, to a file: what `rmat generate` does, as a
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
 * The file depends on the model, the number of edges, the format and the order alone.  The number
 * of ranks, threads and GPUs, the memory and the way of writing change no byte of it.
 *
 * Under a launcher (mpirun, srun) the program runs once per rank, and all ranks make one file
 * together.  A program that no launcher started is one rank and needs no MPI.
 *
 * The functions print nothing and do not exit, with one exception.  On several ranks a failure that
 * not all have at the same time is one rank's own (ENGINE_ERR_RANK, ENGINE_STOPPED): the others are
 * still at work, or wait for it.  The program may say so; then engine_stop() ends them all.
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
    ENGINE_ERR_JOB = -401, /* a job that cannot be done as it is described: engine_field() */
    ENGINE_ERR_RUN = -402, /* a run-time failure: memory, disk, GPU, MPI */
    ENGINE_STOPPED = -403, /* watch.tick() asked for it: engine_stop_reason() */
    ENGINE_ERR_RANK = -404 /* ENGINE_ERR_RUN of this rank alone, while others are at work */
};

enum { ENGINE_TEXT = 4096, ENGINE_COMMAND = 1280, ENGINE_DEVICES = 64 /* OPTION_LIST_MAX */ };

/* How far a job is.  Valid during the call only. */
typedef struct {
    const char *phase; /* what is being done, as "pass 2 of 5"; "": edges are written */
    double share;      /* of all the work, estimated: 0 to 1 */
    uint64_t done;     /* edges that are in the file, of all ranks (on rank 0) */
    uint64_t edges;    /* that it will have, as far as is known */
    double edge_bytes; /* bytes of the file for each, about */
} engine_progress;

/* What a job tells its caller while it runs.  Members may be NULL. */
typedef struct {
    /* About ten times a second, on every rank, in the thread that called.  Nonzero stops the job on
     * this rank: positive, and handed back by engine_stop_reason(). */
    int (*tick)(void *state, const engine_progress *progress);

    /* Something that the caller should know though the job goes on, as that a GPU cannot be used.
     * On rank 0. */
    void (*warn)(void *state, const char *text);

    void *state;
} engine_watch;

/*
 * Edges that do not come from an R-MAT model: the engine sorts, permutes and writes them all the
 * same.  Everything here is borrowed during the call, and the same on all ranks.
 */
typedef struct {
    rmat_source edges;          /* from every edge as a function of its number */
    const edgefile_attr *attrs; /* what made them, n_attrs attributes of an HDF5 file: generator, */
    size_t n_attrs;             /* rows_scale, cols_scale, num_rows and num_cols at least */
    const char *command;    /* the command line that makes them; options of the job follow it, */
    const char *csr_option; /* of which this one, as " --format csr", makes CSR */
    bool pairs, unique, no_loops; /* what is known of them: as in graphfile_graph */

    /* What failed after fill() or fill_device() returned nonzero; NULL: there is no more to say. */
    const char *(*error)(void *state);
} engine_source;

/* Of the integers that vertex numbers are in the file, where the format leaves a choice. */
typedef enum {
    ENGINE_SIGN_AUTO, /* as the format has them usually: unsigned; of Parquet signed */
    ENGINE_SIGNED,    /* ENGINE_ERR_JOB, "id_type": not in this format */
    ENGINE_UNSIGNED   /* likewise */
} engine_sign;

/*
 * What is to be made, and how.  Pointers are borrowed during the call.  On several ranks every
 * member but those of the last group is the same on all.
 */
typedef struct {
    /* The graph. */
    rmat_config model; /* backend AUTO: chosen; .device and .threads are ignored: see below */
    const engine_source *source; /* NULL: edges of the model; else its options alone are used */
    uint64_t edges;          /* before symmetrize adds the reverse ones; with unique: distinct */
    graphfile_format format; /* GRAPHFILE_H5: a list; GRAPHFILE_CSR; or one of another program */
    bool sorted;  /* by source, then destination; implied by unique, by some formats, and by
                     model.no_self_loops for a source */
    bool unique;  /* no edge twice: draws go on until there are so many distinct ones; not of an
                     official stream */
    bool dedup;   /* no edge twice: of so many draws, copies are dropped */
    int id_bytes; /* 4 or 8; 0: 4 where every vertex number fits */
    engine_sign id_sign; /* with it 4 bytes have room for 2^31 or 2^32 vertices ("id_type") */

    /* The file. */
    const char *output; /* its path; "-": standard output, for formats that are text or pairs */
    unsigned base;      /* the number of the first vertex: as graphfile_spec.base */
    bool replace;       /* an existing file, once the new one is complete */
    bool buffered;      /* an HDF5 file is written through the page cache, for tests */

    /* Resources. */
    int threads;                 /* CPU threads of this rank; 0: its share of the processors */
    int devices[ENGINE_DEVICES]; /* GPUs for the ranks of a host, in turn */
    int device_count;            /* of them; 0: all GPUs */
    uint64_t chunk;              /* edges of a buffer on the way to the file; 0: chosen */
    uint64_t memory;             /* bytes for buffers and intervals; 0: chosen */
    uint64_t device_memory;      /* bytes of GPU memory for sorting; 0: most of what is free */
    engine_watch watch;
} engine_job;

/* Where edges go in place of a file: for programs within this repository. */
typedef struct engine_sink engine_sink;

/* What one rank did. */
typedef struct {
    int rank;
    uint64_t edges;
    double seconds;
} engine_share;

/* What all ranks did together. */
typedef struct {
    int ranks, hosts;
    int gpu_ranks, gpus;           /* ranks whose edges a GPU made, and how many GPUs those were */
    int threads;                   /* CPU threads, of all ranks that used them */
    engine_share fastest, slowest; /* by edges per second, among ranks that made any */
} engine_totals;

/* What came out.  Without a remark a value is the same on all ranks. */
typedef struct {
    uint64_t edges;               /* of the graph in the file */
    uint64_t stream_edges;        /* edges of the stream that it is made of */
    uint64_t passes;              /* over the stream, for a sorted graph; else 0 */
    uint64_t redraws;             /* draws that were thrown away */
    uint64_t fingerprint;         /* rmat_fingerprint() of the graph */
    uint64_t file_bytes;          /* of the output */
    char command[ENGINE_COMMAND]; /* the command line that makes the same file again */

    /* Of this rank. */
    uint64_t rank_edges;          /* edges that it made and wrote */
    uint64_t chunk, buffer_bytes; /* edges of a buffer; bytes of all of them */
    uint64_t interval_bytes;      /* host or device memory that the graph was sorted in */
    uint64_t device_bytes;        /* GPU memory in all */
    rmat_backend backend;         /* CPU or GPU */
    int device;                   /* number of the GPU, where one was wanted */
    rmat_isa isa;                 /* instruction set of the CPU, where it has a part */
    int threads;
    double stream_seconds;  /* generating and writing */
    double commit_seconds;  /* making the file durable and giving it its name */
    double convert_seconds; /* a sorted graph: from HDF5 into the format */
    double seconds;         /* everything */

    engine_totals totals;
} engine_result;

/* Join the ranks of the job; once, first.  ENGINE_ERR_RUN: engine_detail() says why. */
int engine_start(void);
/* Leave them; last.  Collective.  After a failure of this rank alone, on this rank alone: removes
 * the files that are not complete, ends all ranks with exit status 1 (MPI_Abort), and does not
 * return. */
void engine_stop(void);
int engine_rank(void);
int engine_ranks(void);

/* A job of scale 20 with edge factor 16, Graph500's matrix and seed 1, to "graph.h5". */
void engine_job_default(engine_job *job);

/* Can it be done as it is described?  Returns 0, or ENGINE_ERR_JOB; whether there is memory or a
 * GPU for it shows only when it runs.  Not collective. */
int engine_check(const engine_job *job);

/* Do the job: make its file, with sink NULL.  Collective.  Returns an engine_status, the same on
 * all ranks but where it is a rank's own (ENGINE_ERR_RANK, ENGINE_STOPPED); the file stands under
 * its name, complete and durable, if and only if it is 0.  *result is set if it is 0. */
int engine_run(const engine_job *job, const engine_sink *sink, engine_result *result);

/* Of the last call here that failed, on this thread: one line of text without a full stop; "" where
 * the reader of a pipe left, which is nobody's failure. */
const char *engine_detail(void);

/* After ENGINE_ERR_JOB: the member of engine_job that is wrong; or of its model ("weights",
 * "level_matrices"), "model" where it is several, "redraws" where it keeps too few draws; or, where
 * ranks were not given the same, "version", "graph" and the like.  After ENGINE_ERR_RUN: "replace"
 * where the file exists and job.replace is not set.  Else "". */
const char *engine_field(void);

/* After ENGINE_STOPPED: what watch.tick() returned. */
int engine_stop_reason(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
