/*
 * Every wrong argument of rmat.h and of rmat_gpu.h has its own status, every status has a message,
 * and none leaks or crashes.  On a CPU the functions of rmat_gpu.h report that there is no GPU; the
 * test also runs on a GPU.
 */
#include "rmat/rmat_gpu.h"
#include "tests/support/models.h"
#include "tests/support/run_suite.h"

#include <limits.h>

static int create_with(rmat_config config)
{
    rmat_gen *gen = (rmat_gen *)&config; /* must be overwritten */
    const int st = rmat_create(&gen, &config);

    ck_assert((st == RMAT_OK) == (gen != NULL));
    rmat_destroy(gen);
    return st;
}

static rmat_config defaults(void)
{
    rmat_config config;

    rmat_config_default(&config);
    config.backend = TESTED;
    return config;
}

/* The defaults with another scale of one side. */
static int create_scaled(bool rows, int scale)
{
    rmat_config config = defaults();

    *(rows ? &config.rows_scale : &config.cols_scale) = scale;
    return create_with(config);
}

START_TEST(scales)
{
    const int wrong[] = {0, -1, 63, 1000, -2147483647};

    for (int i = 0; i < 10; i++) {
        gives(RMAT_ERR_SCALE, create_scaled(i % 2, wrong[i / 2]));
    }
    for (int scale = 1; scale <= RMAT_MAX_SCALE; scale++) {
        rmat_config config = square_model(scale);

        config.backend = TESTED;
        ok(create_with(config));
    }
}

START_TEST(matrices)
{
    const rmat_matrix wrong[] = {
        {0.5, 0.5, 0.5, 0.5},   {0.57, 0.19, 0.19, 0.04},  {1.1, -0.1, 0, 0},
        {NAN, 0.5, 0.25, 0.25}, {INFINITY, 0, 0, 0},       {0, 0, 0, 0},
        {0.5, 0.5, 0, 1e-8},    {-1e-12, 0.5, 0.25, 0.25}, {0.25, 0.25, 0.25, NAN},
    };
    rmat_matrix levels[20];

    for (int i = 0; i < COUNT(wrong); i++) {
        rmat_config config = defaults();

        config.matrix = wrong[i];
        gives(RMAT_ERR_MATRIX, create_with(config));
        for (int l = 0; l < 20; l++) {
            levels[l] = defaults().matrix;
        }
        config = defaults();
        config.levels = levels;
        ok(create_with(config));
        levels[19] = wrong[i];
        gives(RMAT_ERR_MATRIX, create_with(config));
    }
}

START_TEST(choices)
{
    const rmat_config usual = defaults();
    rmat_config c[] = {usual, usual, usual, usual};
    rmat_gen *gen;

    c[0].backend = (rmat_backend)7;
    c[1].isa = (rmat_isa)9;
    c[2].threads = -1;
    c[3].device = -2;
    c[3].backend = RMAT_BACKEND_GPU;
    for (int i = 0; i < 4; i++) {
        gives(RMAT_ERR_ARG, create_with(c[i]));
    }
    gives(RMAT_ERR_ARG, rmat_create(NULL, &usual));
    gives(RMAT_ERR_ARG, rmat_create(&gen, NULL));
    for (rmat_isa isa = RMAT_ISA_AUTO; isa <= RMAT_ISA_NEON && !ON_GPU; isa++) {
        c[0] = usual;
        c[0].isa = isa;
        gives(rmat_cpu_has_isa(isa) ? RMAT_OK : RMAT_ERR_NO_ISA, create_with(c[0]));
    }
}

/* The default is the CPU, and no GPU is of concern to it. */
START_TEST(cpu)
{
    rmat_config config = defaults();

    ck_assert_int_eq(config.device, -1);
    config.device = 12345;
    for (int automatic = 0; automatic < 2; automatic++) {
        scoped(rmat_destroy) rmat_gen *gen =
            create_on(automatic ? RMAT_BACKEND_AUTO : RMAT_BACKEND_CPU, config);

        ck_assert_int_eq(rmat_used_backend(gen), RMAT_BACKEND_CPU);
        ck_assert_int_eq(rmat_used_device(gen), -1);
    }
}

