/* rank_csr.h - models, and the rows of all ranks by rmat_csr_rank(), compared with the CSR of one
 * process. */
#ifndef TESTS_SUPPORT_RANK_CSR_H
#define TESTS_SUPPORT_RANK_CSR_H

#include "rmat/rmat_csr.h"
#include "tests/support/must.h"

#include <string.h>

/* The model that these members describe; edges: of a stream that ends. */
static rmat_config rank_config(rmat_config given, uint64_t edges)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = given.rows_scale;
    c.cols_scale = given.cols_scale;
    c.noise = given.noise;
    c.permute = given.permute;
    c.symmetrize = given.symmetrize;
    c.no_self_loops = given.no_self_loops;
    c.direction = given.direction;
    c.weights = given.weights;
    c.weight_max = given.weights == RMAT_WEIGHTS_INT ? 99 : 1;
    c.stream = given.stream;
    c.edges = edges;
    return c;
}

/* Part of `all`, whose rows from *row on and edges from *edge on are to be those of the part, in
 * host memory.  Moves both behind them. */
static void check_rank_rows(const rmat_csr *all, const rmat_csr *part, const rmat_csr_spec *spec,
                            uint64_t *row, uint64_t *edge)
{
    const size_t id = (size_t)spec->id_bytes;

    must(part->first_row == *row && part->rows <= all->rows - *row, "other rows");
    must(part->edges == all->pointers[*row + part->rows] - *edge, "other numbers of edges");
    for (uint64_t i = 0; i <= part->rows; i++) {
        must(part->pointers[i] + *edge == all->pointers[*row + i], "pointer %d differs", (int)i);
    }
    must(memcmp(part->indices, (char *)all->indices + *edge * id, part->edges * id) == 0,
         "other edges");
    must(spec->weights
             ? memcmp(part->weights, (char *)all->weights + *edge * 4, part->edges * 4) == 0
             : part->weights == NULL,
         "other weights");
    *row += part->rows;
    *edge += part->edges;
}

/* The rows of all ranks, by one generator, are those of `all`.  Sets first_rows[k] to the first row
 * of rank k, and first_rows[ranks] to the number of rows. */
static void check_ranks(const rmat_gen *gen, int ranks, const rmat_csr_spec *spec,
                        const rmat_csr *all, uint64_t *first_rows)
{
    uint64_t row = 0, edge = 0;

    for (int k = 0; k < ranks; k++) {
        rmat_csr part;
        const int status = rmat_csr_rank(gen, k, ranks, spec, &part);

        must(status == RMAT_OK, "rank %d of %d: %s", k, ranks, rmat_strerror(status));
        first_rows[k] = row;
        check_rank_rows(all, &part, spec, &row, &edge);
        rmat_csr_free(&part);
    }
    first_rows[ranks] = row;
    must(row == all->rows && edge == all->edges, "rows are missing");
}

#endif
