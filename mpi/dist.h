/*
 * dist.h - the processes of one job.
 *
 * A process that no launcher (mpirun, srun) started is rank 0 of 1, whether or not MPI was built
 * in, and MPI is not initialised for it.  Functions return 0 or a negative dist_status; they never
 * print and never exit.  Call them from one thread.
 */
#ifndef MPI_DIST_H
#define MPI_DIST_H

enum dist_status {
    DIST_OK = 0,
    DIST_ERR_MPI = -301,     /* an MPI call failed */
    DIST_ERR_LAUNCHER = -302 /* a launcher started several ranks, but MPI sees one */
};

/* Once, before anything else here. */
int dist_start(void);

int dist_rank(void); /* 0 .. dist_size() - 1 */
int dist_size(void);

/* Collective where there are several ranks.  Nothing to do after a failed or missing start. */
void dist_stop(void);

const char *dist_library(void); /* name and version of the MPI built in, "" without; any time */

const char *dist_strerror(int status); /* a static English sentence fragment; never NULL */

#endif
