/* The edges of one file shared out to the ranks of the job. */
#ifndef APPS_ENGINE_RANKS_RANK_WORK_H
#define APPS_ENGINE_RANKS_RANK_WORK_H

#include "apps/engine/pipeline/pipeline.h"

/* Each rank begins with what would be its shard.  Collective.  0; or -1 on all ranks, and in text,
 * of the same size on all, why. */
int rank_work_begin(const graphfile_writer *writer, uint64_t edges, int id_bytes,
                    edgefile_weight weight, char *text, size_t size);

/* From rank_work_begin() to dist_work_end(). */
extern const pipeline_source rank_work_source;

#endif
