/* engine_count_edges() as a part of a run.  Private to the engine. */
#ifndef APPS_ENGINE_COUNT_H
#define APPS_ENGINE_COUNT_H

#include "apps/engine/run.h"

/* What --backend auto stands for where edges are counted: a GPU where there is one and enough to
 * do. */
rmat_backend engine_count_backend(const engine_job *job);

/* Collective within the body; returns an engine_status, the same on all ranks. */
int engine_count_it(engine_counts *counts, const rmat_tally_request *request,
                    const engine_backend *backend, const engine_job *job);

#endif
