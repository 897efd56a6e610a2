/*
 * dist.h - the processes ("ranks") of one job.
 *
 * A process that no launcher (mpirun, srun) started is rank 0 of 1, with or without MPI in the
 * build.  So is the only process of a launcher.  MPI is then not initialized, and every function
 * here is free.
 *
 * The launcher ends the job if one of its ranks dies, and MPI does if one of its calls fails.  A
 * rank that fails or stops on its own while others work or wait for it must end them with
 * dist_abort().
 *
 * No function prints, and only dist_abort() exits.
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

/* Call it first, in the main thread; a second call does nothing.  After an error dist_rank() and
 * dist_size() are the launcher's values, so that rank 0 can report the error. */
int dist_start(void);

/* Sets the rank and the number of ranks that a launcher gave this process, else 0 and 1. */
void dist_launched(int *rank, int *size);

/* This process's place; read it by the macros below, which call nothing. */
extern struct dist_place {
    int rank, size, local_rank, local_size, hosts, processors;
} dist_here;

#define dist_rank()       (dist_here.rank) /* 0 .. dist_size() - 1 */
#define dist_size()       (dist_here.size)
#define dist_local_rank() (dist_here.local_rank) /* on this host: 0 .. dist_local_size() - 1 */
#define dist_local_size() (dist_here.local_size)
#define dist_host_count() (dist_here.hosts) /* hosts of the job */

/* The number of processors that this one of several ranks should use, at least 1.  Each processor
 * that it may use counts 1 / (ranks of this host that may use it too). */
#define dist_processors() (dist_here.processors)

/* Ends MPI.  Collective if there are several ranks.  Does nothing without a successful start. */
void dist_stop(void);

/* Ends all ranks with this exit status.  Any thread may call it; it does not return. */
_Noreturn void dist_abort(int status);

/* Returns, on rank 0, whether another rank is in dist_abort(); launchers then send rank 0 SIGTERM.
 */
int dist_is_ending(void);

/* Sets a function, or NULL.  It is called repeatedly, unless held, while a collective function or
 * dist_work_end() waits for other ranks.  It lets a waiting rank call dist_abort().  At first it is
 * not held. */
void dist_set_poll(void (*poll)(void));

/* Suspends (held nonzero) or resumes the calls of poll(). */
void dist_hold_poll(int held);

/* --- Collective: every rank calls these in the same order, from its main thread.  A waiting rank
 * sleeps.  All sizes are below 2^31 bytes and elements. --- */

/* Copies rank 0's data to all ranks. */
void dist_broadcast(void *data, size_t bytes);

/* Adds the values element by element over all ranks; all ranks receive the sums. */
void dist_sum(uint64_t *values, size_t count);

/* Copies `bytes` bytes of every rank, in the order of ranks, to all[] on every rank. */
void dist_gather(const void *mine, size_t bytes, void *all);

/* Returns 0 if every rank passed status 0, else the status of the lowest rank that did not.  In
 * that case `text`, of the same size on all ranks, becomes that rank's text. */
int dist_agree(int status, char *text, size_t size);

/*
 * Begins to distribute the items [starts[0], starts[size]).  Range r, [starts[r], starts[r + 1]),
 * belongs to rank r. Rank r takes spans from the front of its own range; a faster rank gets larger
 * spans.  When its range is used up, it takes spans from the ends of the ranges that would finish
 * last.  Spans begin and end at range borders or at a multiple of unit from there.  starts has
 * dist_size() + 1 elements, is the same on all ranks, and is copied.  Returns 0, or DIST_ERR_NOMEM
 * on all ranks.  There are several ranks.
 */
int dist_work_begin(const uint64_t *starts, uint64_t unit);

/* Ends the distribution, after dist_work_next() has returned 0 and this rank's spans are done.
 * Rank 0 waits for all ranks. */
void dist_work_end(void);

/* --- From dist_work_begin() to dist_work_end(), from any thread --- */

/* Takes the next span for this rank; one thread at a time calls it.  Returns 1: the span is *first
 * and *count. 0: there are no more. -1: none is available yet, after a short wait. */
int dist_work_next(uint64_t *first, uint64_t *count);

/* Reports the items done by this rank since dist_work_begin(); they set the size of its spans. */
void dist_work_report(uint64_t done);

/* Returns, on rank 0, the items done by all ranks so far, by their last reports; else 0. */
uint64_t dist_work_done(void);

const char *dist_library(void); /* name and version of the MPI in the build, "" if there is none;
                                   callable at any time */

const char *dist_strerror(int status); /* a static English sentence fragment; never NULL */

#endif
