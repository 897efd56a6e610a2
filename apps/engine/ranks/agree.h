/* What the ranks of one job agree on.  A lone process is one rank.  Everything here is collective;
 * call it within the body of dist_run().  Private to the engine. */
#ifndef APPS_ENGINE_RANKS_AGREE_H
#define APPS_ENGINE_RANKS_AGREE_H

#include "apps/engine/engine.h"

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

/* Were all ranks given the same job?  ENGINE_OK or ENGINE_ERR_JOB.  dry_run, statistics: what the
 * caller wants to do with it; the latter is "not given", or says what is counted. */
int engine_same_job(const engine_job *job, const char *command, bool dry_run,
                    const char *statistics);

#endif
