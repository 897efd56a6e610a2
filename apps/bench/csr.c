/*
 * CSR in memory, straight from the generator, one interval of the sorted order after the other.
 * For each interval the whole stream is generated; the edges of the interval are gathered, sorted,
 * freed of duplicates with --unique, and written as pointers and indices.  Edges per second are the
 * edges of the stream divided by the time for all intervals.
 */
#include "apps/bench/bench.h"
#include "apps/common/clock.h"
#include "apps/common/devices.h"
#include "rmat/rmat_sample.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { GATHER, SORT, POINTERS, INDICES, PHASES };

#define MOST_ROWS (((uint64_t)1 << 28) + 1)

enum { MOST_INTERVALS = 1 << 16 };

static const char *const phases[PHASES] = {"gather", "sort", "pointers", "indices"};

typedef struct {
    double seconds[PHASES];
    uint64_t edges; /* in CSR */
} csr_times;

typedef struct {
    const bench_job *job;
    const bench_backend *backend;
    bool gpu;
    int scale, id_bytes;
    rmat_gen *gen;
    rmat_interval *interval;
    uint64_t intervals;
    rmat_cell *cells;         /* where the intervals begin and end */
    void *pointers, *indices; /* for so many rows and edges; larger intervals in pieces */
    uint64_t rows, edges;
    uint64_t stream; /* edges of the stream */
} csr_bench;

static int write_pointers(const csr_bench *b, const rmat_cell *first, const rmat_cell *end)
{
    const uint64_t last = end->src + (end->dst > 0);
    int status = RMAT_OK;

    for (uint64_t row = first->src; status == RMAT_OK && row <= last; row += b->rows) {
        uint64_t n = last + 1 - row < b->rows ? last + 1 - row : b->rows;

        status = b->gpu ? rmat_interval_pointers_device(b->interval, row, n, 0, b->pointers, NULL)
                        : rmat_interval_pointers(b->interval, row, n, 0, b->pointers);
    }
    return status;
}

static int write_indices(const csr_bench *b)
{
    const rmat_arrays to = {.dst = b->indices, .id_bytes = b->id_bytes};
    const uint64_t edges = rmat_interval_edges(b->interval);
    int status = RMAT_OK;

    for (uint64_t at = 0; status == RMAT_OK && at < edges; at += b->edges) {
        uint64_t n = edges - at < b->edges ? edges - at : b->edges;

        status = b->gpu ? rmat_interval_read_device(b->interval, at, n, &to, NULL)
                        : rmat_interval_read(b->interval, at, n, &to);
    }
    return status;
}

static int run_phase(csr_bench *b, int phase, const rmat_cell *first, const rmat_cell *end)
{
    switch (phase) {
    case GATHER:
        return rmat_interval_add(b->interval, 0, b->stream);
    case SORT:
        return rmat_interval_sort(b->interval);
    case POINTERS:
        return write_pointers(b, first, end);
    default:
        return write_indices(b);
    }
}

/* Make an interval; if it does not fit into memory, make its halves one after the other. */
static int make_interval(csr_bench *b, const rmat_cell *first, const rmat_cell *end, csr_times *t)
{
    double then = clock_seconds();
    rmat_cell middle;
    int status = rmat_interval_begin(b->interval, first, end, b->job->o->unique);

    for (int phase = GATHER; phase < PHASES && status == RMAT_OK; phase++) {
        int waited;

        status = run_phase(b, phase, first, end);
        waited = b->backend->wait();
        status = status == RMAT_OK ? waited : status;
        t->seconds[phase] += clock_seconds() - then;
        then = clock_seconds();
    }
    if (status == RMAT_ERR_FULL) {
        status = bench_failed(rmat_interval_middle(b->interval, &middle));
        if (status == EXIT_OK) {
            status = make_interval(b, first, &middle, t);
        }
        return status == EXIT_OK ? make_interval(b, &middle, end, t) : status;
    }
    if (status == RMAT_OK) {
        t->edges += rmat_interval_edges(b->interval);
    }
    status = bench_failed(status);
    return status == EXIT_OK && interrupt_signal() != 0 ? bench_stopped() : status;
}

