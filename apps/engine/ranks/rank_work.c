/* The edges of one file shared out to the ranks of the job. */
#include "apps/engine/ranks/rank_work.h"
#include "mpi/dist.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int next(void *state, uint64_t *first, uint64_t *count)
{
    (void)state;
    return dist_work_next(first, count);
}

const pipeline_source rank_work_source = {next, NULL};

int rank_work_begin(const graphfile_writer *writer, uint64_t edges, int id_bytes,
                    edgefile_weight weight, char *text, size_t size)
{
    /* A shard that the HDF5 library writes is open in one process alone. */
    bool help = graphfile_used_layout(writer) != EDGEFILE_LAYOUT_SHARDED ||
                graphfile_used_path(writer) != EDGEFILE_PATH_HDF5;
    int ranks = dist_size(), status;
    uint64_t *starts = malloc(((size_t)ranks + 1) * sizeof *starts), count;

    snprintf(text, size, "%s", starts != NULL ? "" : "memory is exhausted");
    status = dist_agree(starts != NULL ? 0 : -1, text, size, NULL);
    if (status == 0) {
        for (int k = 0; k < ranks; k++) {
            edgefile_shard_range(edges, id_bytes, weight, ranks, k, &starts[k], &count);
        }
        starts[ranks] = edges;
        dist_work_begin(starts, edgefile_unit(edges, id_bytes, weight), help);
    }
    free(starts);
    return status;
}
