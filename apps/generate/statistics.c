/*
 * statistics.c - what `rmat generate --statistics` prints: of a graph by rows its out-degrees, of
 * any other what all commands that count say of its edges (apps/client/statistics.h).
 */
#include "apps/client/statistics.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/generate/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_counters(FILE *f, const engine_counts *c)
{
    char rate[NUMBER_TEXT];

    fprintf(f, "time         %.3f s, %s edges/s by %d rank%s", c->seconds,
            format_si(rate, (double)c->tally.graph_edges / c->seconds), c->totals.ranks,
            c->totals.ranks == 1 ? "" : "s");
    if (c->totals.gpus > 0) {
        fprintf(f, " on %d GPU%s", c->totals.gpus, c->totals.gpus == 1 ? "" : "s");
    }
    if (c->totals.threads > 0) {
        fprintf(f, "%s %d thread%s", c->totals.gpus > 0 ? " and" : " with", c->totals.threads,
                c->totals.threads == 1 ? "" : "s");
    }
    putc('\n', f);
    if (c->totals.gpu_failed > 0) {
        fprintf(f, "gpu          not used: %s\n", c->totals.gpu_failed_text);
    }
}

/* Of a graph by rows: out-degrees, exact ones where they are small. */

enum { EXACT = 16 /* degrees that have a line for each */ };

/* Rows with at least `low` and at most `high` edges; they are below RMAT_ROWS_FEW, or a whole power
 * of two. */
static uint64_t rows_with(const rmat_rows_counts *r, uint64_t low, uint64_t high)
{
    uint64_t sum = 0;

    for (uint64_t d = low; d <= high && d < RMAT_ROWS_FEW; d++) {
        sum += r->few[d];
    }
    for (int i = 0; i < 64 && low >= RMAT_ROWS_FEW; i++) {
        sum += (uint64_t)1 << i == low ? r->many[i] : 0;
    }
    return sum;
}

static void print_rows(FILE *f, const generate_options *o, const engine_counts *counts)
{
    const rmat_rows_counts *r = &counts->rows;

    fprintf(f, "sources      %" PRIu64 " with edges, %" PRIu64 " without\n", r->rows,
            o->job.model.rows - r->rows);
    fprintf(f, "largest      %" PRIu64 " edges of one source\n", r->largest);
    fprintf(f, "out-degree   sources\n");
    for (uint64_t low = 1, high; low <= r->largest; low = high + 1) {
        const uint64_t n = rows_with(r, low, high = low < EXACT ? low : 2 * low - 1);
        char range[64];

        snprintf(range, sizeof range, low == high ? "%" PRIu64 : "%" PRIu64 " to %" PRIu64, low,
                 high);
        if (n > 0) {
            fprintf(f, "  %-24s %" PRIu64 "\n", range, n);
        }
        if (high > UINT64_MAX / 4) {
            break;
        }
    }
    for (int i = 0; i < o->request.vertices; i++) {
        fprintf(f, "vertex       %" PRIu64 ": out-degree %" PRIu64 "\n", o->request.vertex[i],
                counts->tally.out[i]);
    }
}

static void json_rows(json_object *j, const generate_options *o, const engine_counts *counts)
{
    const rmat_rows_counts *r = &counts->rows;

    json_u64(j, "edges", r->edges);
    json_u64(j, "sources", r->rows);
    json_u64(j, "sources_without_edges", o->job.model.rows - r->rows);
    json_u64(j, "largest_out_degree", r->largest);
    json_u64_list(j, "sources_by_out_degree", r->few, RMAT_ROWS_FEW);
    json_u64_list(j, "sources_by_power_of_two", r->many, 64);
    json_u64_list(j, "degrees_of", o->request.vertex, (uint64_t)o->request.vertices);
    json_u64_list(j, "out_degrees", counts->tally.out, (uint64_t)o->request.vertices);
}

static void json_counters(json_object *j, const engine_counts *counts)
{
    json_string(j, "library_version", rmat_version());
    json_u64(j, "ranks", (uint64_t)counts->totals.ranks);
    json_u64(j, "gpus", (uint64_t)counts->totals.gpus);
    json_u64(j, "threads", (uint64_t)counts->totals.threads);
    json_f64(j, "seconds", counts->seconds);
}

static void print_row_statistics(const generate_options *o, const engine_counts *counts)
{
    json_object j;

    if (o->json) {
        json_begin(&j, stdout);
        json_rows(&j, o, counts);
        json_counters(&j, counts);
        json_end(&j);
    } else {
        generate_print_model(stdout, &o->job, counts->rows.edges, false);
        print_rows(stdout, o, counts);
        print_counters(stdout, counts);
    }
}

int generate_print_statistics(const generate_options *o, const engine_counts *counts)
{
    statistics *s;
    json_object j;

    if (counts->by_rows) {
        print_row_statistics(o, counts);
        return EXIT_OK;
    }
    s = malloc(sizeof *s);
    if (s == NULL) {
        return runtime_error("generate", "memory is exhausted");
    }
    statistics_of(s, &o->job, &o->request, counts);
    if (o->json) {
        json_begin(&j, stdout);
        statistics_json(&j, s);
        json_counters(&j, counts);
        json_end(&j);
    } else { /* also with --quiet: the counts are what was asked for, not a summary */
        generate_print_model(stdout, &o->job, counts->tally.graph_edges, false);
        statistics_print(stdout, s);
        print_counters(stdout, counts);
    }
    free(s);
    return EXIT_OK;
}
