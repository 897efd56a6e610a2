/*
 * dist_job.h - declarations shared by dist.c and dist_mpi.c. Private to mpi/.
 *
 * dist.c has all code that needs no MPI.  The code that needs MPI is reached through a table of
 * functions, so a build without MPI, and a lone process, do not use it.
 */
#ifndef MPI_DIST_JOB_H
#define MPI_DIST_JOB_H

#include "mpi/dist.h"
#include "mpi/dist_table.h"
#include <stddef.h>
#include <stdint.h>

/* The operations of several ranks, in a build with MPI: dist_mpi.c. */
typedef struct {
    int (*start)(void); /* fills in dist_job if a launcher started several ranks */
    void (*stop)(void);
    void (*abort)(int status);
    int (*is_ending)(void); /* dist_is_ending() */

    /* Collective. */
    void (*broadcast)(void *data, size_t bytes, int root);
    void (*sum)(uint64_t *values, size_t count);
    void (*least)(uint64_t *value); /* the smallest value over all ranks */
    void (*gather)(const void *mine, size_t bytes, void *all);

    /* Small messages, from any thread. */
    void (*send)(int rank, const void *message, size_t bytes);
    int (*receive)(void *message, size_t bytes); /* returns the sender's rank; -1: no message */

    const char *(*library)(void); /* dist_library() */
} dist_transport;

struct dist_job {
    const dist_transport *transport; /* NULL: this process is alone */
    dist_table *table;               /* rank 0 */
};

extern struct dist_job dist_job;

/* Calls poll() if it is set and not held. */
void dist_poll(void);

/* MPI's waiting calls keep a core busy that other ranks of the host need.  So a waiting rank tries
 * and sleeps in turn: at first for DIST_SHORTEST_PAUSE, then twice as long each time, up to
 * `longest` seconds. */
#define DIST_SHORTEST_PAUSE 50e-6
#define DIST_LONGEST_PAUSE  1e-3
void dist_pause(double *seconds, double longest);

/* Returns the processors that this process may use, a bit for each; *bytes is the mask's size.
 * NULL: memory is exhausted, or the processors are unknown. */
unsigned char *dist_processor_mask(size_t *bytes);

/* Returns the share of rank `mine`: each processor that it may use counts 1 / (ranks that may use
 * it); rounded, at least 1. masks: those of `ranks` ranks of a host, of `bytes` bytes each. */
int dist_processor_share(const unsigned char *masks, size_t bytes, int ranks, int mine);
int dist_processors_alone(void);

#endif