/* Of the functions that fill memory of the host. */
START_TEST(ranges)
{
    rmat_config config = defaults();
    uint64_t src[4], dst[4];
    uint32_t src32[4], dst32[4];
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&config), *wide = NULL;

    gives(RMAT_ERR_RANGE, rmat_generate(gen, RMAT_MAX_EDGES, 1, src, dst));
    gives(RMAT_ERR_RANGE, rmat_generate(gen, RMAT_MAX_EDGES - 3, 4, src, dst));
    gives(RMAT_ERR_RANGE, rmat_generate(gen, UINT64_MAX, 4, src, dst));
    gives(RMAT_ERR_RANGE, rmat_generate(gen, 4, UINT64_MAX, src, dst));
    ok(rmat_generate(gen, RMAT_MAX_EDGES - 4, 4, src, dst));
    ok(rmat_generate(gen, 0, 0, NULL, NULL));
    gives(RMAT_ERR_ARG, rmat_generate(gen, 0, 1, NULL, dst));
    gives(RMAT_ERR_ARG, rmat_generate(gen, 0, 1, src, NULL));
    gives(RMAT_ERR_ARG, rmat_generate(NULL, 0, 1, src, dst));
    ok(rmat_generate_arrays(gen, 0, 4, &(rmat_arrays){src32, dst32, NULL, 4}));

    config.rows_scale = 33; /* one side is enough */
    wide = create_gen(&config);
    gives(RMAT_ERR_ID_WIDTH,
          rmat_generate_arrays(wide, 0, 4, &(rmat_arrays){src32, dst32, NULL, 4}));
    ok(rmat_generate(wide, 0, 4, src, dst));
    rmat_destroy(NULL);
}

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

static int to_device(const rmat_gen *gen, uint64_t first, uint64_t count, void *src, void *dst,
                     int id_bytes)
{
    return rmat_generate_arrays_device(gen, first, count, &(rmat_arrays){src, dst, NULL, id_bytes},
                                       NULL);
}

/* A generator of the CPU is no argument for a function that fills memory of a GPU. */
static void refuse_cpu(uint64_t *ids)
{
    rmat_config config = square_model(20);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&config), *weighted = NULL;
    rmat_view view;

    config.weights = RMAT_WEIGHTS_UNIFORM;
    weighted = create_gen(&config);
    const int statuses[] = {
        to_device(gen, 0, 2, ids, ids + 2, 8), to_device(gen, 0, 2, ids, ids + 1, 4),
        rmat_generate_arrays_device(weighted, 0, 2, &(rmat_arrays){ids, ids + 4, ids + 8, 8}, NULL),
        rmat_get_device_view(gen, &view)};

    for (int i = 0; i < COUNT(statuses); i++) {
        ck_assert(ON_GPU ? statuses[i] == RMAT_ERR_ARG : statuses[i] != RMAT_OK);
    }
}

#ifndef TEST_ON_GPU

/* Without a visible GPU, or in a build without CUDA. */
START_TEST(no_gpu)
{
    uint64_t ids[16];
    rmat_config config = defaults();

    ck_assert_int_eq(rmat_gpu_count(), 0);
    ck_assert_ptr_nonnull(rmat_gpu_error());
    config.backend = RMAT_BACKEND_GPU;
    gives(RMAT_ERR_NO_BACKEND, create_with(config));
    refuse_cpu(ids);
    ck_assert_int_ne(rmat_fingerprint_device(ids, ids, 1, 8, ids, NULL), RMAT_OK);
}

TEST_CASES_BETWEEN(rmat_errors, 0, hide_gpus, NULL, ONCE(scales), ONCE(matrices), ONCE(choices),
                   ONCE(cpu), ONCE(ranges), ONCE(messages), ONCE(no_gpu))

#else

