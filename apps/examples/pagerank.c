/*
 * PageRank of a Graph500 graph on any number of ranks.  Each rank makes its rows of the adjacency
 * matrix directly with the generator, without a file and without communication.  Its rows have
 * about as many edges as those of any other rank.  The graph is undirected, without self-loops and
 * duplicates, and its vertices are in random order.
 *
 * usage: mpirun -n RANKS example_pagerank [scale [edge factor [iterations]]]
 *
 * Threads: OMP_NUM_THREADS, or the number of processors that a rank may use.
 */
#include "rmat/rmat_csr.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define DAMPING 0.85

typedef struct {
    int rank, ranks;
    uint64_t vertices;
    rmat_csr rows;       /* of this rank */
    int *counts, *first; /* number and first vertex of every rank */
    double *share;       /* [vertices]: the value that each gives to every neighbor */
    double *value;       /* of this rank's vertices */
} job;

static void must(int ok, const char *what, const char *why)
{
    if (!ok) {
        fprintf(stderr, "example_pagerank: %s: %s\n", what, why);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Builds this rank's rows, finds those of the other ranks, and gives each vertex the same value. */
static void build(job *j, int scale, uint64_t edge_factor)
{
    rmat_csr_spec spec = {.unique = 1, .id_bytes = 4};
    rmat_config config;
    rmat_gen *gen;
    int status, first, rows;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.permute = config.no_self_loops = config.symmetrize = 1;
    status = rmat_create(&gen, &config);
    must(status == RMAT_OK, "generator", rmat_strerror(status));
    spec.edges = 2 * edge_factor << scale; /* of the stream: both directions, and duplicates */
    status = rmat_csr_rank(gen, j->rank, j->ranks, &spec, &j->rows);
    must(status == RMAT_OK, "rows", rmat_strerror(status));
    rmat_destroy(gen);
    j->counts = calloc((size_t)j->ranks, sizeof *j->counts);
    j->first = calloc((size_t)j->ranks, sizeof *j->first);
    j->share = calloc(j->vertices, sizeof *j->share);
    j->value = calloc(j->rows.rows + 1, sizeof *j->value);
    must(j->counts && j->first && j->share && j->value, "memory", "there is too little");
    first = (int)j->rows.first_row;
    rows = (int)j->rows.rows;
    MPI_Allgather(&first, 1, MPI_INT, j->first, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(&rows, 1, MPI_INT, j->counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int v = 0; v < rows; v++) {
        j->value[v] = 1 / (double)j->vertices;
    }
}

/* Replaces this rank's values by those of the next iteration.  Returns the sum of the changes over
 * all ranks. */
static double iterate(job *j)
{
    double *mine = j->share + j->rows.first_row;
    const uint32_t *neighbors = j->rows.indices;
    long double sum_alone = 0; /* long: the split over ranks hardly changes the sum */
    double alone, change = 0, base;

    for (uint64_t v = 0; v < j->rows.rows; v++) {
        const uint64_t d = j->rows.pointers[v + 1] - j->rows.pointers[v]; /* its degree */

        mine[v] = d ? j->value[v] / (double)d : 0;
        sum_alone += d ? 0 : j->value[v]; /* a vertex without edges gives its value to all */
    }
    alone = (double)sum_alone;
    MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, j->share, j->counts, j->first, MPI_DOUBLE,
                   MPI_COMM_WORLD);
    base = (1 - DAMPING + DAMPING * alone) / (double)j->vertices;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : change)
    for (uint64_t v = 0; v < j->rows.rows; v++) {
        double sum = 0, next;

        for (uint64_t i = j->rows.pointers[v]; i < j->rows.pointers[v + 1]; i++) {
            sum += j->share[neighbors[i]];
        }
        next = base + DAMPING * sum;
        change += next > j->value[v] ? next - j->value[v] : j->value[v] - next;
        j->value[v] = next;
    }
    MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return change;
}

static void report(const job *j)
{
    struct {
        double value;
        int vertex;
    } top = {0, 0};
    long double mine = 0;
    double sum;

    for (uint64_t v = 0; v < j->rows.rows; v++) {
        mine += j->value[v];
        if (j->value[v] > top.value) {
            top.value = j->value[v];
            top.vertex = (int)(j->rows.first_row + v);
        }
    }
    sum = (double)mine;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &top, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    if (j->rank == 0) {
        printf("vertex %d has most: %.15g; all together %.15g\n", top.vertex, top.value, sum);
    }
}

int main(int argc, char **argv)
{
    const int scale = argc > 1 ? atoi(argv[1]) : 22;
    const int factor = argc > 2 ? atoi(argv[2]) : 16;
    const int iterations = argc > 3 ? atoi(argv[3]) : 20;
    job j = {0};
    double start, change = 0;
    uint64_t edges;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &j.ranks);
    if (argc > 4 || scale < 1 || scale > 30 || factor < 1 || factor > 4096 || iterations < 1) {
        if (j.rank == 0) {
            fprintf(stderr, "usage: example_pagerank [scale, 1 to 30 [edge factor, 1 to 4096 "
                            "[iterations]]]\n");
        }
        MPI_Finalize();
        return 2;
    }
    j.vertices = (uint64_t)1 << scale;

    start = MPI_Wtime();
    build(&j, scale, (uint64_t)factor);
    edges = j.rows.edges;
    MPI_Allreduce(MPI_IN_PLACE, &edges, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (j.rank == 0) {
        printf("%llu vertices, %llu edges, %.2f s to build on %d ranks\n",
               (unsigned long long)j.vertices, (unsigned long long)edges, MPI_Wtime() - start,
               j.ranks);
    }

    start = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        change = iterate(&j);
    }
    if (j.rank == 0) {
        printf("%d iterations of %.4f s; the last changed %.3g\n", iterations,
               (MPI_Wtime() - start) / iterations, change);
    }
    report(&j);

    free(j.value);
    free(j.share);
    free(j.first);
    free(j.counts);
    rmat_csr_free(&j.rows);
    MPI_Finalize();
    return 0;
}
