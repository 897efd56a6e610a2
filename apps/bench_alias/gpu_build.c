/*
 * Construction (the papers' Table 2 and Figure 3; the thesis' 5.2.3, 5.2.4, 5.2.7 and Table 4.1):
 * every builder over weights and sizes, with weights and table in device memory; and what the
 * number of splits does to PSA, the one parameter that can be chosen at run time.
 *
 * Every table is checked.  Builders whose table is the sweep's: a hash over all rows equals that of
 * the merge builder's table, and this one, up to a million rows, is compared with the CPU's row by
 * row.  PSA+: a hash over all masses equals that of the merge builder's table.
 */
#include "apps/bench_alias/gpu.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    alias_builder builder;
    alias_split_method split;
    alias_pack_method pack;
    alias_layout layout;
} variant;

static const variant variants[] = {
    {"merge", ALIAS_BUILDER_MERGE, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO, ALIAS_ROWS_AOS},
    {"psa-binary-baseline", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_BASELINE,
     ALIAS_ROWS_AOS},
    {"psa-pary-baseline", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_BASELINE, ALIAS_ROWS_AOS},
    {"psa-binary-shared", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_SHARED, ALIAS_ROWS_AOS},
    {"psa-pary-shared", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_SHARED, ALIAS_ROWS_AOS},
    {"psa-binary-chunked", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_CHUNKED,
     ALIAS_ROWS_AOS},
    {"psa-pary-chunked", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_CHUNKED, ALIAS_ROWS_AOS},
    {"psa+", ALIAS_BUILDER_PSA_PLUS, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO, ALIAS_ROWS_AOS},
    {"auto", ALIAS_BUILDER_AUTO, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO, ALIAS_ROWS_AOS},
    {"merge-soa", ALIAS_BUILDER_MERGE, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO, ALIAS_ROWS_SOA},
    {"psa-soa", ALIAS_BUILDER_PSA, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO, ALIAS_ROWS_SOA},
    {"psa+-soa", ALIAS_BUILDER_PSA_PLUS, ALIAS_SPLIT_AUTO, ALIAS_PACK_AUTO, ALIAS_ROWS_SOA},
};
enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

/* Rows up to which a build fits into the L2 cache of today's GPUs: timed with a cold one too. */
#define CACHED 10000000
/* And up to which tables are compared with the CPU's. */
#define COMPARED 1000000

/* Hashes of the merge builder's table for the weights in hand. */
typedef struct {
    gpu_family family;
    uint64_t n;
    uint64_t rows, masses;
} reference;

static alias_config config_of(const gpu_bench *b, const variant *v, uint64_t splits)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_GPU;
    config.device = b->o->device;
    config.row_bytes = b->o->row_bytes;
    config.builder = v->builder;
    config.split = v->split;
    config.pack = v->pack;
    config.layout = v->layout;
    config.splits = splits;
    return config;
}

