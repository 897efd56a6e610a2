/* What the ranks of one job agree on.  A lone process is one rank.  Everything here is collective;
 * call it within the body of dist_run().  Private to the engine. */
#ifndef APPS_ENGINE_RANKS_RANKS_H
#define APPS_ENGINE_RANKS_RANKS_H

#include "apps/engine/engine.h"
#include "apps/engine/pipeline/pipeline.h"
#include "io/edgefile.h"

/* Why ranks stop besides an answer of watch.tick(): another one has failed.  For
 * dist_request_stop(). */
enum { ENGINE_FAILED = 1000000 };

/*
 * Each rank gives its status.  Returns ENGINE_OK if all gave that, else the status of the lowest
 * rank that did not; its detail and field become those of every rank, with the rank's name in front
 * where it is a run-time failure.  Ranks that stop because of another's failure give ENGINE_OK.
 */
int engine_agree(int status);

/* After a failure on this rank (its detail says which) or anywhere else: the status for
 * engine_agree(), which is ENGINE_OK if it is not for this rank to say why the ranks stop. */
int engine_early_end(int status);

/* Hand the warning that a rank has noted (status.h) to watch->warn() on rank 0: the lowest rank's,
 * and how many others have one. */
void engine_share_warning(const engine_watch *watch);

/* Were all ranks given the same job?  ENGINE_OK or ENGINE_ERR_JOB.  dry_run: nothing is to be
 * written. */
int engine_same_job(const engine_job *job, const char *command, bool dry_run);

/* The ranks of the job as edgefile.h wants them, and their names in messages. */

/* For graphfile_create(); NULL for a lone process.  Not collective. */
const edgefile_group *rank_group(void);

/* A text that says which rank it is about: "rank 2 on host X: ..."; not for a lone process. */
void rank_name(char *text, size_t size);

/* The edges of one file shared out to the ranks of the job. */

/* Each rank begins with its part of edgefile_split().  Collective.  0; or -1 on all ranks, and in
 * text, of the same size on all, why. */
int rank_work_begin(uint64_t edges, int id_bytes, edgefile_weight weight, char *text, size_t size);

/* From rank_work_begin() to dist_work_end(). */
extern const pipeline_source rank_work_source;

#endif
