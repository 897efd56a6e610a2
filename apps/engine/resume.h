/* Work that is interrupted and goes on later, as far as the engine has to do with it.  Private to
 * the engine. */
#ifndef APPS_ENGINE_RESUME_H
#define APPS_ENGINE_RESUME_H

#include "apps/engine/job.h"
#include "apps/engine/make_edges.h"
#include "apps/engine/pipeline/pipeline.h"

/* Can the job's file be kept and continued?  ENGINE_ERR_JOB with its field, if it is to be. */
int engine_check_resume(const engine_job *job);

/* For a job that resumes: is its HDF5 file complete, made by this command?  *result, unless it is
 * NULL, is then what it was made of.  On one rank. */
bool engine_is_complete(const engine_job *job, const char *command, engine_result *result);

/* The spans of another source, or of all edges (source NULL), without what an earlier run has left.
 * Its state is this struct; spans lie within one shard. */
typedef struct {
    const graphfile_writer *writer;
    const engine_target *target;
    const pipeline_source *source;
    uint64_t begin, edges; /* for source NULL: all are so many from that one on */
    uint64_t first, count; /* what is left of the last span */
    bool begun;
} engine_remainder;
int engine_remainder_next(void *remainder, uint64_t *first, uint64_t *count);

/* Of edges [*first, *first + *count): the first run that is wanted and that an earlier run has not
 * left.  *count 0: there is none, and *first is the end.  writer and target: one of them, or NULL.
 */
void engine_wanted(const graphfile_writer *writer, const engine_target *target, uint64_t *first,
                   uint64_t *count);

/* Ends a writer whose job has failed or was stopped: keeps NAME.partial if the job says so. */
void engine_give_up(const engine_job *job, graphfile_writer **writer);

#endif
