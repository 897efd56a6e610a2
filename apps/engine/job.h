/* The plan of a job: how its file is made, and the memory, passes and bytes that this takes; the
 * engine's failures, warnings, progress, and agreement between ranks; and what the parts of a run
 * share.  Private to the engine and, but for the last, the programs above it. */
#ifndef APPS_ENGINE_JOB_H
#define APPS_ENGINE_JOB_H

#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"
#include <limits.h>

#define ENGINE_LIST_MEMORY ((uint64_t)128 << 20) /* bytes of buffers, for a list */

/* How the file is made. */
typedef enum {
    ENGINE_LIST,     /* edges in the order of the stream, sorted or not */
    ENGINE_SORTED,   /* interval by interval */
    ENGINE_CONVERTED /* sorted into an HDF5 file beside the output, then converted: formats with row
                        pointers need the edges more than once, and several ranks sort them out of
                        order */
} engine_way;

/* A job with all choices made, and everything that follows from it. */
typedef struct {
    engine_job job; /* the sides of the model, unique for dedup, sorted where it must be, id_bytes,
                       threads and memory are filled in */
    engine_way way;
    bool foreign; /* the output is in a format of other programs, not an HDF5 list or CSR */
    bool rounds; /* several ranks write in rounds (graphfile.h), because the place of an edge in the
                    file depends on all edges before it */
    bool own_weights;       /* the edges bring their weights */
    bool draws;             /* the job draws until it has job.edges distinct edges */
    bool drops_loops;       /* loops are drawn and then left out of the graph */
    bool gpu_sorts;         /* a GPU can sort it, if it is sorted: up to 2^32 rows and columns */
    int weight_bytes;       /* of an edge: 4, or 0 without weights */
    graphfile_graph graph;  /* of the file, with graph_edges edges */
    uint64_t graph_edges;   /* of the file; an upper bound unless graph_edges_known */
    bool graph_edges_known; /* false: loops have no reverse, and the run has to count them first */
    graphfile_format hdf5_format; /* of the HDF5 file: the output, or the sorted file before it */
} engine_plan;

/* Returns an engine_status: ENGINE_ERR_JOB if the job is impossible.  Not collective. */
int engine_make_plan(engine_plan *plan, const engine_job *job);

/* engine_run() of a plan that is the same on all ranks.  The sink, a pipeline_sink, receives the
 * edges instead of a file, for h5 and csr, on one rank.  Only the format of the job's file matters.
 * The sink gets chunks of edges, with their sources even for csr, and for csr also chunks of row
 * pointers.  If it wants no edges (n_spans 0), those of a sorted list are only counted. */
int engine_run_plan(const engine_plan *plan, const engine_sink *sink, engine_result *result);

/* The resources that a job would take, by arithmetic. */
typedef struct {
    char command[ENGINE_COMMAND];
    uint64_t bytes;        /* of the file, at most */
    int exact;             /* the file takes exactly `bytes` */
    uint64_t sorted_bytes; /* of the sorted HDF5 file before it, or 0 */
    bool exists;

    /* Of this rank. */
    rmat_backend backend; /* device: as in engine_result */
    int device;
    pipeline_plan buffers;
    uint64_t device_bytes;

    /* Of a sorted graph, on this rank; all ranks make the same number of passes. */
    uint64_t stream_edges;            /* with unique: the expected number */
    uint64_t passes, counting_passes; /* over the stream; the part of them that counts */
    uint64_t intervals, interval_bytes, interval_edges;
    int intervals_at_once;
} engine_estimate;

/* Collective; otherwise as engine_run_plan().  The estimate is made if its command is not "", also
 * where a run would then refuse to write, with the same status. */
int engine_estimate_plan(const engine_plan *plan, engine_estimate *estimate);

/* Checks that the format allows ids of this type, and that they suffice for `vertices` vertices (0:
 * any number).  id_bytes 0: any width.  Returns an engine_status, with the field "id_type". */
int engine_check_ids(graphfile_format format, int id_bytes, engine_sign sign, uint64_t vertices);

/* The types of ids: "auto", "int32", ..., with NULL at the end. engine_id_type() sets job.id_bytes
 * and job.id_sign for the type at index `name`. */
extern const char *const engine_id_names[];
void engine_id_type(int name, int *bytes, engine_sign *sign);

