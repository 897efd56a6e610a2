/* Built instead of dist_mpi.c without MPI: one process; several launched ones are noticed. */
#include "mpi/dist.h"
#include "mpi/dist_launch.h"

static int rank, size = 1;

int dist_start(void)
{
    dist_launched(&rank, &size);
    return DIST_OK;
}

int dist_rank(void)
{
    return rank;
}

int dist_size(void)
{
    return size;
}

void dist_stop(void)
{
}

const char *dist_library(void)
{
    return "";
}
