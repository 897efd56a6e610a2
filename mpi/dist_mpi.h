/*
 * dist_mpi.h - what dist_mpi.c, MPI's start and end, shares with dist_agent.c, the runs between
 * them. Private to these two.
 */
#ifndef MPI_DIST_MPI_H
#define MPI_DIST_MPI_H

#include "mpi/dist_job.h"
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { DIST_HOST_TEXT = 64 };

/* The job's MPI.  Each use has a communicator of its own. */
struct dist_mpi {
    MPI_Comm star, collectives;
    int tag;                       /* of this run's messages in the star: 0 and 1 in turn */
    double timeout;                /* of the last run: 0 if there was none */
    char host[DIST_HOST_TEXT];     /* rank 0's */
    char (*hosts)[DIST_HOST_TEXT]; /* of all ranks, on rank 0 */
};
extern struct dist_mpi dist_mpi;

int dist_mpi_start(void);
void dist_mpi_stop(void);
const char *dist_mpi_library(void);

extern const dist_transport dist_agent; /* dist_agent.c */
extern size_t dist_mpi_piece;           /* bytes per call of a collective operation; for tests */

/* Calls lost() with the text; dist_lose() then aborts the job. */
void dist_say_lost(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define dist_lose(...) (dist_say_lost(__VA_ARGS__), (void)MPI_Abort(dist_mpi.star, 1))

/* What rank 0 keeps about the others. */
int dist_hub_create(int ranks); /* 0, or -1: no memory */
void dist_hub_destroy(void);

#endif