/*
 * --- Failures, progress and ranks: status.c ---
 *
 * A function that fails keeps one line of text, without a period, and returns a status, as in
 * `return engine_fail("%s: %s", name, strerror(errno));`. Text and status belong to the thread.
 * Threads that the engine starts pass theirs to the thread that waits for them.
 */

/* A run-time failure: ENGINE_ERR_RUN.  An impossible job, whose member `field` is wrong
 * (engine_field()): ENGINE_ERR_JOB. */
#define engine_fail(...)          engine_say(ENGINE_ERR_RUN, "", __VA_ARGS__)
#define engine_refuse(field, ...) engine_say(ENGINE_ERR_JOB, field, __VA_ARGS__)
int engine_say(int status, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Converts a status of edgefile.h or graphfile.h.  The field is "replace" if the file exists and
 * may not be replaced.  There is no text if the reader of a pipe has closed it. */
int engine_file_status(int status);

/* The watch stopped the job for this reason.  Returns ENGINE_STOPPED. */
int engine_stop_with(int reason);

/* Sets the text and field of another thread or rank. */
void engine_set_detail(const char *field, const char *text);

/* The progress of a job, for watch.tick().  The caller chooses the steps that count work: edges
 * read or written, and passes over a stream, weighted against these edges. */
typedef struct {
    const engine_watch *watch;
    engine_progress now;
    double work;   /* of the whole job */
    double before; /* work done in earlier phases */
} engine_meter;

/* A job of one phase, in which each edge is one step. */
engine_meter engine_meter_of(const engine_watch *watch, const char *phase, uint64_t edges,
                             double edge_bytes);

/* Returns the approximate bytes of an edge in a file that is not complete. */
double engine_edge_bytes(const graphfile_spec *spec);

/* Reports that `steps` of the current phase are done and `edges` edges are in the file.  Returns
 * ENGINE_OK, or ENGINE_STOPPED as watch->tick() says. */
int engine_meter_tick(engine_meter *meter, double steps, uint64_t edges);

/*
 * Each rank passes its status.  Returns ENGINE_OK if all passed ENGINE_OK, else the status of the
 * lowest rank that did not.  Every rank then has that rank's detail and field; the detail of a
 * run-time failure begins with the rank's name.  Collective, unless the status is a rank's own
 * (ENGINE_ERR_RANK, ENGINE_STOPPED): such a status is returned immediately.
 */
int engine_agree(int status);

/* Ends long work that other ranks may still do.  On several ranks ENGINE_ERR_RUN becomes
 * ENGINE_ERR_RANK, and the detail begins with the rank's name.  Not collective. */
int engine_rank_status(int status);

/* Passes a warning to watch->warn() on rank 0: that of the lowest rank whose text is not "".
 * Collective. */
void engine_warn(const engine_watch *watch, const char *warning);

/* Checks that all ranks have the same job: ENGINE_OK or ENGINE_ERR_JOB, field "graph".  dry_run:
 * the job writes nothing.  Collective. */
int engine_same_job(const engine_job *job, const char *command, bool dry_run);

/* Returns the ranks of the job as a group for graphfile_create(); NULL for a single process.  Not
 * collective. */
const edgefile_group *rank_group(void);

/* Writes this rank's name in front of the text: "rank 2 on host X: ..."; not for a single process.
 */
void engine_prefix_rank(char *text, size_t size);

/* --- The parts of a run.  Private to the engine. --- */

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

/* Converts an rmat_status to an engine_status, with CUDA's message. */
int engine_backend_status(const engine_backend *b, int status);

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
 * all edges in one round.  Adds the result of this rank to *done.  Collective.  Returns an
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

/* Could the job's file, of so many bytes with what is beside it meanwhile, be made now?  It leaves
 * nothing behind.  Collective.  Returns an engine_status, the same on all ranks: run.c. */
int engine_check_output(const engine_job *job, uint64_t bytes);

/* The spec of the sorted HDF5 file that is converted to the output's format: convert.c. */
graphfile_spec engine_sorted_spec(const engine_plan *plan, const graphfile_spec *output);

/* Ends the file, if there is one.  Status OK, of all ranks: syncs and renames it, and sets the
 * result's members about it; returns an engine_status, the same on all ranks.  Else removes it, and
 * returns the status.  Collective unless the status is a rank's own. */
int engine_end_file(graphfile_writer **writer, const engine_work *work, int status);

#endif
