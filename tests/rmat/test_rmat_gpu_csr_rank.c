/* The rows that rmat_csr_rank() gives to each rank, on a GPU: together they are the whole graph, in
 * host memory and in the GPU's, and they are cut as on a CPU. */
#include "rmat/rmat_gpu.h"
#include "tests/support/gpu_util.h"
#include "tests/support/rank_csr.h"

#include <stdlib.h>
#include <string.h>

static const rmat_config models[] = {
    {.rows_scale = 16, .cols_scale = 16},
    {.rows_scale = 16, .cols_scale = 16, .permute = 1, .symmetrize = 1, .no_self_loops = 1},
    {.rows_scale = 14, .cols_scale = 14, .direction = RMAT_LOWER, .weights = RMAT_WEIGHTS_INT},
    {.rows_scale = 12, .cols_scale = 48, .permute = 1}, /* keys of 64 bits */
    {.rows_scale = 14, .cols_scale = 56},               /* of 128 */
    {.rows_scale = 14, .cols_scale = 14, .stream = RMAT_STREAM_GRAPH500},
    {.rows_scale = 14, .cols_scale = 14, .stream = RMAT_STREAM_GAPBS, .no_self_loops = 1},
    {.rows_scale = 14, .cols_scale = 14, .stream = RMAT_STREAM_ROWS, .permute = 1},
    {.rows_scale = 14, .cols_scale = 14, .stream = RMAT_STREAM_ROWS},
};
enum { MODELS = sizeof models / sizeof models[0], MOST_RANKS = 7 };

static void *copy_back(const void *device, uint64_t bytes)
{
    void *copy = malloc(bytes + 1);

    must(copy != NULL, "memory is exhausted");
    must_cuda(cudaMemcpy(copy, device, bytes, cudaMemcpyDeviceToHost));
    return copy;
}

/* Likewise check_ranks(), of rows in the GPU's memory. */
static void check_device_ranks(const rmat_gen *gen, int ranks, const rmat_csr_spec *spec,
                               const rmat_csr *all)
{
    uint64_t row = 0, edge = 0;

    for (int k = 0; k < ranks; k++) {
        rmat_csr part, copy;
        const int status = rmat_csr_rank_device(gen, k, ranks, spec, &part);

        must(status == RMAT_OK, "rank %d: %s; %s", k, rmat_strerror(status), rmat_gpu_error());
        copy = part;
        copy.pointers = copy_back(part.pointers, (part.rows + 1) * sizeof *part.pointers);
        copy.indices = copy_back(part.indices, part.edges * (uint64_t)spec->id_bytes);
        copy.weights = spec->weights ? copy_back(part.weights, part.edges * 4) : NULL;
        check_rank_rows(all, &copy, spec, &row, &edge);
        rmat_csr_free(&copy);
        rmat_csr_free_device(gen, &part);
    }
    must(row == all->rows && edge == all->edges, "rows are missing");
}

START_TEST(same_csr)
{
    const uint64_t edges = small_run() ? 20000 : 1000000;
    const int sizes[] = {1, 2, 3, MOST_RANKS};
    rmat_config config = rank_config(models[_i], edges);
    rmat_gen *cpu, *gpu;

    ck_assert_int_eq(rmat_create(&cpu, &config), RMAT_OK);
    config.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gpu, &config), RMAT_OK);
    for (int unique = 0; unique < 2; unique++) {
        const rmat_csr_spec spec = {.edges = edges,
                                    .unique = unique,
                                    .id_bytes = config.cols_scale > 32 || unique ? 8 : 4,
                                    .weights = config.weights != RMAT_NO_WEIGHTS};
        rmat_csr all;

        ck_assert_int_eq(rmat_csr_rows(cpu, 0, (uint64_t)1 << config.rows_scale, &spec, &all),
                         RMAT_OK);
        for (int n = small_run() ? 2 : 0; n < (small_run() ? 3 : 4); n++) {
            uint64_t by_cpu[MOST_RANKS + 1], by_gpu[MOST_RANKS + 1];

            check_ranks(cpu, sizes[n], &spec, &all, by_cpu);
            check_ranks(gpu, sizes[n], &spec, &all, by_gpu);
            ck_assert_mem_eq(by_cpu, by_gpu, ((size_t)sizes[n] + 1) * sizeof *by_cpu);
            check_device_ranks(gpu, sizes[n], &spec, &all);
        }
        rmat_csr_free(&all);
    }
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

START_TEST(refusals)
{
    const rmat_csr_spec spec = {.edges = 1000, .id_bytes = 4};
    rmat_config config = rank_config(models[0], 1000);
    rmat_csr csr;
    rmat_gen *gpu;

    config.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gpu, &config), RMAT_OK);
    ck_assert_int_eq(rmat_csr_rank_device(gpu, -1, 2, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank_device(gpu, 2, 2, &spec, &csr), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_csr_rank_device(gpu, 0, 0, &spec, &csr), RMAT_ERR_ARG);
    rmat_destroy(gpu);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rmat_gpu_csr_rank");
    TCase *t = tcase_create("ranks");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, same_csr, 0, small_run() > 1 ? 2 : MODELS);
    tcase_add_test(t, refusals);
    suite_add_tcase(s, t);
    return run_gpu_suite(s);
}
