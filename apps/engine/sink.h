/* Where the edges of a job go in place of its file: a sink of the caller's.  Not installed. */
#ifndef APPS_ENGINE_SINK_H
#define APPS_ENGINE_SINK_H

#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"

/* For h5 and csr, by one rank.  Of the job's file only the format counts.  The sink gets chunks of
 * edges, with their sources also of csr, and of csr row pointers. */
struct engine_sink {
    pipeline_sink to;
    const pipeline_span *spans; /* the edges that are wanted, in ascending order; NULL: all */
    size_t n_spans; /* 0 and spans not NULL: of a sorted list, only the number of edges */
};

#endif
