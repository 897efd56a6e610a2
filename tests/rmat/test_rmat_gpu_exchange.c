/* Ranks that exchange edges, all on a GPU, or some on a GPU and some on the CPU: their CSR together
 * is that of one process; and in device memory.  Those on GPUs read each other's buffers, or send
 * them through the host. */
#include "rmat/rmat_gpu.h"
#include "rmat/sorted/exchange.h"
#include "tests/support/gpu_util.h"
#include "tests/support/rank_csr.h"

#include <stdlib.h>
#include <string.h>

static const rmat_config models[] = {
    {.rows_scale = 16, .cols_scale = 16},
    {.rows_scale = 16, .cols_scale = 16, .permute = 1, .symmetrize = 1, .no_self_loops = 1},
    {.rows_scale = 14, .cols_scale = 14, .direction = RMAT_LOWER, .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 36, .cols_scale = 20, .permute = 1}, /* keys of 64 bits */
    {.rows_scale = 14, .cols_scale = 56},               /* of 128 */
    {.rows_scale = 14, .cols_scale = 14, .stream = RMAT_STREAM_GRAPH500},
    {.rows_scale = 14, .cols_scale = 14, .stream = RMAT_STREAM_GAPBS, .no_self_loops = 1},
};
enum { MODELS = sizeof models / sizeof models[0] };

static rmat_config config_of(int i, uint64_t edges)
{
    rmat_config c, given = models[i];

    rmat_config_default(&c);
    c.rows_scale = given.rows_scale == 36 ? 12 : given.rows_scale; /* pointers for each row */
    c.cols_scale = given.rows_scale == 36 ? 48 : given.cols_scale;
    c.permute = given.permute;
    c.symmetrize = given.symmetrize;
    c.no_self_loops = given.no_self_loops;
    c.direction = given.direction;
    c.weights = given.weights;
    c.weight_max = 99;
    c.stream = given.stream;
    c.edges = edges;
    return c;
}

START_TEST(same_csr)
{
    const uint64_t edges = small_run() ? 20000 : 1000000;
    const rmat_config config = config_of(_i / 2, edges);
    const int sizes[] = {1, 2, 3, 7};

    rmat_exchange_set_reading(_i % 2);
    for (int n = 0; n < 4; n++) {
        for (int mixed = 0; mixed < (_i % 2 ? 1 : 2); mixed++) {
            rank_csr r = {.config = &config, .how = RMAT_EXCHANGE_ALL};

            for (int k = 0; k < sizes[n]; k++) {
                r.backends[k] = mixed && k % 2 ? RMAT_BACKEND_CPU : RMAT_BACKEND_GPU;
            }
            r.spec = (rmat_csr_spec){.edges = edges,
                                     .unique = (n + mixed) % 2,
                                     .id_bytes = config.cols_scale > 32 ? 8 : 4,
                                     .weights = config.weights != RMAT_NO_WEIGHTS};
            check_rank_csr(&r, sizes[n]);
        }
    }
}
END_TEST

/* Rank k's edges in device memory, by either way: the same. */
typedef struct {
    rmat_config config;
    rmat_csr_spec spec;
    int statuses[2];
    uint64_t edges[2];
    int same[2];
} in_device;

static void make_in_device(const rmat_ranks *ranks, void *state)
{
    in_device *d = state;
    const int k = ranks->rank;
    void *copies[2] = {NULL, NULL};
    rmat_csr csr[2];
    rmat_gen *gen;

    must(rmat_create(&gen, &d->config) == RMAT_OK, "no generator");
    for (int way = 0; way < 2 && d->statuses[k] == RMAT_OK; way++) {
        d->statuses[k] = rmat_csr_rank_device(
            gen, ranks, &d->spec, way ? RMAT_EXCHANGE_ALL : RMAT_EXCHANGE_NONE, &csr[way]);
        if (d->statuses[k] == RMAT_OK) {
            copies[way] = malloc(4 * csr[way].edges + 1);
            must(cudaMemcpy(copies[way], csr[way].indices, 4 * csr[way].edges,
                            cudaMemcpyDeviceToHost) == cudaSuccess,
                 "no copy");
            d->edges[k] = csr[way].edges;
            rmat_csr_free_device(gen, &csr[way]);
        }
    }
    d->same[k] = copies[1] != NULL && memcmp(copies[0], copies[1], 4 * d->edges[k]) == 0;
    free(copies[0]);
    free(copies[1]);
    rmat_destroy(gen);
}

START_TEST(device_csr)
{
    in_device d = {.config = config_of(1, 1 << 20),
                   .spec = {.edges = 1 << 20, .unique = 1, .id_bytes = 4}};

    rmat_exchange_set_reading(_i);
    d.config.backend = RMAT_BACKEND_GPU;
    run_ranks(2, make_in_device, &d);
    for (int k = 0; k < 2; k++) {
        must(d.statuses[k] == RMAT_OK, "%s; %s", rmat_strerror(d.statuses[k]), rmat_gpu_error());
        ck_assert_uint_gt(d.edges[k], 1 << 17);
        ck_assert(d.same[k]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rmat_gpu_exchange");
    TCase *t = tcase_create("exchange");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, same_csr, 0, 2 * MODELS);
    tcase_add_loop_test(t, device_csr, 0, 2);
    suite_add_tcase(s, t);
    return run_gpu_suite(s);
}
