/*
 * Kernels 1 and 2 of Graph500 on this library, as a custom implementation of its reference code
 * (its src/bfs_custom.c).  rmat_csr_rank() makes the graph, with all copies of edges.  The search
 * goes level by level, and every rank looks for its own vertices' parents.  The reference code
 * makes its own list of edges and validates each search against it.
 *
 * SEED in the environment replaces Graph500's first seed, so that the graph is a wrong one.
 */
#include "common.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_source.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_FACTOR = 16 };

static rmat_csr mine;
static int64_t vertices, *parent; /* parent, depth: of all vertices; -1: not reached */
static int *depth, *first, *count;

static void must(int status)
{
    if (status != RMAT_OK) {
        fprintf(stderr, "%s\n", rmat_strerror(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

void make_graph_data_structure(const tuple_graph *tg)
{
    const char *seed = getenv("SEED");
    const rmat_csr_spec spec = {.edges = 2 * (uint64_t)tg->nglobaledges, .id_bytes = 4};
    rmat_config config;
    rmat_gen *gen;

    rmat_config_default(&config);
    config.stream = RMAT_STREAM_GRAPH500;
    config.rows_scale = config.cols_scale =
        __builtin_ctzll((uint64_t)tg->nglobaledges / EDGE_FACTOR);
    config.seed = seed != NULL ? strtoull(seed, NULL, 10) : RMAT_GRAPH500_SEED1;
    config.seed2 = RMAT_GRAPH500_SEED2;
    config.symmetrize = config.no_self_loops = 1;
    config.threads = 1;
    must(rmat_create(&gen, &config));
    must(rmat_csr_rank(gen, rank, size, &spec, &mine));
    rmat_destroy(gen);
    vertices = (int64_t)1 << config.rows_scale;
    parent = xmalloc((size_t)vertices * sizeof *parent);
    depth = xmalloc((size_t)vertices * sizeof *depth);
    first = xmalloc((size_t)size * sizeof *first);
    count = xmalloc((size_t)size * sizeof *count);
    MPI_Allgather(&(int){(int)mine.first_row}, 1, MPI_INT, first, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(&(int){(int)mine.rows}, 1, MPI_INT, count, 1, MPI_INT, MPI_COMM_WORLD);
}

void run_bfs(int64_t root, int64_t *pred)
{
    const uint32_t *neighbors = mine.indices;
    long found = 1;

    memset(parent, -1, (size_t)vertices * sizeof *parent);
    memset(depth, -1, (size_t)vertices * sizeof *depth);
    parent[root] = root;
    depth[root] = 0;
    for (int level = 0; found > 0; level++) {
        found = 0;
        for (uint64_t row = 0; row < mine.rows; row++) {
            const uint64_t v = mine.first_row + row;

            for (uint64_t i = mine.pointers[row]; i < mine.pointers[row + 1] && depth[v] < 0; i++) {
                if (depth[neighbors[i]] == level) {
                    depth[v] = level + 1;
                    parent[v] = neighbors[i];
                    found++;
                }
            }
        }
        MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, depth, count, first, MPI_INT, MPI_COMM_WORLD);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT64_T, parent, count, first, MPI_INT64_T, MPI_COMM_WORLD);
    for (size_t i = 0; i < get_nlocalverts_for_pred(); i++) {
        pred[i] = parent[VERTEX_TO_GLOBAL(rank, i)];
    }
}

void get_edge_count_for_teps(int64_t *edges)
{
    *edges = 0;
    for (uint64_t row = 0; row < mine.rows; row++) {
        const uint64_t v = mine.first_row + row;

        for (uint64_t i = mine.pointers[row]; parent[v] >= 0 && i < mine.pointers[row + 1]; i++) {
            *edges += ((uint32_t *)mine.indices)[i] <= v;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, edges, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* Of a vertex of another rank it is not known. */
int isisolated(int64_t v)
{
    const uint64_t row = (uint64_t)v - mine.first_row;

    return row < mine.rows && mine.pointers[row] == mine.pointers[row + 1];
}

void clean_pred(int64_t *pred)
{
    memset(pred, -1, get_nlocalverts_for_pred() * sizeof *pred);
}

size_t get_nlocalverts_for_pred(void)
{
    return VERTEX_LOCAL(vertices + size - 1 - rank);
}

void free_graph_data_structure(void)
{
    rmat_csr_free(&mine);
    free(parent);
    free(depth);
    free(first);
    free(count);
}