static int hash_rows(gpu_bench *b, const alias_table *table, uint64_t *hash)
{
    uint64_t sums[GPU_SUMS];
    alias_view view;

    if (gpu_alias_failed(b, "view", alias_get_view(table, &view)) || gpu_sums_clear(b) ||
        gpu_failed(b, "hash", bench_gpu_row_sum(&view, b->sums, b->stream)) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    *hash = sums[0];
    return 0;
}

/* Of masses added up in b->out, or 0 where these do not fit. */
static int hash_masses(gpu_bench *b, const alias_table *table, uint64_t *hash)
{
    uint64_t sums[GPU_SUMS];
    alias_view view;

    *hash = 0;
    if (gpu_alias_failed(b, "view", alias_get_view(table, &view))) {
        return 1;
    }
    if (view.n * 8 > b->out_bytes) {
        return 0;
    }
    if (gpu_sums_clear(b) ||
        gpu_failed(b, "masses", cudaMemsetAsync(b->out, 0, view.n * 8, b->stream)) ||
        gpu_failed(b, "masses", bench_gpu_masses(&view, b->out, b->stream)) ||
        gpu_failed(b, "hash", bench_gpu_mass_sum(b->out, view.n, b->sums, b->stream)) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    *hash = sums[0];
    return 0;
}

static bool same_rows(const alias_table *a, const alias_table *b)
{
    alias_row x, y;

    for (uint64_t i = 0; i < alias_size(a); i++) {
        if (alias_get_row(a, i, &x) != ALIAS_OK || alias_get_row(b, i, &y) != ALIAS_OK ||
            x.threshold != y.threshold || x.alias != y.alias) {
            return false;
        }
    }
    return true;
}

/* Is this table the one that the CPU builds from the weights in hand? */
static int compare_with_cpu(gpu_bench *b, const alias_table *table, bool *same)
{
    double *w = malloc(b->n * sizeof(*w));
    alias_table *copy = NULL, *cpu = NULL;
    alias_config config;
    int failed;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.builder = ALIAS_BUILDER_SWEEP;
    config.row_bytes = b->o->row_bytes;
    failed = gpu_alias_failed(b, "host memory", w != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM) ||
             gpu_failed(b, "weights to the host",
                        cudaMemcpy(w, b->weights, b->n * sizeof(*w), cudaMemcpyDeviceToHost)) ||
             gpu_alias_failed(b, "table to the host", alias_copy_to_host(&copy, table)) ||
             gpu_alias_failed(b, "table of the CPU", alias_create(&cpu, &config, w, b->n, NULL));
    *same = !failed && same_rows(copy, cpu);
    alias_destroy(copy);
    alias_destroy(cpu);
    free(w);
    return failed;
}

static int build(gpu_bench *b, const alias_config *config, alias_table **table)
{
    *table = NULL;
    if (gpu_alias_failed(b, "prepare", alias_prepare(table, config, b->n)) ||
        gpu_scratch(b, alias_build_bytes(*table)) || gpu_run_build(b, *table, 0) ||
        gpu_alias_failed(b, "build", alias_build_wait(*table, NULL))) {
        alias_destroy(*table);
        *table = NULL;
        return 1;
    }
    return 0;
}

static int find_reference(gpu_bench *b, gpu_family family, uint64_t n, reference *ref)
{
    alias_config config = config_of(b, &variants[0], 0);
    alias_table *table;
    bool same = true;
    int failed;

    if (ref->n == n && ref->family == family) {
        return 0;
    }
    if (gpu_weights(b, family, n) || build(b, &config, &table)) {
        return 1;
    }
    failed = hash_rows(b, table, &ref->rows) || hash_masses(b, table, &ref->masses) ||
             (n <= COMPARED && compare_with_cpu(b, table, &same));
    alias_destroy(table);
    if (!same) {
        b->wrong++;
        fprintf(stderr, "bench_alias: %s: WRONG: the merge builder's rows are not the CPU's\n",
                b->name);
    }
    ref->n = n;
    ref->family = family;
    return failed;
}

/* Builds once more, over rows that hold something else (the view is for readers, but ours). */
static int rebuild(gpu_bench *b, alias_table *table)
{
    alias_view view;
    size_t bytes;

    if (gpu_alias_failed(b, "view", alias_get_view(table, &view))) {
        return 1;
    }
    bytes = view.n * (size_t)(view.alias != NULL ? view.row_bytes / 2 : view.row_bytes);
    return gpu_failed(b, "rows", cudaMemsetAsync((void *)view.rows, 0xff, bytes, b->stream)) ||
           (view.alias != NULL &&
            gpu_failed(b, "rows", cudaMemsetAsync((void *)view.alias, 0, bytes, b->stream))) ||
           gpu_run_build(b, table, 0) ||
           gpu_alias_failed(b, "build", alias_build_wait(table, NULL));
}

static int check(gpu_bench *b, alias_table *table, const reference *ref)
{
    bool by_rows = alias_used_builder(table) != ALIAS_BUILDER_PSA_PLUS;
    uint64_t hash;

    if (rebuild(b, table)) {
        return 1;
    }
    if (by_rows ? hash_rows(b, table, &hash) : hash_masses(b, table, &hash)) {
        return 1;
    }
    if (hash != 0) { /* there was room for the masses */
        gpu_row_check(b, by_rows ? "rows are the sweep's" : "masses are the sweep's",
                      hash == (by_rows ? ref->rows : ref->masses));
    }
    return 0;
}

/* Times and checks one way to build from the weights in hand. */
static int one_case(gpu_bench *b, const variant *v, gpu_family family, uint64_t n, uint64_t splits,
                    reference *ref)
{
    alias_config config = config_of(b, v, splits);
    bench_stats warm, cold = {0, 0, 0};
    alias_table *table;
    int failed;

    if (find_reference(b, family, n, ref) || gpu_weights(b, family, n) ||
        build(b, &config, &table)) {
        return 1;
    }
    failed =
        gpu_time(b, GPU_WARM, gpu_run_build, table, &warm) ||
        (n <= CACHED && b->o->repeats > 1 && gpu_time(b, GPU_COLD, gpu_run_build, table, &cold)) ||
        gpu_alias_failed(b, "build", alias_build_wait(table, NULL));
    if (!failed) {
        gpu_row_begin(b);
        json_string(&b->row, "variant", v->name);
        json_string(&b->row, "used", alias_builder_name(alias_used_builder(table)));
        json_string(&b->row, "weights", gpu_families[family].name);
        json_u64(&b->row, "n", n);
        json_u64(&b->row, "splits", splits);
        json_u64(&b->row, "scratch_bytes", alias_build_bytes(table));
        json_u64(&b->row, "least_bytes", n * (8 + (uint64_t)b->o->row_bytes));
        if (cold.median > 0) {
            gpu_row_stats(b, "cold_ms", cold);
        }
        gpu_row_time(b, warm, (double)n, false);
        failed = check(b, table, ref);
        gpu_row_end(b);
    }
    alias_destroy(table);
    return failed;
}

static bool asked_for(const gpu_bench *b, const variant *v)
{
    for (int i = 0; i < b->o->builders; i++) {
        if (v->builder == b->o->builder[i]) {
            return true;
        }
    }
    /* By default all that there are. */
    return v->builder == ALIAS_BUILDER_AUTO && b->o->builders == 3;
}

/* Struct-of-arrays rows: enough to compare with the thesis, 5.2.7. */
static bool of_interest(const variant *v, gpu_family family, uint64_t n)
{
    return v->layout == ALIAS_ROWS_AOS ||
           (n >= 10000000 && (family == GPU_UNIFORM || family == GPU_POWER1));
}

static int builders(gpu_bench *b, uint64_t n, reference *ref)
{
    char text[24];

    for (gpu_family f = GPU_UNIFORM; f < GPU_FAMILIES; f++) {
        for (int v = 0; v < VARIANTS; v++) {
            if (asked_for(b, &variants[v]) && of_interest(&variants[v], f, n) &&
                gpu_wanted(b, "build/%s/%s/%s", variants[v].name, gpu_families[f].name,
                           gpu_number(text, n)) &&
                one_case(b, &variants[v], f, n, 0, ref)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Items per part, in place of the builder's own choice. */
static int parameters(gpu_bench *b, reference *ref)
{
    static const uint64_t items[] = {0, 32, 64, 128, 256, 512, 1024, 4096, 16384};
    static const char *const names[] = {"psa-pary-baseline", "psa-pary-shared", "psa-pary-chunked"};
    const uint64_t n = 10000000;

    for (int v = 0; v < VARIANTS; v++) {
        for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
                for (unsigned s = 0; s < sizeof(items) / sizeof(items[0]); s++) {
                    if (strcmp(variants[v].name, names[i]) == 0 && gpu_fits(b, n) &&
                        gpu_wanted(b, "parameters/%s/%s/%llu", names[i], gpu_families[f].name,
                                   (unsigned long long)items[s]) &&
                        one_case(b, &variants[v], f, n, items[s] != 0 ? n / items[s] : 0, ref)) {
                        return 1;
                    }
                }
            }
        }
    }
    return 0;
}

int gpu_part_build(gpu_bench *b)
{
    static const uint64_t usual[] = {1000000, 10000000, 100000000};
    const uint64_t *n = b->o->sizes != 0 ? b->o->n : usual;
    int sizes = b->o->sizes != 0 ? b->o->sizes : 3;
    reference ref = {0};

    for (int i = 0; i < sizes; i++) {
        if (gpu_fits(b, n[i]) && builders(b, n[i], &ref)) {
            return 1;
        }
    }
    return parameters(b, &ref);
}
