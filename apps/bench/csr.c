/*
 * bench_csr - CSR of a graph in memory, straight from the generator, one interval of the sorted
 * order after the other.  For each interval the whole stream is generated; the edges of the
 * interval are gathered, sorted, freed of duplicates with --unique, and written as pointers and
 * indices.
 *
 *   bench_csr --backend gpu --scale 28 --unique --blocks 8
 *
 * A table goes to standard output, and one JSON object with all figures to --json FILE.  Edges per
 * second are the edges of the stream divided by the time for all intervals.
 */
#include "apps/bench/csr.h"
#include "apps/bench/util.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/option_rows.h"
#include "apps/common/options.h"
#include "apps/common/whole_file.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_sample.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCKS = 1 << 16, MAX_RUNS = 101 };
enum { ONLY_ALL, ONLY_ENDS };

typedef struct {
    uint64_t scale, edge_factor, blocks, runs, threads, device_memory;
    int backend, only;
    bool unique, permute, verify, force, help;
    const char *json;
} values;

static const char *const backends[] = {"cpu", "gpu", NULL};
static const char *const onlys[] = {"all", "ends", NULL};
static const char *const phases[CSR_PHASES] = {"gather", "sort", "pointers", "indices"};

#define AT(field) offsetof(values, field)

/* clang-format off */
static const option table[] = {
    {.name = "backend", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(backend),
        .choices = backends, .fallback = "cpu", .group = "Options",
        .help = "what generates and sorts the edges"},
    OPTION_ROW_THREADS(values, threads, "Options", "number of threads of the CPU"),
    {.name = "scale", .kind = OPTION_COUNT, .argument = "N", .offset = AT(scale), .min = 1,
        .max = 40, .fallback = "22", .group = "Options", .help = "scale of the graph"},
    {.name = "edge-factor", .kind = OPTION_COUNT, .argument = "N", .offset = AT(edge_factor),
        .min = 1, .max = 1024, .fallback = "16", .group = "Options",
        .help = "edges of the stream per vertex"},
    {.name = "unique", .kind = OPTION_FLAG, .offset = AT(unique), .group = "Options",
        .help = "keep each edge once"},
    {.name = "permute", .kind = OPTION_FLAG, .offset = AT(permute), .group = "Options",
        .help = "permute the vertices"},
    {.name = "blocks", .kind = OPTION_COUNT, .argument = "N", .offset = AT(blocks), .min = 1,
        .max = MAX_BLOCKS, .fallback = "1", .group = "Options",
        .help = "number of intervals, of about equally many edges each"},
    {.name = "only", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(only),
        .choices = onlys, .fallback = "all", .group = "Options",
        .help = "which intervals to measure; ends: the first and the last one"},
    {.name = "device-memory", .kind = OPTION_COUNT, .argument = "BYTES",
        .offset = AT(device_memory), .min = (uint64_t)1 << 20, .max = (uint64_t)1 << 50,
        .allowed = "1Mi to 1024Ti", .fallback = "9/10 of what is free", .group = "Options",
        .help = "memory for an interval and its CSR; with --backend cpu, of the host"},
    {.name = "runs", .kind = OPTION_COUNT, .argument = "N", .offset = AT(runs), .min = 1,
        .max = MAX_RUNS, .fallback = "3", .group = "Options",
        .help = "number of measurements; the table shows the median"},
    {.name = "verify", .kind = OPTION_FLAG, .offset = AT(verify), .group = "Options",
        .help = "compare each interval with another pass over the stream, on the GPU"},
    {.name = "json", .kind = OPTION_FILE, .argument = "FILE", .offset = AT(json),
        .group = "Options", .help = "write all figures as one JSON object"},
    OPTION_ROW_FORCE(values, force, "Options", "replace the file of --json if it exists"),
    OPTION_ROW_HELP(values, help, "Options"),
};
/* clang-format on */

static const command_line line = {
    .command = "bench_csr",
    .synopsis = "bench_csr [OPTION]...",
    .summary = "Measure how fast CSR is made in memory, block by block, from the generator.",
    .options = table,
    .n_options = sizeof table / sizeof table[0],
    .notes = "A program of its own: build/apps/bench_csr. Exit status: 0, 1 something could not be "
             "measured or is wrong, 2 wrong usage.",
};

typedef struct {
    const values *v;
    const csr_backend *on;
    rmat_gen *gen;
    rmat_interval *block;
    csr_place place;
    rmat_cell cells[MAX_BLOCKS + 1];
    uint64_t stream, capacity, checked;
    bool wrong;
} bench;

static int fail(int st)
{
    return runtime_error("bench_csr", "%s%s%s", rmat_strerror(st), *rmat_gpu_error() ? ": " : "",
                         rmat_gpu_error());
}

