/* Tables of edges in memory: one row per backend and width of ids, one column per scale. */
#include "apps/bench/bench.h"
#include "apps/common/numbers.h"

const int bench_scales[BENCH_SCALES] = {20, 26, 30, 32, 36};

/* Shorter ones would measure the clock. */
#define MIN_SLICE 0.010

int bench_row_scales(int id_bytes)
{
    int n = 0;

    while (n < BENCH_SCALES && (id_bytes == 8 || bench_scales[n] <= 32)) {
        n++;
    }
    return n;
}

double bench_slice(double seconds, int kinds, int *turns)
{
    *turns = BENCH_MAX_TURNS;
    if (seconds / (kinds * *turns) < MIN_SLICE) {
        *turns = 3;
    }
    return seconds / (kinds * *turns);
}

void bench_rows_begin(const bench_job *job, const char *key, json_object *rows)
{
    json_array_begin(rows, job->json, key);
    fprintf(job->table, "%-14s %7s %4s", "", "threads", "ids");
    for (int s = 0; s < BENCH_SCALES; s++) {
        fprintf(job->table, "     2^%d", bench_scales[s]);
    }
    fprintf(job->table, "  spread   limit  of limit\n");
}

static bench_stats stats_of(const double *values, int turns)
{
    double copy[BENCH_MAX_TURNS];

    for (int t = 0; t < turns; t++) {
        copy[t] = values[t];
    }
    return bench_summary(copy, (size_t)turns);
}

static bench_stats ratio_of(const bench_row *row, int s, int turns)
{
    double ratios[BENCH_MAX_TURNS];

    for (int t = 0; t < turns; t++) {
        ratios[t] = row->rates[s][t] / row->limits[s][t];
    }
    return bench_summary(ratios, (size_t)turns);
}

static void print_json(json_object *rows, const bench_row *row, int s, int turns)
{
    bench_stats rate = stats_of(row->rates[s], turns);
    json_object cell;

    json_object_begin(&cell, rows, NULL);
    json_string(&cell, "backend", row->backend);
    json_string(&cell, "variant", row->variant);
    if (row->threads > 0) {
        json_u64(&cell, "threads", (uint64_t)row->threads);
    }
    json_u64(&cell, "id_bits", 8 * (uint64_t)row->id_bytes);
    json_u64(&cell, "scale", (uint64_t)bench_scales[s]);
    json_f64(&cell, "edges_per_second", rate.median);
    json_f64(&cell, "lowest", rate.min);
    json_f64(&cell, "highest", rate.max);
    json_string(&cell, "limit", row->limit_name);
    json_f64(&cell, "limit_edges_per_second", stats_of(row->limits[s], turns).median);
    json_f64(&cell, "ratio", ratio_of(row, s, turns).median);
    json_object_end(&cell);
}

void bench_row_print(const bench_job *job, const bench_row *row, int turns, json_object *rows)
{
    int scales = bench_row_scales(row->id_bytes);
    double low = 0, high = 0, spread = 0, limits[BENCH_SCALES];
    char text[NUMBER_TEXT], threads[16] = "", name[32];

    if (row->threads > 0) {
        snprintf(threads, sizeof threads, "%d", row->threads);
    }
    snprintf(name, sizeof name, "%s %s", row->backend, row->variant);
    fprintf(job->table, "%-14s %7s %4d", name, threads, 8 * row->id_bytes);
    for (int s = 0; s < BENCH_SCALES; s++) {
        bench_stats rate;
        double ratio;

        if (s >= scales) {
            fprintf(job->table, " %8s", "");
            continue;
        }
        rate = stats_of(row->rates[s], turns);
        ratio = ratio_of(row, s, turns).median;
        limits[s] = stats_of(row->limits[s], turns).median;
        low = s == 0 || ratio < low ? ratio : low;
        high = s == 0 || ratio > high ? ratio : high;
        if ((rate.max - rate.min) / rate.median > spread) {
            spread = (rate.max - rate.min) / rate.median;
        }
        fprintf(job->table, " %8s", format_si(text, rate.median));
        print_json(rows, row, s, turns);
    }
    fprintf(job->table, " %5.0f %% %7s", 100 * spread,
            format_si(text, bench_summary(limits, (size_t)scales).median));
    snprintf(text, sizeof text, "%.0f-%.0f %%", 100 * low, 100 * high);
    fprintf(job->table, " %9s\n", text);
    fflush(job->table);
}

void bench_rows_end(const bench_job *job, json_object *rows)
{
    json_array_end(rows);
    fprintf(job->table, "\n");
}
