/* What follows from a job: the plan of how its file is made, and what that would take.  Private to
 * the engine and the programs above it. */
#ifndef APPS_ENGINE_JOB_H
#define APPS_ENGINE_JOB_H

#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"

#define ENGINE_LIST_MEMORY ((uint64_t)128 << 20) /* bytes of buffers, for a list */

/* How the file is made. */
typedef enum {
    ENGINE_LIST,     /* edges as they come, be they in order or not */
    ENGINE_SORTED,   /* interval by interval */
    ENGINE_CONVERTED /* sorted into an HDF5 file beside the output first: formats with row pointers
                        need the edges more than once, and several ranks sort in an order of their
                        own */
} engine_way;

/* A job with what was left to be chosen, and all that is decided by it. */
typedef struct {
    engine_job job; /* the sides of the model, unique for dedup, sorted where it must be, id_bytes,
                       threads and memory are filled in */
    engine_way way;
    bool foreign; /* the output is in a format of other programs, not an HDF5 list or CSR */
    bool rounds; /* several ranks write in rounds (graphfile.h), as the place of an edge in the file
                    depends on all edges before it */
    bool own_weights; /* the edges bring their weights */
    bool draws;       /* until there are so many distinct edges */
    bool drops_loops; /* loops are left out of the graph, rather than never drawn */
    bool gpu_sorts;   /* a GPU can sort it, if it is sorted: up to 2^32 rows and columns */
    edgefile_weight weight;
    uint64_t graph_edges;   /* of the file; the most there may be, unless: */
    bool graph_edges_known; /* false: loops have no reverse, and how many there are shows late */
    graphfile_format hdf5_format; /* of the HDF5 file: the output, or the sorted one before it */
} engine_plan;

/* Returns an engine_status, ENGINE_ERR_JOB where the job cannot be done.  Not collective. */
int engine_make_plan(engine_plan *plan, const engine_job *job);

/* Where the edges of a job go in place of its file: for h5 and csr, by one rank.  Of the job's file
 * only the format counts.  The sink gets chunks of edges, with their sources also of csr, and of
 * csr row pointers. */
struct engine_sink {
    pipeline_sink to;
    const pipeline_span *spans; /* the edges that are wanted, in ascending order; NULL: all */
    size_t n_spans; /* 0 and spans not NULL: of a sorted list, only the number of edges */
};

/* engine_run() of a plan that is the same on all ranks. */
int engine_run_plan(const engine_plan *plan, const engine_sink *sink, engine_result *result);

/* What a job would take, by arithmetic.  What concerns the file is on rank 0. */
typedef struct {
    char command[ENGINE_COMMAND];
    uint64_t bytes;        /* of the file, at most */
    int exact;             /* it takes so many */
    uint64_t sorted_bytes; /* of the HDF5 file that is converted, or 0 */
    uint64_t room;         /* free where the file is to go */
    int room_error;        /* errno where the room is unknown */
    bool exists;
    struct {
        int status; /* ENGINE_OK, or why a run would make no file here: engine_estimate_end() */
        bool exists;
        char detail[ENGINE_TEXT];
    } output;

    /* Of this rank. */
    rmat_backend backend; /* device: as in engine_result */
    int device;
    pipeline_plan buffers;
    uint64_t device_bytes;

    /* Of a sorted graph on this rank, but for passes: as many as all make. */
    uint64_t stream_edges;            /* with unique what is expected */
    uint64_t passes, counting_passes; /* over the stream in all, and of them to count */
    uint64_t intervals, interval_bytes, interval_edges;
    int intervals_at_once;

    /* Of all ranks: buffers and intervals, in host memory and on GPUs. */
    uint64_t all_bytes, all_device_bytes, threads, gpu_ranks;
} engine_estimate;

/* Collective; otherwise as engine_run_plan(). */
int engine_estimate_plan(const engine_plan *plan, engine_estimate *estimate);

/* What a run with this estimate would end with before it writes: ENGINE_OK, or ENGINE_ERR_RUN with
 * its detail and field. */
int engine_estimate_end(const engine_estimate *estimate);

/* Bytes of an edge's weight: 0 without weights. */
static inline int engine_weight_bytes(const engine_plan *plan)
{
    return plan->weight == EDGEFILE_NO_WEIGHT ? 0 : 4;
}

/* The graph with so many edges, as other formats describe it. */
graphfile_graph engine_graph(const engine_plan *plan, uint64_t edges);

/* Can the format have ids of this type, and do they tell so many vertices apart (0: any)?  id_bytes
 * 0: chosen.  Returns an engine_status; the field is "id_type", or "id_bits" where only a width is
 * asked for. */
int engine_check_ids(graphfile_format format, int id_bytes, engine_sign sign, uint64_t vertices);

/* The types of ids: "auto", "int32", ..., with NULL at the end.  What the one at this place is for
 * job.id_bytes and job.id_sign. */
extern const char *const engine_id_names[];
void engine_id_type(int name, int *bytes, engine_sign *sign);

#endif
