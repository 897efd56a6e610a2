/*
 * How the parts of the engine report failures, warnings and progress, and what the ranks of a job
 * agree on; a lone process is one rank.  Private to the engine and the programs above it.
 *
 * A function that fails leaves one line of text, without a full stop, and returns a status, as in
 * `return engine_fail("%s: %s", name, strerror(errno));`.  Text and status belong to the thread;
 * threads that the engine starts hand theirs over to the one that waits for them.
 */
#ifndef APPS_ENGINE_STATUS_H
#define APPS_ENGINE_STATUS_H

#include "apps/engine/engine.h"

/* A run-time failure.  Returns ENGINE_ERR_RUN. */
int engine_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The status after a function of edgefile.h or graphfile.h returned this one.  The field is
 * "replace" where the file exists and may not be replaced.  Where the reader of a pipe has left,
 * nobody need be told: no text. */
int engine_file_status(int status);

/* A job that cannot be done as it is described: `field` is wrong (engine_field()).  Returns
 * ENGINE_ERR_JOB. */
int engine_refuse(const char *field, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The watch asked to stop, for this reason.  Returns ENGINE_STOPPED. */
int engine_stop_with(int reason);

/* Another thread's or rank's text and field. */
void engine_set_detail(const char *field, const char *text);

/* Something that the caller should know: kept for engine_share_warning(). */
void engine_note_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How far a job is, for watch.tick().  Work is counted in steps of the caller's choice: edges that
 * are read or written, passes over a stream weighed against them. */
typedef struct {
    const engine_watch *watch;
    engine_progress now;
    double work;   /* of the whole job */
    double before; /* of it, done in earlier phases */
    int stopped;   /* what watch->tick() has returned last */
} engine_meter;

/* A job of one phase, in which each edge is one step. */
engine_meter engine_meter_of(const engine_watch *watch, const char *phase, uint64_t edges,
                             double edge_bytes);

/* Bytes of an edge in a file, about: until the file is complete. */
double engine_edge_bytes(const graphfile_graph *g, graphfile_format format);

/* `steps` of the current phase are done, and so many edges are in the file.  Returns what
 * watch->tick() does, 0 without one. */
int engine_meter_tick(engine_meter *meter, double steps, uint64_t edges);

/*
 * Each rank gives its status.  Returns ENGINE_OK if all gave that, else the status of the lowest
 * rank that did not; its detail and field become those of every rank, with the rank's name in front
 * where it is a run-time failure.  Collective, but for a status that is a rank's own
 * (ENGINE_ERR_RANK, ENGINE_STOPPED), which is returned at once.
 */
int engine_agree(int status);

/* The end of long work, which others may still be at: ENGINE_ERR_RUN becomes ENGINE_ERR_RANK where
 * there are several ranks, with the rank's name in front of the detail.  Not collective. */
int engine_rank_status(int status);

/* Collective: hand the warning that a rank has noted to watch->warn() on rank 0: the lowest rank's,
 * and how many others have one. */
void engine_share_warning(const engine_watch *watch);

/* Collective: were all ranks given the same job?  ENGINE_OK or ENGINE_ERR_JOB.  dry_run: nothing is
 * to be written. */
int engine_same_job(const engine_job *job, const char *command, bool dry_run);

/* The ranks of the job as edgefile.h wants them, for graphfile_create(); NULL for a lone process.
 * Not collective. */
const edgefile_group *rank_group(void);

/* Puts "rank 2 on host X: ", which the text is about, in front of it; not in a lone process. */
void engine_prefix_rank(char *text, size_t size);

#endif
