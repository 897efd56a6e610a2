/* Without a GPU, or in a build without CUDA, every function of rmat_gpu.h exists and returns the
 * right status, and what may run anywhere runs on the CPU. */
#include "rmat/rmat_gpu.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdlib.h>

START_TEST(says_so)
{
    rmat_config config;
    rmat_gen *gen, *gpu;
    rmat_view view;
    uint64_t a[4];
    uint32_t b[4];

    ck_assert_int_eq(rmat_gpu_count(), 0);
    ck_assert_ptr_nonnull(rmat_gpu_error());
    rmat_config_default(&config);
    ck_assert_int_eq(config.device, -1);
    ck_assert_int_eq(rmat_create(&gen, &config), RMAT_OK);
    ck_assert_int_eq(rmat_used_backend(gen), RMAT_BACKEND_CPU);
    ck_assert_int_eq(rmat_used_device(gen), -1);
    gpu = gen; /* must be overwritten */
    config.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gpu, &config), RMAT_ERR_NO_BACKEND);
    ck_assert_ptr_null(gpu);
    config.device = -2;
    ck_assert_int_eq(rmat_create(&gpu, &config), RMAT_ERR_ARG);

    /* A generator of the CPU, the only one that there can be, is no argument for these. */
    ck_assert_int_ne(rmat_generate_device(gen, 0, 2, a, a + 2, NULL), RMAT_OK);
    ck_assert_int_ne(rmat_generate32_device(gen, 0, 2, b, b + 2, NULL), RMAT_OK);
    ck_assert_int_ne(rmat_generate_pairs_device(gen, 0, 2, a, NULL), RMAT_OK);
    ck_assert_int_ne(rmat_generate_pairs32_device(gen, 0, 2, b, NULL), RMAT_OK);
    ck_assert_int_ne(rmat_get_device_view(gen, &view), RMAT_OK);
    ck_assert_int_ne(rmat_fingerprint_device(a, a, 1, 8, a, NULL), RMAT_OK);
    ck_assert_int_eq(rmat_generate(gen, 0, 2, a, a + 2), RMAT_OK);
    rmat_destroy(gen);
}
END_TEST

TEST_MAIN(rmat_gpu_none)
{
    const test_case cases[] = {ONCE(says_so)};

    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* before the first call of CUDA */
    return run_cases("rmat_gpu_none", 0, cases, 1);
}