static int make_all_intervals(csr_bench *b, csr_times *t)
{
    const uint64_t n = b->intervals;
    int status = EXIT_OK;

    *t = (csr_times){.edges = 0};
    for (uint64_t i = 0; status == EXIT_OK && i < n; i++) {
        if (!b->job->o->ends || i == 0 || i == n - 1) {
            status = make_interval(b, &b->cells[i], &b->cells[i + 1], t);
        }
    }
    return status;
}

static double total_seconds(const csr_times *t)
{
    return t->seconds[GATHER] + t->seconds[SORT] + t->seconds[POINTERS] + t->seconds[INDICES];
}

static int compare_totals(const void *x, const void *y)
{
    const double a = total_seconds(x), b = total_seconds(y);

    return (a > b) - (a < b);
}

/* What --memory asks for, or nine tenths of what is free.  The GPU becomes the current one of the
 * thread, on which the backend allocates. */
static uint64_t available_memory(const csr_bench *b)
{
    uint64_t bytes = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    char why[DEVICES_TEXT];
    device_gpu gpu;

    if (b->gpu) {
        bytes = devices_gpu(b->job->device, &gpu, why) ? gpu.free : 0;
    }
    return b->job->o->memory > 0 ? b->job->o->memory : bytes / 10 * 9;
}

/* Bytes for an interval of so many edges and its indices. */
static int bytes_for(const csr_bench *b, uint64_t edges, uint64_t *bytes, uint64_t *all)
{
    const int status = rmat_interval_bytes(b->gen, edges, bytes);

    *all = *bytes < UINT64_MAX / 2 ? *bytes + edges * (uint64_t)b->id_bytes : UINT64_MAX;
    return status;
}

/* Allocate the interval and its CSR: for the edges that an interval usually has and some more.  If
 * that does not fit into memory, there are more intervals than were asked for; with the least
 * intervals, the memory allows some edges less. */
static int reserve_memory(csr_bench *b)
{
    const uint64_t rows = ((uint64_t)1 << b->scale) + 1;
    uint64_t bytes, all, edges, memory = available_memory(b);
    int status;

    b->rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    memory -= memory > 8 * b->rows ? 8 * b->rows : memory;
    for (b->intervals = b->job->o->intervals;; b->intervals++) {
        const uint64_t usual = b->stream / b->intervals;

        edges = b->intervals == 1 ? usual : usual + usual / 8 + RMAT_INTERVAL_LEAST_EDGES;
        edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
        status = bytes_for(b, edges, &bytes, &all);
        if (status != RMAT_OK || all <= memory || b->intervals >= MOST_INTERVALS) {
            break;
        }
    }
    while (status == RMAT_OK && edges > RMAT_INTERVAL_LEAST_EDGES && all > memory) {
        edges -= edges / 64;
        edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
        status = bytes_for(b, edges, &bytes, &all);
    }
    b->edges = edges;
    if (status == RMAT_OK) {
        status = rmat_interval_create(&b->interval, b->gen, bytes);
    }
    if (status == RMAT_OK) {
        status = b->backend->allocate(&b->pointers, b->rows * sizeof(uint64_t));
    }
    return status == RMAT_OK ? b->backend->allocate(&b->indices, edges * (uint64_t)b->id_bytes)
                             : status;
}

static int prepare_intervals(csr_bench *b)
{
    const bench_options *o = b->job->o;
    rmat_sample *sample = NULL;
    rmat_config config;
    int status;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = b->scale;
    config.permute = o->permute;
    config.threads = b->job->threads;
    config.backend = b->gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.device = b->job->device;
    status = rmat_create(&b->gen, &config);
    if (status == RMAT_OK) {
        status = reserve_memory(b);
    }
    if (status == RMAT_OK) {
        b->cells = calloc(b->intervals + 1, sizeof *b->cells);
        status = b->cells != NULL ? rmat_sample_create(&sample, &config, 0) : RMAT_ERR_NOMEM;
    }
    if (status == RMAT_OK) {
        status = rmat_sample_cut(sample, (double)b->stream, 0, b->intervals, b->cells);
    }
    rmat_sample_destroy(sample);
    return status;
}