/* Seconds since *then, which becomes now, when all work is done. */
static int lap(const bench *b, double *then, double *seconds)
{
    const int st = b->on->wait();
    const double now = bench_now();

    *seconds += now - *then;
    *then = now;
    return st;
}

static int write_pointers(const bench *b, const rmat_cell *first, const rmat_cell *end)
{
    const uint64_t last = end->src + (end->dst > 0);
    int st = RMAT_OK;

    for (uint64_t row = first->src; !st && row <= last; row += b->place.rows) {
        const uint64_t left = last + 1 - row;

        st = b->on->pointers(b->block, row, left < b->place.rows ? left : b->place.rows, &b->place);
    }
    return st;
}

static int write_indices(const bench *b)
{
    const uint64_t n = rmat_interval_edges(b->block);
    int st = RMAT_OK;

    for (uint64_t at = 0; !st && at < n; at += b->place.edges) {
        st = b->on->indices(b->block, at, n - at < b->place.edges ? n - at : b->place.edges,
                            &b->place);
    }
    return st;
}

/* One interval; one that does not fit, in two. */
static int run_interval(bench *b, const rmat_cell *first, const rmat_cell *end, csr_times *t)
{
    double then = bench_now();
    rmat_cell middle;
    int st = rmat_interval_begin(b->block, first, end, b->v->unique);

    st = st ? st : rmat_interval_add(b->block, 0, b->stream);
    st = st ? st : lap(b, &then, &t->seconds[CSR_GATHER]);
    st = st ? st : rmat_interval_sort(b->block);
    if (st == RMAT_ERR_FULL) {
        st = rmat_interval_middle(b->block, &middle);
        st = st ? st : lap(b, &then, &t->seconds[CSR_SORT]);
        st = st ? st : run_interval(b, first, &middle, t);
        return st ? st : run_interval(b, &middle, end, t);
    }
    st = st ? st : lap(b, &then, &t->seconds[CSR_SORT]);
    st = st ? st : write_pointers(b, first, end);
    st = st ? st : lap(b, &then, &t->seconds[CSR_POINTERS]);
    st = st ? st : write_indices(b);
    st = st ? st : lap(b, &then, &t->seconds[CSR_INDICES]);
    t->edges += rmat_interval_edges(b->block);
    if (!st && b->v->verify) {
        bool right;

        st = csr_verify(b->gen, b->block, first, end, b->stream, b->v->unique, &right);
        b->wrong |= !st && !right;
        b->checked++;
        if (!st && !right) {
            message_print("bench_csr", "the block from %" PRIu64 ", %" PRIu64 " on is wrong",
                          first->src, first->dst);
        }
    }
    return st;
}

static int run(bench *b, csr_times *t)
{
    const uint64_t n = b->v->blocks;
    int st = RMAT_OK;

    *t = (csr_times){.edges = 0};
    for (uint64_t i = 0; !st && i < n; i++) {
        if (b->v->only == ONLY_ALL || i == 0 || i == n - 1) {
            st = run_interval(b, &b->cells[i], &b->cells[i + 1], t);
        }
    }
    return st;
}

static double total(const csr_times *t)
{
    double sum = 0;

    for (int p = 0; p < CSR_PHASES; p++) {
        sum += t->seconds[p];
    }
    return sum;
}

static int by_total(const void *x, const void *y)
{
    const double a = total(x), b = total(y);

    return (a > b) - (a < b);
}

/* Bytes of a block for so many edges, and of its CSR. */
static uint64_t bytes_for(const bench *b, uint64_t edges)
{
    return rmat_interval_bytes(b->gen, edges) + edges * (uint64_t)b->place.id_bytes;
}

/* The block and the place: for a part's edges and a bit more, or what memory is allowed. */
static int reserve(bench *b)
{
    const uint64_t rows = (UINT64_C(1) << b->v->scale) + 1, most_rows = (UINT64_C(1) << 28) + 1;
    const uint64_t part = b->stream / b->v->blocks;
    uint64_t memory = b->v->device_memory ? b->v->device_memory : b->on->memory() / 10 * 9;
    uint64_t edges = b->v->blocks == 1 ? part : part + part / 8 + RMAT_INTERVAL_LEAST_EDGES;
    int st;

    b->place.id_bytes = b->v->scale <= 32 ? 4 : 8;
    b->place.rows = rows < most_rows ? rows : most_rows;
    memory -= memory > 8 * b->place.rows ? 8 * b->place.rows : memory;
    edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
    while (edges > RMAT_INTERVAL_LEAST_EDGES && bytes_for(b, edges) > memory) {
        edges -= edges / 64;
    }
    b->place.edges = b->capacity = edges;
    st = rmat_interval_create(&b->block, b->gen, rmat_interval_bytes(b->gen, edges));
    return st ? st : b->on->place(&b->place);
}

