/* CSR built on the GPU, left there or copied back, equals that of the CPU; so does the number of
 * edges among which a given number are distinct. */
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "tests/support/gpu_util.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int rows_scale, cols_scale, permute, symmetrize;
    uint64_t vertices;
    rmat_weights weights;
} models[] = {
    {14, 14, 0, 0, 0, RMAT_NO_WEIGHTS},
    {24, 24, 0, 0, 0, RMAT_NO_WEIGHTS}, /* with few copies */
    {14, 14, 1, 1, 10000, RMAT_WEIGHTS_UNIFORM},
    {6, 20, 1, 0, 0, RMAT_WEIGHTS_INT},
    {36, 36, 0, 1, 0, RMAT_WEIGHTS_INT}, /* wide */
};
enum { MODELS = sizeof models / sizeof models[0] };

static rmat_config config_of(int i)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = models[i].rows_scale;
    c.cols_scale = models[i].cols_scale;
    c.rows = c.cols = models[i].vertices;
    c.permute = models[i].permute;
    c.symmetrize = models[i].symmetrize;
    c.weights = models[i].weights;
    c.weight_max = 99;
    return c;
}

static void check_array(const char *what, const void *expected, const void *got, uint64_t bytes,
                        int on_gpu)
{
    void *copy = malloc(bytes + 1);

    if (on_gpu) {
        must_cuda(cudaMemcpy(copy, got, bytes, cudaMemcpyDeviceToHost));
    } else {
        memcpy(copy, got, bytes);
    }
    must(memcmp(copy, expected, bytes) == 0, "other %s, on the GPU %d", what, on_gpu);
    free(copy);
}

static void compare_rows(const rmat_gen *cpu, const rmat_gen *gpu, uint64_t first, uint64_t last,
                         const rmat_csr_spec *spec)
{
    rmat_csr expected;

    ck_assert_int_eq(rmat_csr_rows(cpu, first, last, spec, &expected), RMAT_OK);
    for (int on_gpu = 0; on_gpu < 2; on_gpu++) {
        rmat_csr csr;
        const int st =
            (on_gpu ? rmat_csr_rows_device : rmat_csr_rows)(gpu, first, last, spec, &csr);

        must(st == RMAT_OK, "on the GPU %d: %s; %s", on_gpu, rmat_strerror(st), rmat_gpu_error());
        ck_assert(csr.first_row == first && csr.rows == last - first);
        ck_assert_uint_eq(csr.edges, expected.edges);
        check_array("pointers", expected.pointers, csr.pointers,
                    (csr.rows + 1) * sizeof *csr.pointers, on_gpu);
        check_array("indices", expected.indices, csr.indices, csr.edges * (uint64_t)spec->id_bytes,
                    on_gpu);
        if (spec->weights) {
            check_array("weights", expected.weights, csr.weights, csr.edges * sizeof(float),
                        on_gpu);
        }
        if (on_gpu) {
            rmat_csr_free_device(gpu, &csr);
        } else {
            rmat_csr_free(&csr);
        }
        ck_assert_ptr_null(csr.pointers);
    }
    rmat_csr_free(&expected);
}

START_TEST(same_as_cpu)
{
    rmat_config c = config_of(_i);
    const uint64_t all = c.rows ? c.rows : UINT64_C(1) << c.rows_scale;
    const uint64_t rows = all < 1 << 14 ? all : 1 << 14;
    rmat_gen *cpu, *gpu;
    size_t before;

    ck_assert_int_eq(rmat_create(&cpu, &c), RMAT_OK);
    c.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gpu, &c), RMAT_OK);
    compare_rows(cpu, gpu, 0, 1, &(rmat_csr_spec){.edges = 10, .id_bytes = 8}); /* first of all */
    before = free_device_memory();
    for (int unique = 0; unique < 2; unique++) {
        const rmat_csr_spec spec = {.edges = small_run() ? 3000 : 300000,
                                    .unique = unique,
                                    .id_bytes = c.cols_scale > 32 || unique ? 8 : 4,
                                    .weights = c.weights != RMAT_NO_WEIGHTS};

        compare_rows(cpu, gpu, 0, rows, &spec);
        compare_rows(cpu, gpu, rows / 3, rows / 2, &spec);
        compare_rows(cpu, gpu, rows / 2, rows / 2, &spec);
    }
    check_no_leak(before);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

START_TEST(distinct)
{
    rmat_config c = config_of(_i);
    const uint64_t wanted = small_run() ? 2000 : 200000;
    uint64_t expected, edges;
    rmat_gen *cpu, *gpu;
    int st;

    ck_assert_int_eq(rmat_create(&cpu, &c), RMAT_OK);
    c.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gpu, &c), RMAT_OK);
    ck_assert_int_eq(rmat_unique_edges(cpu, wanted, 64 << 20, &expected), RMAT_OK);
    st = rmat_unique_edges(gpu, wanted, 64 << 20, &edges);
    must(st == RMAT_OK, "%s; %s", rmat_strerror(st), rmat_gpu_error());
    ck_assert_uint_eq(edges, expected);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rmat_gpu_csr");
    TCase *t = tcase_create("csr");

    tcase_set_timeout(t, 120);
    tcase_add_loop_test(t, same_as_cpu, 0, MODELS);
    tcase_add_loop_test(t, distinct, 0, MODELS);
    suite_add_tcase(s, t);
    return run_gpu_suite(s);
}
