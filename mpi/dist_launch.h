/* What the launcher says in the environment, before or without MPI.  Private to mpi/. */
#ifndef MPI_DIST_LAUNCH_H
#define MPI_DIST_LAUNCH_H

/* Did a launcher start this process?  If so, its rank and the number of ranks; else 0 and 1. */
int dist_launched(int *rank, int *size);

#endif
