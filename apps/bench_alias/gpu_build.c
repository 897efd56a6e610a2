/*
 * Construction (the papers' Table 2 and Figures 2 and 3; the thesis' 5.2.3, 5.2.4, 5.2.7 and
 * Table 4.1), and what a caller with data in host memory waits for.
 *
 * build       every builder over weights and sizes, with weights and table in device memory
 * parameters  what the number of splits does to PSA, the one parameter that can be chosen
 * split       the split step of PSA alone, by binary and by partial p-ary search
 * host        alias_create() on the GPU from host weights, with its allocations, and copies of
 *             finished tables
 *
 * Every table is checked.  Builders whose table is the sweep's: a hash over all rows equals that of
 * the merge builder's table, and this one, up to a million rows, is compared with the CPU's row by
 * row.  PSA+: a hash over all masses equals that of the merge builder's table.  Both searches must
 * find the same splits.
 */
#include "alias/gpu/partition.h"
#include "apps/bench_alias/gpu.h"

#include <stdlib.h>

typedef struct {
    const char *name;
    alias_builder builder;
    alias_split_method split;
    alias_pack_method pack;
    alias_layout layout;
} variant;

enum { MERGE, PSA_PARY_BASELINE = 2, PSA_PARY_SHARED = 4, PSA_PARY_CHUNKED = 6 };

static const variant variants[] = {
    [MERGE] = {"merge", ALIAS_BUILDER_MERGE, 0, 0, 0},
    {"psa-binary-baseline", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_BASELINE, 0},
    {"psa-pary-baseline", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_BASELINE, 0},
    {"psa-binary-shared", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_SHARED, 0},
    {"psa-pary-shared", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_SHARED, 0},
    {"psa-binary-chunked", ALIAS_BUILDER_PSA, ALIAS_SPLIT_BINARY, ALIAS_PACK_CHUNKED, 0},
    {"psa-pary-chunked", ALIAS_BUILDER_PSA, ALIAS_SPLIT_PARY, ALIAS_PACK_CHUNKED, 0},
    {"psa+", ALIAS_BUILDER_PSA_PLUS, 0, 0, 0},
    {"auto", ALIAS_BUILDER_AUTO, 0, 0, 0},
    {"merge-soa", ALIAS_BUILDER_MERGE, 0, 0, ALIAS_ROWS_SOA},
    {"psa-soa", ALIAS_BUILDER_PSA, 0, 0, ALIAS_ROWS_SOA},
    {"psa+-soa", ALIAS_BUILDER_PSA_PLUS, 0, 0, ALIAS_ROWS_SOA},
};
_Static_assert(ALIAS_SPLIT_AUTO == 0 && ALIAS_PACK_AUTO == 0 && ALIAS_ROWS_AOS == 0,
               "what the table of variants leaves out");
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

typedef struct {
    alias_table *table;
    const reference *ref;
} build_job;

/* *hash becomes that of the rows; or of the masses, added up in b->out, 0 where these do not fit.
 */
static int hash_table(gpu_bench *b, const alias_table *table, bool masses, uint64_t *hash)
{
    uint64_t sums[GPU_SUMS];
    alias_view view;
    cudaError_t error;

    *hash = 0;
    if (gpu_alias_failed(b, "view", alias_get_view(table, &view)) || gpu_sums_clear(b)) {
        return 1;
    }
    if (masses && view.n * 8 > b->out_bytes) {
        return 0;
    }
    error = masses ? cudaMemsetAsync(b->out, 0, view.n * 8, b->stream)
                   : bench_gpu_row_sum(&view, b->sums, b->stream);
    if (error == cudaSuccess && masses) {
        error = bench_gpu_masses(&view, b->out, b->stream);
    }
    if (error == cudaSuccess && masses) {
        error = bench_gpu_mass_sum(b->out, view.n, b->sums, b->stream);
    }
    if (gpu_failed(b, "hash", error) || gpu_sums_read(b, sums)) {
        return 1;
    }
    *hash = sums[0];
    return 0;
}

static bool have_same_rows(const alias_table *a, const alias_table *b)
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

/* b's weights in host memory, to be freed; NULL after a failure. */
static double *weights_to_host(gpu_bench *b)
{
    size_t bytes = b->n * sizeof(*b->weights);
    double *w = malloc(bytes);

    if (gpu_alias_failed(b, "host memory", w != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM) ||
        gpu_failed(b, "weights", cudaMemcpy(w, b->weights, bytes, cudaMemcpyDeviceToHost))) {
        free(w);
        return NULL;
    }
    return w;
}