START_TEST(devices)
{
    const int count = rmat_gpu_count(), missing[] = {count, count + 1000, INT_MAX};
    rmat_config config = defaults();
    int now;

    for (int i = 0; i < 3; i++) {
        config.device = missing[i];
        gives(RMAT_ERR_DEVICE, create_with(config));
    }
    must_cuda(cudaSetDevice(count - 1));
    for (config.device = -1; config.device < count; config.device++) {
        scoped(rmat_destroy) rmat_gen *gen = create_gen(&config);

        ck_assert_int_eq(rmat_used_backend(gen), RMAT_BACKEND_GPU);
        ck_assert_int_eq(rmat_used_device(gen), config.device < 0 ? count - 1 : config.device);
        must_cuda(cudaGetDevice(&now));
        ck_assert_int_eq(now, count - 1);
    }
    must_cuda(cudaGetDevice(&now)); /* nor does the end of a generator change it */
    ck_assert_int_eq(now, count - 1);
    must_cuda(cudaSetDevice(0));
}

/* Of the functions that fill memory of a GPU. */
START_TEST(device_arrays)
{
    scoped(free_device) uint64_t *ids = on_device(NULL, 256);
    char *bytes = (char *)ids;
    rmat_arrays to = {ids, ids + 4, ids + 8, 8};
    rmat_config config = defaults();
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&config), *weighted = NULL, *wide = NULL;
    rmat_view view;

    config.weights = RMAT_WEIGHTS_UNIFORM;
    weighted = create_gen(&config);
    config.weights = RMAT_NO_WEIGHTS;
    config.cols_scale = 33;
    wide = create_gen(&config);
    refuse_cpu(ids);
    gives(RMAT_ERR_ARG, rmat_get_device_view(gen, NULL));
    gives(RMAT_ERR_ARG, rmat_get_device_view(NULL, &view));
    ok(rmat_get_device_view(gen, &view));
    ck_assert_int_eq(view.groups, 4);
    gives(RMAT_ERR_ARG, to_device(NULL, 0, 2, ids, ids + 2, 8));
    gives(RMAT_ERR_ARG, to_device(gen, 0, 2, NULL, ids, 8));
    gives(RMAT_ERR_ARG, to_device(gen, 0, 2, ids, NULL, 8));
    gives(RMAT_ERR_ARG, to_device(gen, 0, 1, bytes + 4, ids, 8));
    gives(RMAT_ERR_ARG, to_device(gen, 0, 1, ids, bytes + 2, 4));
    gives(RMAT_ERR_RANGE, to_device(gen, RMAT_MAX_EDGES, 1, ids, ids, 8));
    gives(RMAT_ERR_RANGE, to_device(gen, 5, UINT64_MAX, ids, ids, 8));
    gives(RMAT_ERR_ID_WIDTH, to_device(wide, 0, 2, ids, ids + 1, 4));
    ok(to_device(wide, 0, 2, ids, ids + 2, 8));
    gives(RMAT_ERR_WEIGHTS, rmat_generate_arrays_device(gen, 0, 2, &to, NULL));
    gives(RMAT_ERR_ARG, rmat_generate_arrays_device(weighted, 0, 2, NULL, NULL));
    gives(RMAT_ERR_ARG, rmat_generate_arrays_device(NULL, 0, 2, &to, NULL));
    to.weight = (char *)to.weight + 2;
    gives(RMAT_ERR_ARG, rmat_generate_arrays_device(weighted, 0, 2, &to, NULL));
    to.weight = NULL;
    ok(rmat_generate_arrays_device(weighted, 0, 2, &to, NULL));
    to.id_bytes = 5;
    gives(RMAT_ERR_ARG, rmat_generate_arrays_device(weighted, 0, 2, &to, NULL));
    must_cuda(cudaDeviceSynchronize());
}

TEST_CASES(rmat_errors, 0, ONCE(scales), ONCE(matrices), ONCE(choices), ONCE(cpu), ONCE(ranges),
           ONCE(messages), ONCE(devices), ONCE(device_arrays))

#endif
