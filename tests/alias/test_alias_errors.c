/*
 * Refusals of a backend: unusable weights, each with its index, and wrong arguments, devices and
 * sizes; and failures with less and less memory.  Each has a status, and the library works as
 * before afterwards.  On a CPU, also the errors of a machine without a GPU.
 */
#include "alias/alias_gpu.h"
#include "tests/support/device.h"
#include "tests/support/run_suite.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { UNTOUCHED = 12345678 };

static const double w3[3] = {1, 2, 3};

static alias_config automatic(int row_bytes)
{
    return table_config(ALIAS_TESTED, ALIAS_BUILDER_AUTO, row_bytes);
}

static int device_status(const alias_config *config, const double *device, uint64_t n,
                         uint64_t *bad)
{
    scoped(alias_destroy) alias_table *made = SOME_TABLE;

    return status_of(alias_create_device(&made, config, device, n, NULL, bad), &made);
}

static int prepare_status(const alias_config *config, uint64_t n)
{
    scoped(alias_destroy) alias_table *made = SOME_TABLE;

    return status_of(alias_prepare(&made, config, n), &made);
}

/* No function makes such a table, nor reads the weights. */
static void refuse(int status, const alias_config *config, const double *w, uint64_t n)
{
    gives(status, create_status(config, w, n, NULL));
    if (ON_GPU) {
        gives(status, device_status(config, w, n, NULL));
        gives(status, prepare_status(config, n));
    }
}

/* --- Weights --- */

/* A table that is to be built, again and again, from weights w. */
typedef struct {
    alias_config config;
    uint64_t n;
    double *w, *device;
    void *scratch;
    alias_table *table;
} attempt;

enum { CREATE, QUANTIZE, CREATE_DEVICE, BUILD, WAYS };

static int build(const attempt *a, int way, uint64_t *bad)
{
    if (way == QUANTIZE) {
        scoped(free) uint64_t *q = must_alloc(a->n, sizeof(*q));

        return alias_quantize(a->w, a->n, 10, q, bad);
    }
    if (way == CREATE) {
        return create_status(&a->config, a->w, a->n, bad);
    }
    copy_to_device(a->device, a->w, a->n * sizeof(*a->w));
    if (way == CREATE_DEVICE) {
        return device_status(&a->config, a->device, a->n, bad);
    }
    ok(alias_build_async(a->table, a->device, a->scratch, NULL));
    return alias_build_wait(a->table, bad);
}

/* By every way of the backend; place: what becomes of the index. */
static void expect(const attempt *a, int status, uint64_t place)
{
    for (int way = 0; way < (ON_GPU ? WAYS : CREATE_DEVICE); way++) {
        uint64_t bad = UNTOUCHED;

        gives(status, build(a, way, &bad));
        ck_assert_uint_eq(bad, place);
        gives(status, build(a, way, NULL));
    }
}

/* The same table and scratch memory have served a correct build after all the others. */
static void check_last_build(const attempt *a)
{
#ifdef TEST_ON_GPU
    scoped(cpu_tables_destroy) cpu_tables expected =
        cpu_tables_create(a->w, a->n, a->config.row_bytes);

    check_rows(a->table, &expected, "after failures");
#else
    (void)a;
#endif
}

/* Every kind of unusable weight at every kind of place, with more of them behind it. */
START_TEST(unusable_weights)
{
    static const struct {
        double value;
        int status;
    } cases[] = {{NAN, ALIAS_ERR_NAN},           {-NAN, ALIAS_ERR_NAN},
                 {INFINITY, ALIAS_ERR_INFINITE}, {-INFINITY, ALIAS_ERR_INFINITE},
                 {-1, ALIAS_ERR_NEGATIVE},       {-4.9e-324, ALIAS_ERR_NEGATIVE},
                 {-1.7e308, ALIAS_ERR_NEGATIVE}};
    static const uint64_t sizes[] = {4097, 1, 31, 32, 33, 4096, 100000};

    for (int s = 0; s < (small_run() ? 1 : COUNT(sizes)); s++) {
        const uint64_t n = sizes[s], places[] = {0, n / 3, n / 2, n - 1};
        scoped(free) double *w = must_alloc(n, sizeof(*w));
        scoped(free_device) double *device = on_device(NULL, n * sizeof(*w));
        scoped(free_device) void *scratch = NULL;
        scoped(alias_destroy) alias_table *table = NULL;
        attempt a = {table_config(ALIAS_TESTED, (alias_builder)_i, 8), n, w, device, NULL, NULL};

        if (ON_GPU) {
            ok(alias_prepare(&table, &a.config, n));
            scratch = on_device(NULL, alias_build_bytes(table));
            a.table = table;
            a.scratch = scratch;
        }
        for (int k = 0; k < COUNT(cases); k += 1 + 2 * small_run()) {
            for (int p = 0; p < 4; p += small_run() ? 2 : 1) {
                for (uint64_t i = 0; i < n; i++) {
                    w[i] = 1;
                }
                w[n - 1] = NAN;
                w[(places[p] + n) / 2] = -1;
                w[places[p]] = cases[k].value;
                expect(&a, cases[k].status, places[p]);
            }
        }
        for (uint64_t i = 0; i < n; i++) {
            w[i] = i % 2 != 0 ? -0.0 : 0.0;
        }
        expect(&a, ALIAS_ERR_ZERO_SUM, UNTOUCHED);
        w[n / 2] = 7;
        expect(&a, ALIAS_OK, UNTOUCHED);
        check_last_build(&a);
    }
}

