/* Collective operations of the bodies, on the few kinds that the transport knows. */
#include "mpi/dist.h"
#include "mpi/dist_job.h"

void dist_collective(dist_op op)
{
    dist_job.transport->collective(&op);
}

void dist_broadcast(void *data, size_t bytes)
{
    dist_collective((dist_op){.kind = DIST_BROADCAST, .data = data, .count = bytes});
}

void dist_sum(uint64_t *values, size_t count)
{
    dist_collective((dist_op){.kind = DIST_SUM, .data = values, .count = count});
}

void dist_gather(const void *mine, size_t bytes, void *all)
{
    dist_collective((dist_op){.kind = DIST_GATHER, .data = all, .mine = mine, .count = bytes});
}

int dist_agree(int status, char *text, size_t size, int *failed)
{
    uint64_t lowest = (uint64_t)(status != 0 ? dist_job.rank : dist_job.size);
    int root;

    dist_collective((dist_op){.kind = DIST_MIN, .data = &lowest, .count = 1});
    if (lowest == (uint64_t)dist_job.size) {
        return 0;
    }
    root = (int)lowest;
    dist_collective(
        (dist_op){.kind = DIST_BROADCAST, .data = &status, .count = sizeof status, .root = root});
    dist_collective((dist_op){.kind = DIST_BROADCAST, .data = text, .count = size, .root = root});
    if (failed != NULL) {
        *failed = root;
    }
    return status;
}
