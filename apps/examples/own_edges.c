/*
 * own_edges.c - your own generator with the files of `rmat generate`.  Its random graphs have a
 * given number of edges, all equally likely (Erdos and Renyi's G(n, m), with copies and loops).
 *
 *     ./own_edges graph.h5                   (or mpirun -n 4 ./own_edges graph.h5)
 *     rmat info graph.h5
 *
 * A generator provides only a function that fills arrays with any range of its edges, each edge a
 * function of its number.  The engine then makes the file on any number of threads and ranks.  Here
 * it sorts the edges, removes copies, and adds the reverse of every edge.
 */
#include "alias/core/philox.h"
#include "engine/engine.h"
#include <inttypes.h>
#include <stdio.h>

#define VERTICES ((uint64_t)1000000)
#define EDGES    ((uint64_t)5000000)
#define SEED     ((uint64_t)42)

/* 64 random bits of an edge's Philox block, scaled to a vertex. */
static uint64_t vertex(const philox_block *b, int word)
{
    const uint64_t bits = (uint64_t)b->v[word + 1] << 32 | b->v[word];

    return (uint64_t)((unsigned __int128)bits * VERTICES >> 64);
}

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const philox_block b = philox_at(SEED, first + i, 0, 0);
        const uint64_t src = vertex(&b, 0), dst = vertex(&b, 2);

        if (to->id_bytes == 4) {
            ((uint32_t *)to->src)[i] = (uint32_t)src;
            ((uint32_t *)to->dst)[i] = (uint32_t)dst;
        } else {
            ((uint64_t *)to->src)[i] = src;
            ((uint64_t *)to->dst)[i] = dst;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const uint64_t vertices = VERTICES, scale = 20, seed = SEED; /* 2^20 >= VERTICES */
    static const edgefile_attr attrs[] = {{"generator", EDGEFILE_STRING, 1, "own_edges 1.0"},
                                          {"model", EDGEFILE_STRING, 1, "erdos-renyi"},
                                          {"rows_scale", EDGEFILE_U64, 1, &scale},
                                          {"cols_scale", EDGEFILE_U64, 1, &scale},
                                          {"num_rows", EDGEFILE_U64, 1, &vertices},
                                          {"num_cols", EDGEFILE_U64, 1, &vertices},
                                          {"seed", EDGEFILE_U64, 1, &seed}};
    const engine_source source = {
        .edges = {.rows = VERTICES, .cols = VERTICES, .edges = EDGES, .fill = fill},
        .attrs = attrs,
        .n_attrs = sizeof attrs / sizeof *attrs,
        .command = "own_edges FILE",
        .csr_option = " --csr"};
    engine_job job;
    engine_result result;
    int status = engine_start();

    engine_job_default(&job);
    job.source = &source;
    job.edges = EDGES;
    job.model.symmetrize = 1;
    job.dedup = true;
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
