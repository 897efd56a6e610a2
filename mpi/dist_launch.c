/* Was this process started by a launcher, and as which rank?  Told from the environment, before MPI
 * is initialised. */
#include "mpi/dist_launch.h"
#include <stdlib.h>

/* The launchers' variables.  A batch script outside any srun has SLURM_PROCID, but no
 * SLURM_STEP_NUM_TASKS: it is not a rank of anything. */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI's mpirun */
    {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI, srun --mpi=pmi2 */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},         /* srun, whatever --mpi says */
};

int dist_launched(int *rank, int *size)
{
    *rank = 0;
    *size = 1;
    for (unsigned i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *r = getenv(launchers[i].rank), *s = getenv(launchers[i].size);

        if (r != NULL && s != NULL && atoi(s) >= 1) {
            *rank = atoi(r);
            *size = atoi(s);
            return 1;
        }
    }
    return 0;
}
