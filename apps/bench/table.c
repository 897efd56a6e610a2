/* Tables of edges per second in memory: turns, medians, and what they are shares of. */
#include "apps/bench/table.h"
#include "apps/bench/models.h"
#include "apps/common/numbers.h"

#define MIN_SLICE 0.010 /* shorter ones would measure the clock */

enum { NAME = 14, THREADS = 8, TEXT = 64 }; /* widths of columns, and of a name's text */

table_row *table_add(bench_table *t, const char *variant, int kind)
{
    table_row *row = &t->rows[t->n_rows];

    *row =
        (table_row){.variant = variant, .kind = kind, .limit = t->n_rows, .one_thread = t->n_rows};
    t->n_rows++;
    return row;
}

static bool fits(const bench_table *t, int id_bytes, int scale)
{
    const int asked = t->job->id_bytes;

    return (asked == 0 || asked == id_bytes) && (id_bytes == 8 || scale <= 32);
}

static bool measured(const table_row *row, int id_bytes)
{
    return id_bytes == 8 || !row->wide;
}

/* Choose the number of runs and the duration of each measurement. */
static void plan(bench_table *t, double seconds)
{
    const option_list *scales = &t->job->o->scales;
    int cells = 0;

    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        for (int s = 0; s < scales->count; s++) {
            for (int r = 0; r < t->n_rows && fits(t, id_bytes, scales->item[s]); r++) {
                cells += measured(&t->rows[r], id_bytes);
            }
        }
    }
    t->runs = BENCH_USUAL_RUNS;
    if (t->job->o->runs > 0) {
        t->runs = (int)t->job->o->runs;
    } else if (seconds / (cells * t->runs) < MIN_SLICE) {
        t->runs = BENCH_LEAST_RUNS;
    }
    t->slice = seconds / (cells * t->runs);
}

static int open_generators(bench_table *t)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    int status = RMAT_OK;

    for (int l = 0; l < t->scale; l++) { /* no two alike */
        levels[l] = (rmat_matrix){0.57 - 0.001 * l, 0.19 + 0.001 * l, 0.19, 0.05};
    }
    for (int r = 0; r < t->n_rows && status == RMAT_OK; r++) {
        table_row *row = &t->rows[r];
        rmat_config config;

        if (row->generates) {
            bench_model(row->model, t->scale, &config);
            config.backend = t->gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
            config.isa = row->isa;
            config.threads = row->threads;
            config.device = t->job->device;
            config.levels = row->levels ? levels : NULL;
            status = rmat_create(&row->gen, &config);
        }
    }
    return bench_failed(status);
}

/* Measure all rows at the table's scale and width of ids, into column s. */
static int measure(bench_table *t, int s)
{
    int status = open_generators(t);

    for (int run = 0; run < t->runs; run++) {
        for (int r = 0; r < t->n_rows && status == EXIT_OK; r++) {
            table_row *row = &t->rows[r];

            if (measured(row, t->id_bytes)) {
                status = t->measure(t, row, &row->rates[s][run]);
            }
            if (status == EXIT_OK && interrupt_signal() != 0) {
                status = bench_stopped();
            }
        }
    }
    for (int r = 0; r < t->n_rows; r++) {
        rmat_destroy(t->rows[r].gen);
        t->rows[r].gen = NULL;
    }
    return status;
}

static const char *backend_of(const bench_table *t)
{
    return t->gpu ? "gpu" : "cpu";
}

static bench_stats rates_of(const bench_table *t, int r, int s)
{
    return bench_stats_of(t->rows[r].rates[s], NULL, (size_t)t->runs);
}

/* Statistics of the ratios of one row's rates to another's, turn by turn. */
static bench_stats ratios_of(const bench_table *t, int r, int other, int s)
{
    return bench_stats_of(t->rows[r].rates[s], t->rows[other].rates[s], (size_t)t->runs);
}

static void print_cell(const bench_table *t, int r, int s, json_object *cells)
{
    const table_row *row = &t->rows[r];
    json_object cell;

    json_object_begin(&cell, cells, NULL);
    json_string(&cell, "backend", backend_of(t));
    json_string(&cell, "variant", row->variant);
    if (row->threads > 0) {
        json_u64(&cell, "threads", (uint64_t)row->threads);
    }
    json_u64(&cell, "id_bits", 8 * (uint64_t)t->id_bytes);
    json_u64(&cell, "scale", (uint64_t)t->job->o->scales.item[s]);
    bench_json_stats(&cell, "edges_per_second", "", rates_of(t, r, s));
    if (row->one_thread != r) {
        json_f64(&cell, "speedup", ratios_of(t, r, row->one_thread, s).median);
    }
    if (row->limit != r) {
        json_string(&cell, "limit", t->rows[row->limit].variant);
        json_f64(&cell, "limit_edges_per_second", rates_of(t, row->limit, s).median);
        bench_json_stats(&cell, "ratio", "ratio_", ratios_of(t, r, row->limit, s));
    }
    json_object_end(&cell);
}

