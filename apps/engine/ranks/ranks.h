/* What the ranks of one job agree on.  A lone process is one rank.  Private to the engine. */
#ifndef APPS_ENGINE_RANKS_RANKS_H
#define APPS_ENGINE_RANKS_RANKS_H

#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"
#include "io/edgefile.h"

/*
 * Each rank gives its status.  Returns ENGINE_OK if all gave that, else the status of the lowest
 * rank that did not; its detail and field become those of every rank, with the rank's name in front
 * where it is a run-time failure.  Collective, but for a status that is a rank's own
 * (ENGINE_ERR_RANK, ENGINE_STOPPED), which is returned at once.
 */
int engine_agree(int status);

/* The end of long work, which others may still be at: ENGINE_ERR_RUN becomes ENGINE_ERR_RANK where
 * there are several ranks, with the rank's name in front of the detail.  Not collective. */
int engine_own(int status);

/* write_converted.c: for a rank that ends all others: removes the files that are not complete.
 * Returns as edgefile_abandon(): -1 where another rank was first, which then says why the job
 * ends. */
int engine_abandon(void);

/* Collective: hand the warning that a rank has noted (status.h) to watch->warn() on rank 0: the
 * lowest rank's, and how many others have one. */
void engine_share_warning(const engine_watch *watch);

/* Collective: were all ranks given the same job?  ENGINE_OK or ENGINE_ERR_JOB.  dry_run: nothing is
 * to be written. */
int engine_same_job(const engine_job *job, const char *command, bool dry_run);

/* The ranks of the job as edgefile.h wants them, and their names in messages. */

/* For graphfile_create(); NULL for a lone process.  Not collective. */
const edgefile_group *rank_group(void);

/* A text that says which rank it is about: "rank 2 on host X: ..."; not for a lone process. */
void rank_name(char *text, size_t size);

/* The edges of one file shared out to the ranks of the job. */

/* Each rank begins with its part of edgefile_split().  Collective.  0; or negative on all ranks,
 * and in text, of the same size on all, why. */
int rank_work_begin(uint64_t edges, int id_bytes, edgefile_weight weight, char *text, size_t size);

/* From rank_work_begin() to dist_work_end(). */
extern const pipeline_source rank_work_source;

#endif