/* --- Arguments --- */

START_TEST(configurations)
{
    static const alias_config wrong[] = {{.backend = (alias_backend)3},
                                         {.builder = (alias_builder)6},
                                         {.row_bytes = 4},
                                         {.threads = -1},
                                         {.device = -2},
                                         {.device = INT_MIN},
                                         {.split = (alias_split_method)3},
                                         {.pack = (alias_pack_method)3},
                                         {.split = (alias_split_method)-1}};
    alias_config c = {.backend = ALIAS_TESTED};

    ok(create_status(&c, w3, 3, NULL)); /* zeros elsewhere are right */
    c = automatic(8);
    gives(ALIAS_ERR_ARG, alias_create(NULL, &c, w3, 3, NULL));
    gives(ALIAS_ERR_ARG, create_status(&c, NULL, 3, NULL));
    refuse(ALIAS_ERR_EMPTY, &c, w3, 0);
    alias_config_default(NULL);

    /* Too many for the row width, which is found before any weight is read. */
    refuse(ALIAS_ERR_TOO_MANY, &c, w3, ((uint64_t)1 << 31) + 1);
    c.row_bytes = 16;
    refuse(ALIAS_ERR_TOO_MANY, &c, w3, ((uint64_t)1 << 40) + 1);
    c.row_bytes = 0;
    refuse(ALIAS_ERR_TOO_MANY, &c, w3, UINT64_MAX);

    for (int i = 0; i < COUNT(wrong); i++) {
        c = wrong[i];
        c.backend = c.backend ? c.backend : ALIAS_TESTED;
        refuse(ALIAS_ERR_ARG, &c, w3, 3);
    }
}

START_TEST(quantizing)
{
    uint64_t q[3];

    gives(ALIAS_ERR_ARG, alias_quantize(NULL, 3, 3, q, NULL));
    gives(ALIAS_ERR_ARG, alias_quantize(w3, 3, 3, NULL, NULL));
    gives(ALIAS_ERR_EMPTY, alias_quantize(w3, 0, 3, q, NULL));
    gives(ALIAS_ERR_ARG, alias_quantize(w3, 3, -1, q, NULL));
    gives(ALIAS_ERR_ARG, alias_quantize(w3, 3, 62, q, NULL));
    gives(ALIAS_ERR_ARG, alias_quantize(w3, 3, 64, q, NULL));
    ok(alias_quantize(w3, 3, 61, q, NULL));
    ok(alias_quantize((double[]){-0.0, 3}, 2, 3, q, NULL));
    ck_assert(q[0] == 0 && q[1] == 16);
}

START_TEST(rows_and_draws)
{
    const alias_config c = automatic(0);
    scoped(alias_destroy) alias_table *table = NULL;
    alias_row row;
    uint32_t out;

    ok(alias_create(&table, &c, w3, 3, NULL));
    gives(ALIAS_ERR_ARG, alias_get_row(NULL, 0, &row));
    gives(ALIAS_ERR_ARG, alias_get_row(table, 0, NULL));
    gives(ALIAS_ERR_RANGE, alias_get_row(table, 3, &row));
    gives(ALIAS_ERR_ARG, alias_sample32(NULL, 1, 0, 1, &out));
    gives(ALIAS_ERR_ARG, alias_sample32(table, 1, 0, 1, NULL));
    gives(ALIAS_ERR_ARG, alias_sample64(table, 1, 0, 1, NULL));
    ok(alias_sample64(table, 1, 7, 0, NULL));
    ok(alias_sample32(table, 1, UINT64_MAX, 1, &out));
    gives(ALIAS_ERR_RANGE, alias_sample32(table, 1, UINT64_MAX, 2, &out));
}

