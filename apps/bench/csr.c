/*
 * CSR in memory, straight from the generator, one interval of the sorted order after the other.
 * For each interval the whole stream is generated; the edges of the interval are gathered, sorted,
 * freed of duplicates with --unique, and written as pointers and indices.  Edges per second are the
 * edges of the stream divided by the time for all intervals.
 */
#include "apps/bench/bench.h"
#include "apps/bench/device.h"
#include "apps/bench/gpu_kernels.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "rmat/rmat_sample.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { GATHER, SORT, POINTERS, INDICES, PHASES };

#define MOST_ROWS (((uint64_t)1 << 28) + 1)

static const char *const phases[PHASES] = {"gather", "sort", "pointers", "indices"};

typedef struct {
    double seconds[PHASES];
    uint64_t edges; /* in CSR */
} csr_times;

typedef struct {
    const bench_job *job;
    bool gpu;
    int scale, id_bytes;
    rmat_gen *gen;
    rmat_interval *interval;
    rmat_cell *cells;         /* where the intervals begin and end */
    void *pointers, *indices; /* for so many rows and edges; larger intervals in pieces.  On a GPU
                                 an interval has room for its indices itself */
    uint64_t rows, edges;
    uint64_t stream, checked;
} csr_bench;

/* Add the seconds since *then to *seconds once all work is done, and set *then to now. */
static int lap(const csr_bench *b, double *then, double *seconds)
{
    const int status = b->gpu ? device_wait() : RMAT_OK;
    const double now = clock_seconds();

    *seconds += now - *then;
    *then = now;
    return status;
}

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
    rmat_arrays to = {.dst = b->indices, .id_bytes = b->id_bytes};
    const uint64_t edges = rmat_interval_edges(b->interval);
    uint64_t room = b->edges;
    int status = RMAT_OK;

    if (b->gpu) {
        status = rmat_interval_spare_device(b->interval, &to.dst, &room);
        room /= (uint64_t)b->id_bytes;
    }
    for (uint64_t at = 0; status == RMAT_OK && at < edges; at += room) {
        uint64_t n = edges - at < room ? edges - at : room;

        status = b->gpu ? rmat_interval_read_device(b->interval, at, n, &to, NULL)
                        : rmat_interval_read(b->interval, at, n, &to);
    }
    return status;
}

static int verify(csr_bench *b, const rmat_cell *first, const rmat_cell *end)
{
    bool right;
    int status = bench_failed(
        csr_verify(b->gen, b->interval, first, end, b->stream, b->job->o->unique, &right));

    b->checked++;
    return status != EXIT_OK || right
               ? status
               : runtime_error("bench", "the interval from %" PRIu64 ", %" PRIu64 " on is wrong",
                               first->src, first->dst);
}

