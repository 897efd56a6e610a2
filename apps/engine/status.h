/*
 * status.h - failures, warnings and progress of the engine, and agreement between the ranks of a
 * job; a single process is one rank.  Private to the engine and the programs above it.
 *
 * A function that fails keeps one line of text, without a period, and returns a status, as in
 * `return engine_fail("%s: %s", name, strerror(errno));`. Text and status belong to the thread.
 * Threads that the engine starts pass theirs to the thread that waits for them.
 */
#ifndef APPS_ENGINE_STATUS_H
#define APPS_ENGINE_STATUS_H

#include "apps/engine/engine.h"

/* A run-time failure.  Returns ENGINE_ERR_RUN. */
int engine_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Converts a status of edgefile.h or graphfile.h.  The field is "replace" if the file exists and
 * may not be replaced.  There is no text if the reader of a pipe has closed it. */
int engine_file_status(int status);

/* An impossible job: `field` is wrong (engine_field()).  Returns ENGINE_ERR_JOB. */
int engine_refuse(const char *field, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The watch stopped the job for this reason.  Returns ENGINE_STOPPED. */
int engine_stop_with(int reason);

/* Sets the text and field of another thread or rank. */
void engine_set_detail(const char *field, const char *text);

/* Keeps a warning for engine_share_warning(). */
void engine_note_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The progress of a job, for watch.tick().  The caller chooses the steps that count work: edges
 * read or written, and passes over a stream, weighted against these edges. */
typedef struct {
    const engine_watch *watch;
    engine_progress now;
    double work;   /* of the whole job */
    double before; /* work done in earlier phases */
    int stopped;   /* the last result of watch->tick() */
} engine_meter;

/* A job of one phase, in which each edge is one step. */
engine_meter engine_meter_of(const engine_watch *watch, const char *phase, uint64_t edges,
                             double edge_bytes);

/* Returns the approximate bytes of an edge in a file that is not complete. */
double engine_edge_bytes(const graphfile_graph *g, graphfile_format format);

/* Reports that `steps` of the current phase are done and `edges` edges are in the file.  Returns
 * the result of watch->tick(), or 0 without one. */
int engine_meter_tick(engine_meter *meter, double steps, uint64_t edges);

/*
 * Each rank passes its status.  Returns ENGINE_OK if all passed ENGINE_OK, else the status of the
 * lowest rank that did not.  Every rank then has that rank's detail and field; the detail of a
 * run-time failure begins with the rank's name.  Collective, unless the status is a rank's own
 * (ENGINE_ERR_RANK, ENGINE_STOPPED): such a status is returned immediately.
 */
int engine_agree(int status);

/* Ends long work that other ranks may still do.  On several ranks ENGINE_ERR_RUN becomes
 * ENGINE_ERR_RANK, and the detail begins with the rank's name.  Not collective. */
int engine_rank_status(int status);

/* Passes the ranks' warnings to watch->warn() on rank 0: the text of the lowest rank with a
 * warning, and the number of others.  Collective. */
void engine_share_warning(const engine_watch *watch);

/* Checks that all ranks have the same job: ENGINE_OK or ENGINE_ERR_JOB. dry_run: the job writes
 * nothing.  Collective. */
int engine_same_job(const engine_job *job, const char *command, bool dry_run);

/* Returns the ranks of the job as a group for graphfile_create(); NULL for a single process.  Not
 * collective. */
const edgefile_group *rank_group(void);

/* Writes this rank's name in front of the text: "rank 2 on host X: ..."; not for a single process.
 */
void engine_prefix_rank(char *text, size_t size);

#endif