/* Is this table the one that the CPU builds from the weights in hand? */
static int compare_with_cpu(gpu_bench *b, const alias_table *table, bool *same)
{
    double *w = weights_to_host(b);
    alias_table *copy = NULL, *cpu = NULL;
    alias_config config = gpu_config(b);
    int failed;

    config.backend = ALIAS_BACKEND_CPU;
    config.builder = ALIAS_BUILDER_SWEEP;
    failed = w == NULL ||
             gpu_alias_failed(b, "table to the host", alias_copy_to_host(&copy, table)) ||
             gpu_alias_failed(b, "table of the CPU", alias_create(&cpu, &config, w, b->n, NULL));
    *same = !failed && have_same_rows(copy, cpu);
    alias_destroy(copy);
    alias_destroy(cpu);
    free(w);
    return failed;
}

static int find_reference(gpu_bench *b, gpu_family family, uint64_t n, reference *ref)
{
    alias_config config = gpu_config(b);
    alias_table *table = NULL;
    bool same = true;
    int failed;

    if (ref->n == n && ref->family == family) {
        return 0;
    }
    config.builder = ALIAS_BUILDER_MERGE;
    failed = gpu_weights(b, family, n) || gpu_build(b, &config, &table) ||
             hash_table(b, table, false, &ref->rows) || hash_table(b, table, true, &ref->masses) ||
             (n <= COMPARED && compare_with_cpu(b, table, &same));
    alias_destroy(table);
    if (!failed && !same) {
        b->wrong++;
        fprintf(stderr, "bench_alias: %s: WRONG: the merge builder's rows are not the CPU's\n",
                b->name);
    }
    ref->n = n;
    ref->family = family;
    return failed;
}

/* Build once more, over rows that hold something else (the view is for readers, but ours). */
static int rebuild(gpu_bench *b, alias_table *table)
{
    alias_view view;
    size_t bytes;

    if (gpu_alias_failed(b, "build", alias_build_wait(table, NULL)) ||
        gpu_alias_failed(b, "view", alias_get_view(table, &view))) {
        return 1;
    }
    bytes = view.n * (size_t)(view.alias != NULL ? view.row_bytes / 2 : view.row_bytes);
    return gpu_failed(b, "rows", cudaMemsetAsync((void *)view.rows, 0xff, bytes, b->stream)) ||
           (view.alias != NULL &&
            gpu_failed(b, "rows", cudaMemsetAsync((void *)view.alias, 0, bytes, b->stream))) ||
           gpu_run_build(b, table, 0) ||
           gpu_alias_failed(b, "build", alias_build_wait(table, NULL));
}

static int run_build_job(gpu_bench *b, void *arg, int r)
{
    return gpu_run_build(b, ((build_job *)arg)->table, r);
}

static int check_build(gpu_bench *b, void *arg)
{
    const build_job *job = arg;
    const alias_builder used = alias_used_builder(job->table);
    const bool masses = used == ALIAS_BUILDER_PSA_PLUS;
    uint64_t hash;

    json_string(&b->row, "used", alias_builder_name(used));
    json_u64(&b->row, "scratch_bytes", alias_build_bytes(job->table));
    json_u64(&b->row, "least_bytes", b->n * (8 + (uint64_t)b->o->row_bytes));
    if (rebuild(b, job->table) || hash_table(b, job->table, masses, &hash)) {
        return 1;
    }
    if (hash != 0) { /* there was room for the masses */
        gpu_row_check(b, masses ? "masses are the sweep's" : "rows are the sweep's",
                      hash == (masses ? job->ref->masses : job->ref->rows));
    }
    return 0;
}

/* Time and check one way to build; splits 0: the builder's own choice. */
static int measure_build(gpu_bench *b, const variant *v, gpu_family family, uint64_t n,
                         uint64_t splits, reference *ref)
{
    build_job job = {NULL, ref};
    const gpu_case c = {.cold = n <= CACHED && b->o->repeats > 1,
                        .run = run_build_job,
                        .arg = &job,
                        .n = n,
                        .items = (double)n,
                        .check = check_build};
    alias_config config = gpu_config(b);
    int failed;

    config.builder = v->builder;
    config.split = v->split;
    config.pack = v->pack;
    config.layout = v->layout;
    config.splits = splits;
    failed = find_reference(b, family, n, ref) || gpu_weights(b, family, n) ||
             gpu_build(b, &config, &job.table) || gpu_measure(b, &c);
    alias_destroy(job.table);
    return failed;
}

static bool is_asked_for(const gpu_bench *b, const variant *v)
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
static bool is_of_interest(const variant *v, gpu_family family, uint64_t n)
{
    return v->layout == ALIAS_ROWS_AOS ||
           (n >= 10000000 && (family == GPU_UNIFORM || family == GPU_POWER1));
}