#ifdef TEST_ON_GPU

START_TEST(gpu_functions)
{
    scoped(free_device) double *device = on_device(w3, sizeof(w3));
    alias_config c = automatic(0), on_host[2] = {c, c};
    scoped(alias_destroy) alias_table *host = must_create(ALIAS_BUILDER_AUTO, 8, 0, 0, w3, 3),
                                      *table = NULL;
    alias_table *copy = host;
    alias_view view;

    gives(ALIAS_ERR_ARG, alias_create_masses(&copy, &c, NULL, 3));
    gives(ALIAS_ERR_ARG, alias_create_device(NULL, &c, device, 3, NULL, NULL));
    gives(ALIAS_ERR_ARG, device_status(&c, NULL, 3, NULL));
    gives(ALIAS_ERR_ARG, alias_prepare(NULL, &c, 3));
    gives(ALIAS_ERR_ARG, alias_build_wait(NULL, NULL));
    ck_assert_uint_eq(alias_build_bytes(NULL), 0);
    on_host[0].backend = ALIAS_BACKEND_CPU;
    on_host[1].builder = ALIAS_BUILDER_SWEEP;
    for (int i = 0; i < 2; i++) {
        gives(ALIAS_ERR_ARG, device_status(&on_host[i], device, 3, NULL));
        gives(ALIAS_ERR_ARG, prepare_status(&on_host[i], 3));
    }

    ok(alias_create(&table, &c, w3, 3, NULL));
    ck_assert_ptr_null(alias_row_array(table));
    gives(ALIAS_ERR_ARG, alias_build_async(NULL, device, device, NULL));
    gives(ALIAS_ERR_ARG, alias_build_async(table, NULL, device, NULL));
    gives(ALIAS_ERR_ARG, alias_build_async(table, device, NULL, NULL));
    gives(ALIAS_ERR_ARG, alias_build_async(host, device, device, NULL));
    gives(ALIAS_ERR_ARG, alias_build_wait(host, NULL));
    ck_assert_uint_eq(alias_build_bytes(host), 0);
    gives(ALIAS_ERR_ARG, alias_get_view(NULL, &view));
    gives(ALIAS_ERR_ARG, alias_get_view(table, NULL));
    gives(ALIAS_ERR_ARG, alias_get_view(host, &view));
}

START_TEST(no_such_device)
{
    const int ids[] = {alias_gpu_count(), alias_gpu_count() + 1000, INT_MAX};
    scoped(free_device) double *device = on_device(w3, sizeof(w3));
    alias_config c = automatic(8);

    for (int i = 0; i < 3; i++) {
        c.device = ids[i];
        gives(ALIAS_ERR_DEVICE, create_status(&c, w3, 3, NULL));
        gives(ALIAS_ERR_DEVICE, device_status(&c, device, 3, NULL));
        gives(ALIAS_ERR_DEVICE, prepare_status(&c, 3));
    }
    c.device = 0;
    ok(create_status(&c, w3, 3, NULL));
}

/* More memory than any GPU has.  The weights must not be read. */
START_TEST(huge)
{
    const uint64_t n = (uint64_t)1 << 36;
    const size_t before = free_device_memory();
    alias_config c = automatic(16);
    void *w = mmap(NULL, n * sizeof(double), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);

    ck_assert(w != MAP_FAILED);
    gives(ALIAS_ERR_NOMEM, create_status(&c, w, n, NULL));
    ck_assert_msg(strstr(alias_gpu_error(), "emory") != NULL, "'%s'", alias_gpu_error());
    refuse(ALIAS_ERR_NOMEM, &c, w, n);
    gives(ALIAS_ERR_NOMEM, prepare_status(&c, (uint64_t)1 << 40));
    check_no_leak(before);
    munmap(w, n * sizeof(double));
}

TEST_CASES(alias_errors, 0,
           LOOP(unusable_weights, ALIAS_BUILDER_PSA,
                (small_run() > 1 ? ALIAS_BUILDER_PSA : ALIAS_BUILDER_PSA_PLUS) + 1),
           ONCE(configurations), ONCE(quantizing), ONCE(rows_and_draws), ONCE(gpu_functions),
           ONCE(no_such_device), ONCE(huge))

#else