static int prepare(bench *b, const rmat_config *config)
{
    rmat_sample *sample = NULL;
    int st = rmat_create(&b->gen, config);

    st = st ? st : rmat_sample_create(&sample, config, 0);
    st = st ? st : rmat_sample_cut(sample, (double)b->stream, 0, b->v->blocks, b->cells);
    rmat_sample_destroy(sample);
    return st ? st : reserve(b);
}

static void report(const bench *b, const csr_times *t, double made, FILE *json)
{
    json_object o;

    printf("scale %" PRIu64 ", edge factor %" PRIu64 "%s%s, %s, %" PRIu64
           " blocks of at most %" PRIu64 " edges\n",
           b->v->scale, b->v->edge_factor, b->v->unique ? ", unique" : "",
           b->v->permute ? ", permuted" : "", b->on->name, b->v->blocks, b->capacity);
    for (int p = 0; p < CSR_PHASES; p++) {
        printf("%-10s %9.3f ms\n", phases[p], 1e3 * t->seconds[p]);
    }
    printf("%-10s %9.3f ms, %" PRIu64 " edges in CSR, %.3f G edges/s%s\n", "total", 1e3 * total(t),
           t->edges, 1e-9 * made / total(t), b->checked ? ", verified" : "");
    if (json == NULL) {
        return;
    }
    json_begin(&o, json);
    json_string(&o, "benchmark", "bench_csr");
    json_string(&o, "backend", b->on->name);
    json_key(&o, "machine");
    bench_machine_json(json);
    json_u64(&o, "scale", b->v->scale);
    json_u64(&o, "edge_factor", b->v->edge_factor);
    json_bool(&o, "unique", b->v->unique);
    json_bool(&o, "permute", b->v->permute);
    json_u64(&o, "blocks", b->v->blocks);
    json_u64(&o, "block_edges", b->capacity);
    json_u64(&o, "runs", b->v->runs);
    for (int p = 0; p < CSR_PHASES; p++) {
        json_f64(&o, phases[p], t->seconds[p]);
    }
    json_u64(&o, "csr_edges", t->edges);
    json_u64(&o, "verified", b->checked);
    json_f64(&o, "edges_per_second", made / total(t));
    json_end(&o);
}

static int measure(bench *b, FILE *json)
{
    const uint64_t n = b->v->blocks, done = b->v->only == ONLY_ALL || n < 2 ? n : 2;
    csr_times *times = calloc(b->v->runs, sizeof *times);
    int st = times ? RMAT_OK : RMAT_ERR_NOMEM;

    for (uint64_t r = 0; !st && r <= b->v->runs && !b->wrong; r++) {
        csr_times warm;

        if (r > 0 || b->v->runs > 1) { /* the first one warms up */
            st = run(b, r ? &times[r - 1] : &warm);
        }
    }
    if (!st && !b->wrong) {
        qsort(times, b->v->runs, sizeof *times, by_total);
        report(b, &times[b->v->runs / 2], (double)b->stream / (double)n * (double)done, json);
    }
    free(times);
    return st ? fail(st) : b->wrong ? EXIT_RUNTIME : EXIT_OK;
}

static int open_and_measure(bench *b)
{
    whole_file json;
    rmat_config config;
    int code, st;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = (int)b->v->scale;
    config.permute = b->v->permute;
    config.threads = (int)b->v->threads;
    config.backend = b->v->backend ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    code = whole_file_open(&json, "bench_csr", "json", b->v->json, b->v->force, NULL);
    if (code != EXIT_OK) {
        return code;
    }
    st = prepare(b, &config);
    code = whole_file_close(&json, st != RMAT_OK ? fail(st) : measure(b, json.stream));
    b->on->free(&b->place);
    rmat_interval_destroy(b->block);
    rmat_destroy(b->gen);
    return code;
}

int main(int argc, char **argv)
{
    values v = {.scale = 22, .edge_factor = 16, .blocks = 1, .runs = 3};
    bool given[OPTIONS_MAX];
    int code = options_parse(&line, argc - 1, argv + 1, &v, given, NULL);
    bench *b;

    if (code != EXIT_OK) {
        return code;
    }
    if (v.help) {
        options_help(&line, stdout);
        return finish_stdout("bench_csr");
    }
    if (v.verify && !v.backend) {
        return usage_error("bench_csr", "--verify: only with --backend gpu");
    }
    b = calloc(1, sizeof *b);
    if (b == NULL) {
        return fail(RMAT_ERR_NOMEM);
    }
    b->v = &v;
    b->on = v.backend ? csr_on_gpu() : &csr_on_cpu;
    b->stream = v.edge_factor << v.scale;
    code = b->on ? open_and_measure(b)
                 : runtime_error("bench_csr", "--backend: 'gpu' given, but there is no GPU");
    free(b);
    return code ? code : finish_stdout("bench_csr");
}
