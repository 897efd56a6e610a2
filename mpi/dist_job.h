/*
 * dist_job.h - what dist.c and dist_mpi.c share.  Private to mpi/.
 *
 * dist.c has everything that needs no MPI.  What does is behind a table of functions, so that a
 * build without MPI, and a process alone, go without it.
 */
#ifndef MPI_DIST_JOB_H
#define MPI_DIST_JOB_H

#include "mpi/dist_table.h"
#include <stddef.h>
#include <stdint.h>

/* What is there for several ranks, in a build with MPI: dist_mpi.c. */
typedef struct {
    int (*start)(void); /* where a launcher started several ranks: fills in dist_job */
    void (*stop)(void);
    void (*abort)(int status);
    int (*is_ending)(void); /* dist_is_ending() */

    /* Collective. */
    void (*broadcast)(void *data, size_t bytes, int root);
    void (*sum)(uint64_t *values, size_t count);
    void (*least)(uint64_t *value); /* the smallest of all ranks' */
    void (*gather)(const void *mine, size_t bytes, void *all);

    /* Small messages, from any thread. */
    void (*send)(int rank, const void *message, size_t bytes);
    int (*receive)(void *message, size_t bytes); /* the rank that sent it; -1: none has come */

    const char *(*library)(void); /* dist_library() */
} dist_transport;

struct dist_job {
    int rank, size, local_rank, local_size, hosts, processors;
    const dist_transport *transport; /* NULL: this process is alone */
    dist_table *table;               /* rank 0 */
};

extern struct dist_job dist_job;

/* Calls poll() where it is set and not held. */
void dist_poll(void);

/* MPI's waiting calls keep a core busy, which other ranks of the host need.  So a rank that waits
 * tries, and sleeps in between: at first for DIST_SHORTEST_PAUSE, then twice as long each time, up
 * to `longest` seconds. */
#define DIST_SHORTEST_PAUSE 50e-6
#define DIST_LONGEST_PAUSE  1e-3
void dist_pause(double *seconds, double longest);

/* Did a launcher start this process?  If so, its rank and the number of ranks; else 0 and 1. */
int dist_launched(int *rank, int *size);

/* Which processors this process may use, a bit for each; *bytes is the mask's size.  NULL: no
 * memory, or not known. */
unsigned char *dist_processor_mask(size_t *bytes);

/* masks: those of `ranks` ranks of a host, of `bytes` bytes each.  The share of rank `mine`: each
 * processor that it may use counts 1 / (ranks that may use it); rounded, at least 1. */
int dist_processor_share(const unsigned char *masks, size_t bytes, int ranks, int mine);
int dist_processors_alone(void);

#endif