/* Without a visible GPU, or without CUDA in the build: every function of alias_gpu.h exists and
 * says so, and a CPU table, the only kind here, is no valid argument. */
START_TEST(no_gpu)
{
    const alias_config c = table_config(ALIAS_BACKEND_GPU, ALIAS_BUILDER_AUTO, 8);
    scoped(alias_destroy) alias_table *host = must_create(ALIAS_BUILDER_AUTO, 8, 1, 0, w3, 3),
                                      *out = NULL;
    uint32_t expected[100], draws[100];
    alias_view view;

    ck_assert_int_eq(alias_gpu_count(), 0);
    ck_assert_ptr_nonnull(alias_gpu_error());
    gives(ALIAS_ERR_NO_BACKEND, create_status(&c, w3, 3, NULL));
    gives(ALIAS_ERR_NO_BACKEND, device_status(&c, w3, 3, NULL));
    gives(ALIAS_ERR_NO_BACKEND, prepare_status(&c, 3));
    ck_assert_uint_eq(alias_build_bytes(host), 0);
    ck_assert_int_ne(alias_build_async(host, w3, draws, NULL), ALIAS_OK);
    ck_assert_int_ne(alias_build_wait(host, NULL), ALIAS_OK);
    ck_assert_int_ne(alias_get_view(host, &view), ALIAS_OK);

    /* what leaves the choice runs on the CPU */
    ok(alias_create(&out, NULL, w3, 3, NULL));
    ok(alias_sample32(out, 5, 7, 100, draws));
    ok(alias_sample32(host, 5, 7, 100, expected));
    ck_assert_mem_eq(draws, expected, sizeof(draws));
}

START_TEST(words)
{
    const char *unknown = alias_strerror(1);

    for (int st = 0; st >= ALIAS_ERR_CUDA; st--) {
        ck_assert_str_ne(alias_strerror(st), unknown);
        ck_assert(st == 0 || strcmp(alias_strerror(st), alias_strerror(st + 1)) != 0);
    }
    ck_assert_str_eq(alias_strerror(-99), unknown);
    ck_assert_str_eq(alias_builder_name(ALIAS_BUILDER_PSA_PLUS), "psa+");
    ck_assert_str_eq(alias_builder_name((alias_builder)99), "unknown");
}

/* --- Memory --- */

/* Lets an allocation fail under AddressSanitizer as it would without it. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void limit_address_space(uint64_t extra)
{
    struct rlimit limit;
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
    limit.rlim_cur = (rlim_t)pages * 4096 + extra;
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Sizes that overflow or that exceed the memory of any machine; the weights must not be read. */
START_TEST(huge)
{
    alias_config c = automatic(0);

    limit_address_space((uint64_t)1 << 28);
    c.threads = 1;
    gives(ALIAS_ERR_NOMEM, create_status(&c, w3, (uint64_t)1 << 40, NULL));
    gives(ALIAS_ERR_NOMEM, create_status(&c, w3, (uint64_t)1 << 31, NULL));
    c.row_bytes = 16;
    gives(ALIAS_ERR_NOMEM, create_status(&c, w3, (uint64_t)1 << 39, NULL));
}

/* With less and less memory: a table or a clean refusal, whichever allocation fails. */
START_TEST(every_allocation)
{
    const uint64_t n = 300000;
    scoped(free) double *w = family_weights(4, n);
    alias_config c = table_config(ALIAS_TESTED, (alias_builder)_i, 0);
    int refused = 0, made = 0;

    c.threads = 1;
    ok(create_status(&c, w, n, NULL));
    for (uint64_t kib = 0; kib < 40000; kib += 500) {
        int st;

        limit_address_space(kib << 10);
        st = create_status(&c, w, n, NULL);
        ck_assert(st == ALIAS_OK || st == ALIAS_ERR_NOMEM);
        refused += st != ALIAS_OK;
        made += st == ALIAS_OK;
    }
    ck_assert_int_gt(refused, 3);
    ck_assert_int_gt(made, 3);
}

/* unusable_weights by ALIAS_BUILDER_AUTO; a sanitizer needs address space of its own */
TEST_CASES_BETWEEN(alias_errors, 120, hide_gpus, NULL, ONCE(unusable_weights), ONCE(configurations),
                   ONCE(quantizing), ONCE(rows_and_draws), ONCE(no_gpu), ONCE(words), ONCE(huge),
                   LOOP(every_allocation, 0, SANITIZED ? 0 : ALIAS_BUILDER_PSA_PLUS + 1))

#endif
