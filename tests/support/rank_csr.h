/* rank_csr.h - the CSR of ranks by rmat_csr_rank(), joined and compared with that of one process.
 */
#ifndef TESTS_SUPPORT_RANK_CSR_H
#define TESTS_SUPPORT_RANK_CSR_H

#include "rmat/rmat_exchange.h"
#include "tests/support/must.h"
#include "tests/support/rank_threads.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const rmat_config *config;
    rmat_backend backends[8]; /* of the ranks */
    rmat_csr_spec spec;
    rmat_exchange_way how;
    rmat_csr parts[8]; /* in host memory */
    int statuses[8];
} rank_csr;

static void make_rank_csr(const rmat_ranks *ranks, void *state)
{
    rank_csr *r = state;
    rmat_config config = *r->config;
    rmat_gen *gen;

    config.backend = r->backends[ranks->rank];
    must(rmat_create(&gen, &config) == RMAT_OK, "no generator");
    r->statuses[ranks->rank] = rmat_csr_rank(gen, ranks, &r->spec, r->how, &r->parts[ranks->rank]);
    rmat_destroy(gen);
}

static uint64_t config_rows(const rmat_config *c)
{
    return c->rows != 0 ? c->rows : (uint64_t)1 << c->rows_scale;
}

static void check_rank_csr(rank_csr *r, int ranks)
{
    const size_t id = (size_t)r->spec.id_bytes;
    rmat_config config = *r->config;
    const uint64_t rows = config_rows(r->config);
    uint64_t row = 0, edge = 0;
    rmat_csr all;
    rmat_gen *gen;

    config.backend = RMAT_BACKEND_CPU;
    must(rmat_create(&gen, &config) == RMAT_OK, "no generator");
    must(rmat_csr_rows(gen, 0, rows, &r->spec, &all) == RMAT_OK, "no CSR");
    run_ranks(ranks, make_rank_csr, r);
    for (int k = 0; k < ranks; k++) {
        const rmat_csr *p = &r->parts[k];

        must(r->statuses[k] == RMAT_OK, "rank %d: %s", k, rmat_strerror(r->statuses[k]));
        must(p->first_row == row && p->edges <= all.edges - edge, "rank %d has other rows", k);
        for (uint64_t i = 0; i <= p->rows; i++) {
            must(p->pointers[i] + edge == all.pointers[row + i], "rank %d: pointer %d", k, (int)i);
        }
        must(memcmp(p->indices, (char *)all.indices + edge * id, p->edges * id) == 0,
             "rank %d has other edges", k);
        must(!r->spec.weights ||
                 memcmp(p->weights, (char *)all.weights + edge * 4, p->edges * 4) == 0,
             "rank %d has other weights", k);
        row += p->rows;
        edge += p->edges;
        rmat_csr_free(&r->parts[k]);
    }
    must(row == rows && edge == all.edges, "rows are missing");
    rmat_csr_free(&all);
    rmat_destroy(gen);
}

#endif
