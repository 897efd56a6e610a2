/*
 * dist.h - the processes ("ranks") of one job.
 *
 * A process that no launcher (mpirun, srun) started, or alone, is rank 0 of 1, whether or not MPI
 * was built in; MPI is not initialised for it, and everything here then costs nothing.
 *
 * A job of several ranks runs its work as a body: dist_run() starts it in a thread of its own, and
 * the calling thread, which alone calls MPI, keeps in touch with the other ranks meanwhile.  So a
 * rank that is busy or waits for a disk is told from one that died, and nobody waits forever for
 * the latter.  An MPI call that fails ends the job: while it starts, as MPI does by default; later
 * as if a rank was lost.
 *
 * Functions never print and never exit, but for MPI_Abort() after a rank was lost or MPI failed.
 */
#ifndef MPI_DIST_H
#define MPI_DIST_H

#include <stddef.h>
#include <stdint.h>

enum dist_status {
    DIST_OK = 0,
    DIST_ERR_MPI = -301,      /* MPI did not start */
    DIST_ERR_LAUNCHER = -302, /* a launcher started several ranks, but MPI sees one */
    DIST_ERR_NOMEM = -303,    /* memory is exhausted, or no thread could be started */
    DIST_ERR_NO_MPI = -304    /* a launcher started several ranks, but MPI was not built in */
};

/* Before anything else here, in the main thread; again, it does nothing.  After an error
 * dist_rank() and dist_size() are what the launcher says: rank 0 can report it. */
int dist_start(void);

int dist_rank(void); /* 0 .. dist_size() - 1 */
int dist_size(void);
int dist_local_rank(void); /* among the ranks of this host, 0 .. dist_local_size() - 1 */
int dist_local_size(void);
int dist_host_count(void); /* of the job */

/* How many processors this rank should keep busy: each one that it may use counts 1 / (ranks of
 * this host that may use it too); at least 1. */
int dist_processors(void);

/* Collective where there are several ranks.  Nothing to do after a failed or missing start. */
void dist_stop(void);

/*
 * To be called in the main thread: runs body(argument) on every rank, in a thread of its own, of a
 * lone process in the caller's.  Returns when the body has on all ranks,
 * with what it returned here, or DIST_ERR_NOMEM without having run it.  When nothing was heard of a
 * rank for timeout_seconds, or it left without a word, lost(text) is called on a rank that noticed,
 * from the calling thread while the body still runs; then the whole job is aborted, exit code 1.
 * So it is when bodies have not returned timeout_seconds after dist_request_stop(): a rank may wait
 * for one that failed; and when a call of MPI fails, in whatever thread.
 */
int dist_run(int (*body)(void *argument), void *argument, double timeout_seconds,
             void (*lost)(const char *text));

/* --- Within the body; collective: every rank calls them in the same order, from one thread --- */

/* Rank 0's data to all. */
void dist_broadcast(void *data, size_t bytes);

/* Element by element, over all ranks, to all ranks. */
void dist_sum(uint64_t *values, size_t count);

/* `bytes` bytes of every rank, in their order, into all[], on every rank. */
void dist_gather(const void *mine, size_t bytes, void *all);

/*
 * Did everything go well everywhere?  Returns 0 if every rank gave status 0, else the status of the
 * lowest rank that did not; *failed (may be NULL) is that rank, and text, of the same size on all
 * ranks, holds its text.  Ranks that stopped because another failed give 0.
 */
int dist_agree(int status, char *text, size_t size, int *failed);

/*
 * Begin to share out the items [starts[0], starts[size]).  Range r, [starts[r], starts[r + 1]), is
 * rank r's own: it is given out to r from its front on in spans, the larger the faster r is.  When
 * its own range is given out, a rank takes spans from the ends of others' ranges (help nonzero),
 * from those that would be done last.  Spans begin and end where ranges do or a multiple of unit
 * from there.  starts has dist_size() + 1 elements, is the same on all ranks, and is copied.
 */
void dist_work_begin(const uint64_t *starts, uint64_t unit, int help);

/* When dist_work_next() has returned 0.  dist_stopping() is then the same on all ranks. */
void dist_work_end(void);

/* --- Within the body; from any thread, any time --- */

/* The next span to be done here.  1: *first and *count; 0: no more, or the job is stopping; -1:
 * none yet, after a short wait. */
int dist_work_next(uint64_t *first, uint64_t *count);

/* How many items this rank has done so far, since dist_work_begin(): spans are sized by that. */
void dist_work_report(uint64_t done);

/* Of all ranks, as far as they have told; on rank 0. */
uint64_t dist_work_done(void);

/* Ask all ranks to stop; reason is not 0, and the first one counts.  dist_stopping() is that
 * reason, as soon as it is known here, else 0. */
void dist_request_stop(int reason);
int dist_stopping(void);

const char *dist_library(void); /* name and version of the MPI built in, "" without; any time */

const char *dist_strerror(int status); /* a static English sentence fragment; never NULL */

#endif
