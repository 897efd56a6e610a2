/*
 * write_csr.c - a permuted graph of distinct edges as CSR, from C.
 *
 *     mpirun -n 3 ./write_csr graph.h5       (or ./write_csr graph.h5, alone)
 *
 * The file equals that of
 *
 *     rmat generate --scale 16 --permute --unique --format csr --seed 7 -o graph.h5
 */
#include "engine/engine.h"
#include <inttypes.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    engine_job job;
    engine_result result;
    int status = engine_start();

    engine_job_default(&job);
    job.model.rows_scale = job.model.cols_scale = 16;
    job.model.permute = 1;
    job.model.seed = 7;
    job.edges = (uint64_t)16 << 16;
    job.unique = true;
    job.format = GRAPHFILE_CSR;
    job.output = argc > 1 ? argv[1] : "graph.h5";
    if (status == ENGINE_OK) {
        status = engine_run(&job, NULL, &result);
    }
    if (engine_rank() == 0 && status == ENGINE_OK) {
        printf("%s: %" PRIu64 " edges by %d ranks\n", job.output, result.edges, engine_ranks());
    } else if (engine_rank() == 0 || status == ENGINE_ERR_RANK) {
        fprintf(stderr, "%s\n", engine_detail());
    }
    engine_stop();
    return status != ENGINE_OK;
}