static int name_of(const bench_table *t, int r, char text[TEXT])
{
    return snprintf(text, TEXT, "%s%s%s", t->prefix ? backend_of(t) : "", t->prefix ? " " : "",
                    t->rows[r].variant);
}

/* Is there a column for the number of threads? */
static bool shows_threads(const bench_table *t)
{
    return t->prefix && t->rows[t->n_rows - 1].threads > 0;
}

/* The width of the column of names. */
static int width_of(const bench_table *t)
{
    char text[TEXT];
    int width = shows_threads(t) ? NAME : NAME + THREADS;

    for (int r = 0; r < t->n_rows; r++) {
        int length = t->rows[r].hidden ? 0 : name_of(t, r, text);

        width = length > width ? length : width;
    }
    return width;
}

static void print_row(const bench_table *t, int r, json_object *cells)
{
    const option_list *scales = &t->job->o->scales;
    const table_row *row = &t->rows[r];
    double low = 0, high = 0, spread = 0, limits[TABLE_SCALES];
    char text[NUMBER_TEXT], name[TEXT];
    FILE *out = t->job->table;
    int n = 0;

    name_of(t, r, name);
    fprintf(out, "%-*s", width_of(t), name);
    if (shows_threads(t)) {
        fprintf(out, "%*d", THREADS, row->threads);
    }
    fprintf(out, " %4d", 8 * t->id_bytes);
    for (int s = 0; s < scales->count; s++) {
        bench_stats rate;
        double ratio;

        if (!fits(t, t->id_bytes, scales->item[s])) {
            fprintf(out, " %8s", "");
            continue;
        }
        rate = rates_of(t, r, s);
        ratio = ratios_of(t, r, row->limit, s).median;
        limits[n] = rates_of(t, row->limit, s).median;
        low = n == 0 || ratio < low ? ratio : low;
        high = n == 0 || ratio > high ? ratio : high;
        if ((rate.max - rate.min) / rate.median > spread) {
            spread = (rate.max - rate.min) / rate.median;
        }
        n++;
        fprintf(out, " %8s", format_si(text, rate.median));
        print_cell(t, r, s, cells);
    }
    fprintf(out, " %5.0f %%", 100 * spread);
    if (row->limit != r) {
        fprintf(out, " %7s", format_si(text, bench_summary(limits, (size_t)n).median));
        snprintf(text, sizeof text, "%.0f-%.0f %%", 100 * low, 100 * high);
        fprintf(out, " %9s", text);
    }
    fprintf(out, "\n");
    fflush(out);
}

/* Measure and print all scales with ids of one width. */
static int run_width(bench_table *t, json_object *cells)
{
    const option_list *scales = &t->job->o->scales;
    int status = EXIT_OK, n = 0;

    for (int s = 0; s < scales->count && status == EXIT_OK; s++) {
        t->scale = scales->item[s];
        if (fits(t, t->id_bytes, t->scale)) {
            status = measure(t, s);
            n++;
        }
    }
    for (int r = 0; r < t->n_rows && status == EXIT_OK && n > 0; r++) {
        if (!t->rows[r].hidden && measured(&t->rows[r], t->id_bytes)) {
            print_row(t, r, cells);
        }
    }
    return status;
}

int table_run(bench_table *t, double seconds)
{
    const option_list *scales = &t->job->o->scales;
    FILE *out = t->job->table;
    json_object cells;
    char key[64];
    int status = EXIT_OK;

    plan(t, seconds);
    fprintf(out, "%s, median of %d\n%*s%*s %4s", t->title, t->runs, width_of(t), "",
            shows_threads(t) ? THREADS : 0, shows_threads(t) ? "threads" : "", "ids");
    for (int s = 0; s < scales->count; s++) {
        snprintf(key, sizeof key, "2^%d", scales->item[s]);
        fprintf(out, " %8s", key);
    }
    fprintf(out, "  spread   limit  of limit\n");
    snprintf(key, sizeof key, "%s_turns", t->key);
    json_u64(t->job->json, key, (uint64_t)t->runs);
    json_array_begin(&cells, t->job->json, t->key);
    for (t->id_bytes = 4; t->id_bytes <= 8 && status == EXIT_OK; t->id_bytes += 4) {
        status = run_width(t, &cells);
    }
    json_array_end(&cells);
    fprintf(out, "\n");
    return status;
}
