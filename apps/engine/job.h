/* What follows from a job.  Private to the engine and the programs above it. */
#ifndef APPS_ENGINE_JOB_H
#define APPS_ENGINE_JOB_H

#include "apps/engine/engine.h"

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
    bool drops_loops; /* loops are left out of the graph, rather than never drawn */
    bool gpu_sorts;   /* a GPU can sort it, if it is sorted: up to 2^32 rows and columns */
    edgefile_weight weight;
    uint64_t graph_edges;   /* of the file; the most there may be, unless: */
    bool graph_edges_known; /* false: loops have no reverse, and how many there are shows late */
    graphfile_format hdf5_format; /* of the HDF5 file: the output, or the sorted one before it */
} engine_plan;

/* Returns an engine_status, ENGINE_ERR_JOB where the job cannot be done.  Not collective. */
int engine_make_plan(engine_plan *plan, const engine_job *job);

/* engine_run() of a plan that is the same on all ranks. */
int engine_run_plan(const engine_plan *plan, const engine_sink *sink, engine_result *result);

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

#endif