static int measure_builders(gpu_bench *b, uint64_t n, reference *ref)
{
    char text[24];

    for (int i = 0; i < GPU_FAMILIES * VARIANTS; i++) {
        const variant *v = &variants[i % VARIANTS];
        const gpu_family f = (gpu_family)(i / VARIANTS);

        if (is_asked_for(b, v) && is_of_interest(v, f, n) &&
            gpu_wanted(b, "build/%s/%s/%s", v->name, gpu_family_names[f], gpu_number(text, n)) &&
            measure_build(b, v, f, n, 0, ref)) {
            return 1;
        }
    }
    return 0;
}

/* Items per part, in place of the builder's own choice. */
static int measure_parameters(gpu_bench *b, reference *ref)
{
    static const uint64_t items[] = {0, 32, 64, 128, 256, 512, 1024, 4096, 16384};
    static const int tried[] = {PSA_PARY_BASELINE, PSA_PARY_SHARED, PSA_PARY_CHUNKED};
    const uint64_t n = 10000000;

    for (int v = 0; v < 3; v++) {
        for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1 && gpu_fits(b, n); f++) {
            for (unsigned s = 0; s < sizeof(items) / sizeof(items[0]); s++) {
                if (gpu_wanted(b, "parameters/%s/%s/%llu", variants[tried[v]].name,
                               gpu_family_names[f], (unsigned long long)items[s]) &&
                    measure_build(b, &variants[tried[v]], f, n, items[s] != 0 ? n / items[s] : 0,
                                  ref)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* --- The split step --- */

enum { MOST_SPLITS = 1000000 };

typedef struct {
    alias_gpu_partition part;
    alias_split_method method;
    uint64_t parts, size;
    uint64_t *lights;
} split_job;

static int run_split(gpu_bench *b, void *arg, int r)
{
    const split_job *j = arg;

    (void)r;
    return gpu_alias_failed(
        b, "split",
        alias_gpu_split(&j->part, j->method, 0, j->parts, j->size, j->lights, b->stream));
}

/* Partition the weights in hand into light and heavy items, as a build of 8-byte rows does, in
 * memory from the arena, and wait.  If the arena only measures, nothing is launched. */
static int partition_items(gpu_bench *b, alias_gpu_partition *part, alias_arena *arena)
{
    alias_gpu_scalars scalars, *device = alias_arena_take(arena, 1, sizeof(*device));
    alias_gpu_plan plan = {.weights = b->weights, .n = b->n, .k = 32, .scalars = device};

    if (arena->base != NULL && /* no unusable weight so far */
        gpu_failed(b, "partition", cudaMemsetAsync(device, 0xff, sizeof(*device), b->stream))) {
        return 1;
    }
    if (gpu_alias_failed(b, "partition", alias_gpu_plan_weights(&plan, arena, b->stream)) ||
        gpu_alias_failed(b, "partition",
                         alias_gpu_partition_items(part, &plan, arena, b->stream))) {
        return 1;
    }
    return arena->base != NULL &&
           (gpu_failed(b, "partition", cudaStreamSynchronize(b->stream)) ||
            gpu_failed(b, "partition",
                       cudaMemcpy(&scalars, device, sizeof(scalars), cudaMemcpyDeviceToHost)) ||
            gpu_alias_failed(b, "partition", scalars.status));
}

/* Light and heavy items of the weights in hand, with their sums, and room for the splits. */
static int lay_out_items(gpu_bench *b, split_job *j, alias_arena arena)
{
    j->lights = alias_arena_take(&arena, MOST_SPLITS + 1, sizeof(*j->lights));
    if (partition_items(b, &j->part, &arena)) {
        return 1;
    }
    if (arena.base == NULL) {
        return gpu_scratch(b, arena.used) || lay_out_items(b, j, (alias_arena){b->scratch, 0});
    }
    return 0;
}

/* Of what a method finds, in memory that held something else (filler) before. */
static int hash_splits(gpu_bench *b, const split_job *j, alias_split_method method, int filler,
                       uint64_t *hash)
{
    split_job other = *j;
    uint64_t sums[GPU_SUMS];

    other.method = method;
    if (gpu_failed(
            b, "check",
            cudaMemsetAsync(j->lights, filler, (j->parts + 1) * sizeof(*j->lights), b->stream)) ||
        run_split(b, &other, 0) || gpu_sums_clear(b) ||
        gpu_failed(b, "hash", bench_gpu_mass_sum(j->lights, j->parts + 1, b->sums, b->stream)) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    *hash = sums[0];
    return 0;
}

static int check_splits(gpu_bench *b, void *arg)
{
    uint64_t binary, pary;

    if (hash_splits(b, arg, ALIAS_SPLIT_BINARY, 0x55, &binary) ||
        hash_splits(b, arg, ALIAS_SPLIT_PARY, 0xaa, &pary)) {
        return 1;
    }
    gpu_row_check(b, "binary and p-ary search find the same splits", binary == pary);
    return 0;
}

/* About so many splits, at equal distances. */
static int measure_split(gpu_bench *b, split_job *j, gpu_family family, uint64_t n, uint64_t splits)
{
    gpu_case c = {.cold = true, .run = run_split, .arg = j, .n = n, .check = check_splits};

    if (gpu_weights(b, family, n) || lay_out_items(b, j, (alias_arena){NULL, 0})) {
        return 1;
    }
    j->size = (n + splits - 1) / splits;
    j->parts = (n + j->size - 1) / j->size;
    c.items = (double)j->parts;
    return gpu_measure(b, &c);
}

static int measure_splits(gpu_bench *b)
{
    static const uint64_t splits[] = {100,   300,   1000,   2000,   3000,       5000,
                                      10000, 30000, 100000, 300000, MOST_SPLITS};
    static const char *const names[] = {"binary", "pary"};
    const uint64_t n = 10000000;
    char text[24];

    for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1 && gpu_fits(b, n); f++) {
        for (unsigned s = 0; s < sizeof(splits) / sizeof(splits[0]); s++) {
            for (int m = 0; m < 2; m++) {
                split_job j = {.method = m == 0 ? ALIAS_SPLIT_BINARY : ALIAS_SPLIT_PARY};

                if (gpu_wanted(b, "split/%s/%s/%s", names[m], gpu_family_names[f],
                               gpu_number(text, splits[s])) &&
                    measure_split(b, &j, f, n, splits[s])) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

/* --- Host memory --- */

typedef enum { CREATE, TO_HOST, TO_DEVICE, WAYS } host_way;

static const char *const way_names[WAYS] = {"create", "to_host", "to_device"};

typedef struct {
    host_way way;
    double *weights;   /* for CREATE */
    alias_table *host; /* for TO_DEVICE */
} host_job;

static int run_host_job(gpu_bench *b, void *arg, int r)
{
    const host_job *j = arg;
    const alias_config config = gpu_config(b);
    alias_table *made = NULL;
    int st;

    (void)r;
    st = j->way == CREATE    ? alias_create(&made, &config, j->weights, b->n, NULL)
         : j->way == TO_HOST ? alias_copy_to_host(&made, b->table)
                             : alias_copy_to_device(&made, j->host, b->o->device);
    alias_destroy(made);
    return gpu_alias_failed(b, "host", st);
}

static int measure_host(gpu_bench *b, gpu_family family, uint64_t n, host_way way)
{
    host_job j = {.way = way};
    const gpu_case c = {
        .clock = GPU_HOST, .run = run_host_job, .arg = &j, .n = n, .items = (double)n};
    int failed = gpu_table(b, family, n);

    if (!failed && way == CREATE) {
        j.weights = weights_to_host(b);
        failed = j.weights == NULL;
    } else if (!failed && way == TO_DEVICE) {
        failed = gpu_alias_failed(b, "copy", alias_copy_to_host(&j.host, b->table));
    }
    failed = failed || gpu_measure(b, &c);
    alias_destroy(j.host);
    free(j.weights);
    return failed;
}

static int measure_hosts(gpu_bench *b, uint64_t n)
{
    char text[24];

    for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
        for (host_way w = CREATE; w < WAYS; w++) {
            /* Copies do not depend on the weights. */
            if ((f == GPU_POWER1 || w == CREATE) &&
                gpu_wanted(b, "host/%s/%s/%s", way_names[w], gpu_family_names[f],
                           gpu_number(text, n)) &&
                measure_host(b, f, n, w)) {
                return 1;
            }
        }
    }
    return 0;
}

int gpu_part_build(gpu_bench *b)
{
    const uint64_t *n = b->o->sizes != 0 ? b->o->n : gpu_sizes;
    int sizes = b->o->sizes != 0 ? b->o->sizes : GPU_SIZES - 1;
    reference ref = {0};

    for (int i = 0; i < sizes; i++) {
        if (gpu_fits(b, n[i]) && measure_builders(b, n[i], &ref)) {
            return 1;
        }
    }
    if (measure_parameters(b, &ref) || measure_splits(b)) {
        return 1;
    }
    for (int i = 0; i < GPU_SIZES - 1; i++) {
        if (gpu_fits(b, gpu_sizes[i]) && measure_hosts(b, gpu_sizes[i])) {
            return 1;
        }
    }
    return 0;
}
