/* Ranks over MPI.  MPI starts only under a launcher: a lone MPI_Init() costs time and, on some
 * clusters' login nodes, fails. */
#include "mpi/dist.h"
#include "mpi/dist_launch.h"
#include <mpi.h>
#include <string.h>

static int rank, size = 1, started;

int dist_start(void)
{
    int launch_rank, launch_size;

    if (!dist_launched(&launch_rank, &launch_size)) {
        return DIST_OK;
    }
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) {
        return DIST_ERR_MPI;
    }
    started = 1;
    if (MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) {
        return DIST_ERR_MPI;
    }
    if (size < launch_size) {
        rank = launch_rank;
        return DIST_ERR_LAUNCHER;
    }
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
    if (started) {
        MPI_Finalize();
        started = 0;
    }
}

/* "Open MPI v4.1.4, package: ...": up to the comma. */
const char *dist_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) {
        return "unknown";
    }
    text[strcspn(text, ",\n")] = '\0';
    return text;
}
