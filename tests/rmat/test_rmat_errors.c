/* Every wrong argument of rmat.h has its own status, every status a message, and none leaks or
 * crashes. */
#include "rmat/rmat.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static int create_with(rmat_config config)
{
    rmat_gen *gen = (rmat_gen *)&config; /* must be overwritten */
    int st = rmat_create(&gen, &config);

    if (st) {
        ck_assert_ptr_null(gen);
    }
    rmat_destroy(gen);
    return st;
}

static rmat_config defaults(void)
{
    rmat_config config;

    rmat_config_default(&config);
    return config;
}

START_TEST(scales)
{
    const int wrong[] = {0, -1, 63, 1000, -2147483647};
    rmat_config config = defaults();

    for (int i = 0; i < 5; i++) {
        config = defaults();
        config.rows_scale = wrong[i];
        ck_assert_int_eq(create_with(config), RMAT_ERR_SCALE);
        config = defaults();
        config.cols_scale = wrong[i];
        ck_assert_int_eq(create_with(config), RMAT_ERR_SCALE);
    }
    for (int scale = 1; scale <= RMAT_MAX_SCALE; scale++) {
        config.rows_scale = config.cols_scale = scale;
        ck_assert_int_eq(create_with(config), RMAT_OK);
    }
}
END_TEST

START_TEST(matrices)
{
    const rmat_matrix wrong[] = {
        {0.5, 0.5, 0.5, 0.5},   {0.57, 0.19, 0.19, 0.04},  {1.1, -0.1, 0, 0},
        {NAN, 0.5, 0.25, 0.25}, {INFINITY, 0, 0, 0},       {0, 0, 0, 0},
        {0.5, 0.5, 0, 1e-8},    {-1e-12, 0.5, 0.25, 0.25}, {0.25, 0.25, 0.25, NAN},
    };
    rmat_matrix levels[20];
    rmat_config config = defaults();

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        config = defaults();
        config.matrix = wrong[i];
        ck_assert_int_eq(create_with(config), RMAT_ERR_MATRIX);

        for (int l = 0; l < 20; l++) {
            levels[l] = defaults().matrix;
        }
        config = defaults();
        config.levels = levels;
        ck_assert_int_eq(create_with(config), RMAT_OK);
        levels[19] = wrong[i];
        ck_assert_int_eq(create_with(config), RMAT_ERR_MATRIX);
    }
}
END_TEST

START_TEST(choices)
{
    rmat_config config = defaults();
    rmat_gen *gen;

    config.backend = (rmat_backend)7;
    ck_assert_int_eq(create_with(config), RMAT_ERR_ARG);
    config = defaults();
    config.isa = (rmat_isa)9;
    ck_assert_int_eq(create_with(config), RMAT_ERR_ARG);
    config = defaults();
    config.threads = -1;
    ck_assert_int_eq(create_with(config), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_create(NULL, &config), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_create(&gen, NULL), RMAT_ERR_ARG);
    for (rmat_isa isa = RMAT_ISA_AUTO; isa <= RMAT_ISA_NEON; isa++) {
        config = defaults();
        config.isa = isa;
        ck_assert_int_eq(create_with(config), rmat_cpu_has_isa(isa) ? RMAT_OK : RMAT_ERR_NO_ISA);
    }
}
END_TEST

START_TEST(ranges)
{
    rmat_config config = defaults();
    uint64_t src[4], dst[4];
    uint32_t src32[4], dst32[4];
    rmat_gen *gen;

    ck_assert_int_eq(rmat_create(&gen, &config), RMAT_OK);
    ck_assert_int_eq(rmat_generate(gen, RMAT_MAX_EDGES, 1, src, dst), RMAT_ERR_RANGE);
    ck_assert_int_eq(rmat_generate(gen, RMAT_MAX_EDGES - 3, 4, src, dst), RMAT_ERR_RANGE);
    ck_assert_int_eq(rmat_generate(gen, UINT64_MAX, 4, src, dst), RMAT_ERR_RANGE);
    ck_assert_int_eq(rmat_generate(gen, 4, UINT64_MAX, src, dst), RMAT_ERR_RANGE);
    ck_assert_int_eq(rmat_generate(gen, RMAT_MAX_EDGES - 4, 4, src, dst), RMAT_OK);
    ck_assert_int_eq(rmat_generate(gen, 0, 0, NULL, NULL), RMAT_OK);
    ck_assert_int_eq(rmat_generate(gen, 0, 1, NULL, dst), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_generate(gen, 0, 1, src, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_generate(NULL, 0, 1, src, dst), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_generate32(gen, 0, 4, src32, dst32), RMAT_OK);
    rmat_destroy(gen);

    config.rows_scale = 33; /* one side is enough */
    ck_assert_int_eq(rmat_create(&gen, &config), RMAT_OK);
    ck_assert_int_eq(rmat_generate32(gen, 0, 4, src32, dst32), RMAT_ERR_ID_WIDTH);
    ck_assert_int_eq(rmat_generate(gen, 0, 4, src, dst), RMAT_OK);
    rmat_destroy(gen);
    rmat_destroy(NULL);
}
END_TEST

START_TEST(messages)
{
    for (int st = RMAT_ERR_GPU_SCALE; st <= RMAT_ERR_ARG; st++) {
        ck_assert_str_ne(rmat_strerror(st), rmat_strerror(12345));
        for (int other = RMAT_ERR_GPU_SCALE; other < st; other++) {
            ck_assert_str_ne(rmat_strerror(st), rmat_strerror(other));
        }
    }
    ck_assert_str_eq(rmat_strerror(RMAT_ERR_GPU_SCALE - 1), rmat_strerror(12345));
    ck_assert_str_eq(rmat_strerror(RMAT_OK), "success");
    ck_assert_str_eq(rmat_isa_name((rmat_isa)77), "unknown");
    ck_assert_str_eq(rmat_version(), RMAT_VERSION);
}
END_TEST

TEST_CASES(rmat_errors, 0, ONCE(scales), ONCE(matrices), ONCE(choices), ONCE(ranges),
           ONCE(messages))
