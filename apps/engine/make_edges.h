/* The edges of a job handed to its caller, where engine_write_file() would write them to a file. */
#ifndef APPS_ENGINE_MAKE_EDGES_H
#define APPS_ENGINE_MAKE_EDGES_H

#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"

typedef struct {
    uint64_t first, count;
} engine_span;

typedef struct {
    /* Chunks of edges, with their sources also of csr, and of csr row pointers; in order. */
    pipeline_sink sink;
    const engine_span *spans; /* the edges that are wanted, in ascending order; NULL: all */
    size_t n_spans;
} engine_target;

/* For h5 and csr, by one rank.  Of the job's file only the format counts.  Otherwise as
 * engine_write_file(). */
int engine_make_edges(const engine_job *job, const engine_target *target, engine_result *result);

#endif
