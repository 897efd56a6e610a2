/*
 * dist.h - the processes ("ranks") of one job.
 *
 * A process that no launcher (mpirun, srun) started, or alone, is rank 0 of 1, whether or not MPI
 * was built in; MPI is not initialised for it, and everything here then costs nothing.
 *
 * The launcher ends a job one of whose ranks dies, and so does MPI where one of its calls fails.  A
 * rank that fails or has to stop by itself, while the others are at work or wait for it, ends them
 * by dist_abort().
 *
 * No function prints, and none but dist_abort() exits.
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

/* Ends all ranks, with this exit status.  Any thread; does not return. */
_Noreturn void dist_abort(int status);

/* On rank 0: is another rank in dist_abort()?  Launchers then send this one SIGTERM. */
int dist_is_ending(void);

/* poll(), or NULL, is called again and again while a collective function or dist_work_end() waits
 * for other ranks: so a rank that waits can still call dist_abort().  It is not held. */
void dist_set_poll(void (*poll)(void));

/* From now on poll() is not called (held nonzero), or is again. */
void dist_hold_poll(int held);

/* --- Collective: every rank calls them in the same order, from its main thread.  A rank that waits
 * sleeps; all sizes are below 2^31 bytes and elements. --- */

/* Rank 0's data to all. */
void dist_broadcast(void *data, size_t bytes);

/* Element by element, over all ranks, to all ranks. */
void dist_sum(uint64_t *values, size_t count);

/* `bytes` bytes of every rank, in their order, into all[], on every rank. */
void dist_gather(const void *mine, size_t bytes, void *all);

/*
 * Did everything go well everywhere?  Returns 0 if every rank gave status 0, else the status of the
 * lowest rank that did not; text, of the same size on all ranks, then holds its text.
 */
int dist_agree(int status, char *text, size_t size);

/*
 * Begin to share out the items [starts[0], starts[size]).  Range r, [starts[r], starts[r + 1]), is
 * rank r's own: it is given out to r from its front on in spans, the larger the faster r is.  When
 * its own range is given out, a rank takes spans from the ends of others' ranges (help nonzero),
 * from those that would be done last.  Spans begin and end where ranges do or a multiple of unit
 * from there.  starts has dist_size() + 1 elements, is the same on all ranks, and is copied.
 * Returns 0, or DIST_ERR_NOMEM on all ranks.
 */
int dist_work_begin(const uint64_t *starts, uint64_t unit, int help);

/* When dist_work_next() has returned 0 and this rank's spans are done.  Rank 0 waits for all. */
void dist_work_end(void);

/* --- From dist_work_begin() to dist_work_end(), from any thread --- */

/* The next span to be done here, in one thread at a time.  1: *first and *count; 0: no more; -1:
 * none yet, after a short wait. */
int dist_work_next(uint64_t *first, uint64_t *count);

/* How many items this rank has done so far, since dist_work_begin(): spans are sized by that. */
void dist_work_report(uint64_t done);

/* Of all ranks, as far as they have told; on rank 0. */
uint64_t dist_work_done(void);

const char *dist_library(void); /* name and version of the MPI built in, "" without; any time */

const char *dist_strerror(int status); /* a static English sentence fragment; never NULL */

#endif