static void print_row(const csr_bench *b, const csr_times *t, json_object *rows)
{
    const bench_options *o = b->job->o;
    const uint64_t made = o->ends && b->intervals > 2 ? 2 : b->intervals;
    double rate = (double)b->stream / (double)b->intervals * (double)made / total_seconds(t);
    json_object row;

    json_object_begin(&row, rows, NULL);
    json_string(&row, "backend", b->gpu ? "gpu" : "cpu");
    json_u64(&row, "scale", (uint64_t)b->scale);
    json_u64(&row, "edge_factor", o->edge_factor);
    json_bool(&row, "unique", o->unique);
    json_bool(&row, "permute", o->permute);
    json_u64(&row, "intervals", b->intervals);
    json_u64(&row, "interval_edges", b->edges);
    fprintf(b->job->table, "%-7s %5d %9" PRIu64, b->gpu ? "gpu" : "cpu", b->scale, made);
    for (int p = 0; p < PHASES; p++) {
        json_f64(&row, phases[p], t->seconds[p]);
        fprintf(b->job->table, " %9.3f", 1e3 * t->seconds[p]);
    }
    json_u64(&row, "csr_edges", t->edges);
    json_f64(&row, "edges_per_second", rate);
    json_object_end(&row);
    fprintf(b->job->table, " %9.3f %7.3f\n", 1e3 * total_seconds(t), 1e-9 * rate);
}

/* The first run of several warms up. */
static int measure_scale(csr_bench *b, int runs, json_object *rows)
{
    csr_times times[BENCH_MAX_RUNS], warm;
    int status = bench_failed(prepare_intervals(b));

    if (status == EXIT_OK && runs > 1) {
        status = make_all_intervals(b, &warm);
    }
    for (int run = 0; run < runs && status == EXIT_OK; run++) {
        status = make_all_intervals(b, &times[run]);
    }
    if (status == EXIT_OK) {
        qsort(times, (size_t)runs, sizeof *times, compare_totals);
        print_row(b, &times[runs / 2], rows);
    }
    return status;
}

static void release_scale(csr_bench *b)
{
    b->backend->release(b->pointers);
    b->backend->release(b->indices);
    rmat_interval_destroy(b->interval);
    rmat_destroy(b->gen);
    free(b->cells);
}

int bench_csr(const bench_job *job, bool gpu)
{
    const bench_options *o = job->o;
    const int runs = (int)o->runs;
    json_object rows;
    int status = EXIT_OK;

    fprintf(job->table,
            "CSR in memory, %" PRIu64 " edges per vertex%s%s, ms, median of %d\n"
            "%-7s %5s %9s",
            o->edge_factor, o->unique ? ", each edge once" : "", o->permute ? ", permuted" : "",
            runs, "", "scale", "intervals");
    for (int p = 0; p < PHASES; p++) {
        fprintf(job->table, " %9s", phases[p]);
    }
    fprintf(job->table, " %9s %7s\n", "total", "Gedge/s");
    json_array_begin(&rows, job->json, gpu ? "gpu_csr" : "csr");
    for (int s = 0; s < o->scales.count && status == EXIT_OK; s++) {
        csr_bench b = {
            .job = job, .backend = bench_backend_of(gpu), .gpu = gpu, .scale = o->scales.item[s]};

        b.id_bytes = b.scale <= 32 ? 4 : 8;
        b.stream = o->edge_factor << b.scale;
        status = measure_scale(&b, runs, &rows);
        release_scale(&b);
    }
    json_array_end(&rows);
    fprintf(job->table, "\n");
    return status;
}
