/*
 * dist_job.h - declarations shared by dist.c, dist_mpi.c and dist_table.c.  Private to mpi/.
 *
 * dist.c has all code that needs no MPI.  The code that needs MPI is reached through a table of
 * functions, so a build without MPI, and a lone process, do not use it.
 */
#ifndef MPI_DIST_JOB_H
#define MPI_DIST_JOB_H

#include "mpi/dist.h"
#include <stddef.h>
#include <stdint.h>

/*
 * dist_table.c: assigns items to ranks, on rank 0 and without MPI.  Not thread-safe.  `now` is any
 * clock's time in seconds, and never decreases.
 */

typedef struct dist_table dist_table;

/* Does the work of dist_work_begin().  NULL: memory is exhausted. */
dist_table *dist_table_create(int ranks, const uint64_t *starts, uint64_t unit);
void dist_table_destroy(dist_table *table); /* NULL is allowed */

/* Takes the next span for a rank. 1: *first and *count; 0: nothing is left for it; -1: try again
 * later, because the owners would now be done earlier than this rank. */
int dist_table_take(dist_table *table, int rank, double now, uint64_t *first, uint64_t *count);

/* Reports the total number of items that the rank has done. */
void dist_table_report(dist_table *table, int rank, uint64_t done, double now);

uint64_t dist_table_done(const dist_table *table); /* by all ranks */

/* The operations of several ranks, in a build with MPI: dist_mpi.c. */
typedef struct {
    int (*start)(void); /* fills in dist_here */
    void (*stop)(void);
    void (*abort)(int status);
    int (*is_ending)(void); /* dist_is_ending() */

    /* Collective. */
    void (*broadcast)(void *data, size_t bytes, int root);
    void (*reduce)(uint64_t *values, size_t count, int least); /* sums, or the least values */
    void (*gather)(const void *mine, size_t bytes, void *all);

    /* Small messages, from any thread. */
    void (*send)(int rank, const void *message, size_t bytes);
    int (*receive)(void *message, size_t bytes); /* returns the sender's rank; -1: no message */

    const char *(*library)(void); /* dist_library() */
} dist_transport;

/* Calls poll() if it is set and not held. */
void dist_poll(void);

/* MPI's waiting calls keep a core busy that other ranks of the host need.  So a waiting rank tries
 * and sleeps in turn: at first for DIST_SHORTEST_PAUSE, then twice as long each time, up to
 * `longest` seconds. */
#define DIST_SHORTEST_PAUSE 50e-6
#define DIST_LONGEST_PAUSE  1e-3
void dist_pause(double *seconds, double longest);

/* Returns the share of rank `mine`: each processor that it may use counts 1 / (ranks that may use
 * it); rounded, at least 1. masks: those of `ranks` ranks of a host, of `bytes` bytes each. */
int dist_processor_share(const unsigned char *masks, size_t bytes, int ranks, int mine);

#endif