/* Make an interval; if it does not fit into memory, make its halves one after the other. */
static int make_interval(csr_bench *b, const rmat_cell *first, const rmat_cell *end, csr_times *t)
{
    double then = clock_seconds();
    rmat_cell middle;
    int status = rmat_interval_begin(b->interval, first, end, b->job->o->unique);

    for (int phase = GATHER; phase < PHASES && status == RMAT_OK; phase++) {
        status = phase == GATHER    ? rmat_interval_add(b->interval, 0, b->stream)
                 : phase == SORT    ? rmat_interval_sort(b->interval)
                 : phase == INDICES ? write_indices(b)
                                    : write_pointers(b, first, end);
        if (status == RMAT_OK || status == RMAT_ERR_FULL) {
            int done = lap(b, &then, &t->seconds[phase]);

            status = done == RMAT_OK ? status : done;
        }
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
    if (status == EXIT_OK && interrupt_signal() != 0) {
        return bench_stopped();
    }
    return status == EXIT_OK && b->job->o->verify ? verify(b, first, end) : status;
}

static int make_all(csr_bench *b, csr_times *t)
{
    const uint64_t n = b->job->o->intervals;
    int status = EXIT_OK;

    *t = (csr_times){.edges = 0};
    for (uint64_t i = 0; status == EXIT_OK && i < n; i++) {
        if (!b->job->o->ends || i == 0 || i == n - 1) {
            status = make_interval(b, &b->cells[i], &b->cells[i + 1], t);
        }
    }
    return status;
}

static double total(const csr_times *t)
{
    return t->seconds[GATHER] + t->seconds[SORT] + t->seconds[POINTERS] + t->seconds[INDICES];
}

static int by_total(const void *x, const void *y)
{
    const double a = total(x), b = total(y);

    return (a > b) - (a < b);
}

/* Allocate the interval and its CSR: for the edges that an interval usually has and some more, or
 * for as many as the memory allows. */
static int reserve(csr_bench *b)
{
    const uint64_t rows = ((uint64_t)1 << b->scale) + 1, n = b->job->o->intervals;
    const uint64_t usual = b->stream / n, index = b->gpu ? 0 : (uint64_t)b->id_bytes;
    uint64_t memory, bytes, edges = n == 1 ? usual : usual + usual / 8 + RMAT_INTERVAL_LEAST_EDGES;
    int status = RMAT_OK;

    memory = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (b->gpu) {
        status = device_select(b->job->device, &memory);
    }
    memory = b->job->o->memory > 0 ? b->job->o->memory : memory / 10 * 9;
    b->rows = rows < MOST_ROWS ? rows : MOST_ROWS;
    memory -= memory > 8 * b->rows ? 8 * b->rows : memory;
    edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
    while (status == RMAT_OK && (status = rmat_interval_bytes(b->gen, edges, &bytes)) == RMAT_OK &&
           edges > RMAT_INTERVAL_LEAST_EDGES && bytes + edges * index > memory) {
        edges -= edges / 64;
    }
    b->edges = edges;
    if (status == RMAT_OK) {
        status = rmat_interval_create(&b->interval, b->gen, bytes);
    }
    if (status == RMAT_OK) {
        status = place_alloc(b->gpu, &b->pointers, b->rows * sizeof(uint64_t));
    }
    return status == RMAT_OK && !b->gpu ? place_alloc(false, &b->indices, edges * index) : status;
}

static int prepare(csr_bench *b)
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
    b->cells = calloc(o->intervals + 1, sizeof *b->cells);
    status = b->cells != NULL ? rmat_create(&b->gen, &config) : RMAT_ERR_NOMEM;
    if (status == RMAT_OK) {
        status = rmat_sample_create(&sample, &config, 0);
    }
    if (status == RMAT_OK) {
        status = rmat_sample_cut(sample, (double)b->stream, 0, o->intervals, b->cells);
    }
    rmat_sample_destroy(sample);
    return status == RMAT_OK ? reserve(b) : status;
}

static void report(const csr_bench *b, const csr_times *t, json_object *rows)
{
    const bench_options *o = b->job->o;
    const uint64_t made = o->ends && o->intervals > 2 ? 2 : o->intervals;
    double rate = (double)b->stream / (double)o->intervals * (double)made / total(t);
    json_object row;

    json_object_begin(&row, rows, NULL);
    json_string(&row, "backend", b->gpu ? "gpu" : "cpu");
    json_u64(&row, "scale", (uint64_t)b->scale);
    json_u64(&row, "edge_factor", o->edge_factor);
    json_bool(&row, "unique", o->unique);
    json_bool(&row, "permute", o->permute);
    json_u64(&row, "intervals", o->intervals);
    json_u64(&row, "interval_edges", b->edges);
    fprintf(b->job->table, "%-7s %5d %9" PRIu64, b->gpu ? "gpu" : "cpu", b->scale, made);
    for (int p = 0; p < PHASES; p++) {
        json_f64(&row, phases[p], t->seconds[p]);
        fprintf(b->job->table, " %9.3f", 1e3 * t->seconds[p]);
    }
    json_u64(&row, "csr_edges", t->edges);
    json_u64(&row, "verified", b->checked);
    json_f64(&row, "edges_per_second", rate);
    json_object_end(&row);
    fprintf(b->job->table, " %9.3f %7.3f%s\n", 1e3 * total(t), 1e-9 * rate,
            b->checked > 0 ? "  verified" : "");
}

static int measure(csr_bench *b, int runs, json_object *rows)
{
    csr_times times[BENCH_MAX_RUNS], warm;
    int status = bench_failed(prepare(b));

    if (status == EXIT_OK && runs > 1) {
        status = make_all(b, &warm);
    }
    for (int run = 0; run < runs && status == EXIT_OK; run++) {
        status = make_all(b, &times[run]);
    }
    if (status == EXIT_OK) {
        qsort(times, (size_t)runs, sizeof *times, by_total);
        report(b, &times[runs / 2], rows);
    }
    return status;
}

static void release(csr_bench *b)
{
    place_release(b->gpu, b->pointers);
    free(b->indices);
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
        csr_bench b = {.job = job, .gpu = gpu, .scale = o->scales.item[s]};

        b.id_bytes = b.scale <= 32 ? 4 : 8;
        b.stream = o->edge_factor << b.scale;
        status = measure(&b, runs, &rows);
        release(&b);
    }
    json_array_end(&rows);
    fprintf(job->table, "\n");
    return status;
}
