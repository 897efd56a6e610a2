/* A GPU as the backend of a test: memory, and variants of the builders of alias tables. */
#include "tests/support/device.h"
#include "alias/core/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int small_run(void)
{
    const char *value = getenv("RMAT_TEST_SMALL");

    return value != NULL ? atoi(value) : 0;
}

void *on_device(const void *host, size_t size)
{
    void *device = NULL;

    must_cuda(cudaMalloc(&device, size));
    if (host != NULL) {
        must_cuda(cudaMemcpy(device, host, size, cudaMemcpyHostToDevice));
        must_cuda(cudaStreamSynchronize(NULL)); /* the copy may still be on its way */
    }
    return device;
}

size_t free_device_memory(void)
{
    size_t unused = 0, total;

    must_cuda(cudaDeviceSynchronize());
    must_cuda(cudaMemGetInfo(&unused, &total));
    return unused;
}

void check_no_leak(size_t before)
{
    const size_t slack = 8 << 20; /* what the driver may keep on its own account */
    size_t after = free_device_memory();

    ck_assert_msg(small_run() || before <= after + slack, "%zu bytes of GPU memory lost",
                  before - after);
}

enum { PIECES = 256, PIECE = 2 << 20 };

void check_scarce_memory(size_t room, int (*attempt)(void *), void *data, int no_memory)
{
    void *rest, *piece[PIECES];
    int pieces = 0, made = 0, refused = 0;
    size_t before;

    ck_assert_int_eq(attempt(data), 0);
    before = free_device_memory();
    rest = on_device(NULL, before - room);
    while (pieces < PIECES && cudaMalloc(&piece[pieces], PIECE) == cudaSuccess) {
        int st = attempt(data);

        ck_assert_msg(st == 0 || st == no_memory, "%d pieces taken: status %d: %s", pieces, st,
                      alias_gpu_error());
        made += st == 0;
        refused += st == no_memory;
        pieces++;
    }
    (void)cudaGetLastError();
    while (pieces-- > 0) {
        must_cuda(cudaFree(piece[pieces]));
    }
    must_cuda(cudaFree(rest));
    ck_assert_int_gt(made, 3);
    ck_assert_int_gt(refused, 3);
    ck_assert_int_eq(attempt(data), 0);
    check_no_leak(before);
}

alias_config variant_config(int variant, int row_bytes)
{
    static const struct {
        alias_builder builder;
        alias_split_method split;
        alias_pack_method pack;
    } variants[GPU_VARIANTS] = {
        {ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_BASELINE},
        {ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_SHARED},
        {ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_BASELINE},
        {ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_SHARED},
        {ALIAS_BUILDER_PSA_PLUS, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO},
        {ALIAS_BUILDER_AUTO, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO},
    };
    alias_config config = table_config(ALIAS_BACKEND_GPU, variants[variant].builder, row_bytes);

    config.split = variants[variant].split;
    config.pack = variants[variant].pack;
    return config;
}

const char *describe(const alias_config *c, uint64_t n, const char *weights)
{
    static const char *const splits[] = {"auto", "binary", "p-ary"};
    static const char *const packs[] = {"auto", "baseline", "shared"};
    static char text[200];

    snprintf(text, sizeof(text), "%s, n %lu, %s, %s split, %s pack, %lu splits, %d-byte rows",
             weights, n, alias_builder_name(c->builder), splits[c->split], packs[c->pack],
             c->splits, c->row_bytes);
    return text;
}

cpu_tables cpu_tables_create(const double *weights, uint64_t n, int row_bytes)
{
    cpu_tables t;

    t.sweep = must_create(ALIAS_BUILDER_SWEEP, row_bytes, 0, 0, weights, n);
    t.plus = must_create(ALIAS_BUILDER_PSA_PLUS, row_bytes, 0, 0, weights, n);
    return t;
}

void cpu_tables_destroy(cpu_tables tables)
{
    alias_destroy(tables.sweep);
    alias_destroy(tables.plus);
}

void check_rows(const alias_table *table, const cpu_tables *expected, const char *what)
{
    const int plus = alias_used_builder(table) == ALIAS_BUILDER_PSA_PLUS;
    const alias_table *right = plus ? expected->plus : expected->sweep;
    const size_t width = (size_t)alias_row_bytes(right), bytes = alias_size(right) * width;
    scoped(free) char *rows = to_host(table->rows, bytes);

    ck_assert_uint_eq(alias_size(table), alias_size(right));
    ck_assert_int_eq(alias_row_bytes(table), alias_row_bytes(right));
    ck_assert_int_eq(alias_log2_capacity(table), alias_log2_capacity(right));
    if (memcmp(rows, right->rows, bytes) == 0) {
        return;
    }
    for (uint64_t i = 0; i < alias_size(right); i++) {
        const alias_row a = alias_logical_row(rows + i * width, (int)width, table->k, i);
        const alias_row b =
            alias_logical_row((char *)right->rows + i * width, (int)width, right->k, i);

        must(a.threshold == b.threshold && a.alias == b.alias,
             "%s: row %lu is {%lu, %lu}, not {%lu, %lu}", what, i, a.threshold, a.alias,
             b.threshold, b.alias);
    }
    ck_abort_msg("%s: rows of other bytes, but the same meaning", what);
}

void check_build(const alias_config *config, const double *device_weights, uint64_t n,
                 const cpu_tables *expected, const char *weights)
{
    const char *what = describe(config, n, weights);
    scoped(alias_destroy) alias_table *table = NULL;
    int st = alias_create_device(&table, config, device_weights, n, NULL, NULL);

    ck_assert_msg(st == ALIAS_OK, "%s: %s: %s", what, alias_strerror(st), alias_gpu_error());
    check_rows(table, expected, what);
}

void check_variants(const double *w, uint64_t n, int row_bytes, int first, const char *weights)
{
    scoped(free_device) double *device = on_device(w, n * sizeof(*w));
    scoped(cpu_tables_destroy) cpu_tables expected = cpu_tables_create(w, n, row_bytes);

    for (int v = first; v < GPU_VARIANTS; v++) {
        const alias_config c = variant_config(v, row_bytes);

        check_build(&c, device, n, &expected, weights);
    }
}
