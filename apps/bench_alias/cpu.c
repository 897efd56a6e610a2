/*
 * The CPU's part of bench_alias: for every size and weight family each builder, then 32-bit draws
 * from the default builder's table, by the baseline sampler and by the sectioned one, and one by
 * one from a sequence and by a call for each.  One warm-up, then --repeats runs.  Building includes
 * the allocation of the table, as a user sees it; drawing writes to memory that has been touched.
 */
#include "apps/bench/util.h"
#include "apps/bench_alias/bench_alias.h"
#include "apps/common/clock.h"
#include "apps/common/message.h"

#include <math.h>
#include <stdlib.h>

/* Draws in a timed run. */
#define DRAWS ((uint64_t)1 << 26)

typedef struct {
    const char *name;
    double exponent; /* 0: uniform random, else a shuffled power law */
} family;

static const family families[] = {
    {"uniform", 0}, {"power 1 shuffled", 1}, {"power 0.5 shuffled", 0.5}, {"power 2 shuffled", 2}};
enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void make_weights(const family *f, double *w, uint64_t n)
{
    uint64_t state = 1, i;

    for (i = 0; i < n; i++) {
        w[i] = f->exponent > 0 ? pow((double)(i + 1), -f->exponent)
                               : ((double)(next_random(&state) >> 12) + 0.5) * 0x1p-52;
    }
    for (i = n - 1; f->exponent > 0 && i > 0; i--) {
        uint64_t j = next_random(&state) % (i + 1);
        double t = w[i];

        w[i] = w[j];
        w[j] = t;
    }
}

static void add_result(FILE *json, const char *what, const char *builder, const family *f,
                       uint64_t n, double amount, bench_stats s)
{
    static int reports;

    fprintf(json,
            "%s\n  {\"what\": \"%s\", \"builder\": \"%s\", \"weights\": \"%s\", \"n\": %llu, "
            "\"seconds\": {\"min\": %.6g, \"median\": %.6g, \"max\": %.6g}, "
            "\"per_second\": %.6g}",
            reports++ > 0 ? "," : "", what, builder, f->name, (unsigned long long)n, s.min,
            s.median, s.max, amount / s.median);
    fprintf(stderr, "%-8s %-6s %-18s n %10llu  median %9.3f ms  min %9.3f ms  %8.4f G/s\n", what,
            builder, f->name, (unsigned long long)n, 1e3 * s.median, 1e3 * s.min,
            1e-9 * amount / s.median);
}

static int bench_build(FILE *json, const alias_config *config, const bench_alias_options *o,
                       const family *f, const double *w, uint64_t n)
{
    double times[BENCH_REPEATS];
    int r;

    for (r = -1; r < o->repeats; r++) {
        alias_table *table;
        double start = clock_seconds();
        int st = alias_create(&table, config, w, n, NULL);

        if (st != ALIAS_OK) {
            return st;
        }
        times[r < 0 ? 0 : r] = clock_seconds() - start;
        alias_destroy(table);
    }
    add_result(json, "build", alias_builder_name(config->builder), f, n, (double)n,
               bench_summary(times, (size_t)o->repeats));
    return ALIAS_OK;
}

/* Ways to draw: in one call, or one draw at a time. */
static const struct {
    const char *name;
    uint64_t draws;
} ways[] = {{"sample", DRAWS}, {"sections", DRAWS}, {"next", DRAWS}, {"alone", DRAWS / 16}};
enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static int draw(const alias_table *table, int way, uint64_t seed, uint32_t *out)
{
    const uint64_t count = ways[way].draws;
    alias_sequence sequence;
    int st = ALIAS_OK;

    switch (way) {
    case 0:
        return alias_sample32(table, seed, 0, count, out);
    case 1:
        return alias_sample_sections32(table, seed, 0, count, out);
    case 2:
        st = alias_sequence_begin(&sequence, table, seed, 0);
        for (uint64_t t = 0; t < count && st == ALIAS_OK; t++) {
            out[t] = (uint32_t)alias_next(&sequence);
        }
        return st;
    default:
        for (uint64_t t = 0; t < count && st == ALIAS_OK; t++) {
            st = alias_sample32(table, seed, t, 1, &out[t]);
        }
        return st;
    }
}

static int bench_sample(FILE *json, alias_config config, const bench_alias_options *o,
                        const family *f, const double *w, uint64_t n, uint32_t *out)
{
    double times[BENCH_REPEATS];
    alias_table *table;
    int way, r, st;

    config.builder = ALIAS_BUILDER_AUTO;
    st = alias_create(&table, &config, w, n, NULL);
    for (way = 0; way < WAYS && st == ALIAS_OK; way++) {
        for (r = -1; r < o->repeats && st == ALIAS_OK; r++) {
            double start = clock_seconds();

            st = draw(table, way, (uint64_t)(r + 1), out);
            times[r < 0 ? 0 : r] = clock_seconds() - start;
        }
        if (st == ALIAS_OK) {
            add_result(json, ways[way].name, alias_builder_name(alias_used_builder(table)), f, n,
                       (double)ways[way].draws, bench_summary(times, (size_t)o->repeats));
        }
    }
    alias_destroy(table);
    return st;
}

static int bench_size(FILE *json, const bench_alias_options *o, uint64_t n, uint32_t *out)
{
    double *w = malloc(n * sizeof(*w));
    alias_config config;
    int f, b, st = w != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.threads = o->threads;
    config.row_bytes = o->row_bytes;
    for (f = 0; f < FAMILIES && st == ALIAS_OK; f++) {
        make_weights(&families[f], w, n);
        for (b = 0; b < o->builders && st == ALIAS_OK; b++) {
            config.builder = o->builder[b];
            st = bench_build(json, &config, o, &families[f], w, n);
        }
        if (st == ALIAS_OK) {
            st = bench_sample(json, config, o, &families[f], w, n, out);
        }
    }
    free(w);
    return st;
}

int bench_alias_cpu(const bench_alias_options *o, FILE *json)
{
    static const uint64_t usual[] = {1000000, 10000000, 100000000};
    int i, st = ALIAS_OK, sizes = o->sizes != 0 ? o->sizes : 3;
    const uint64_t *n = o->sizes != 0 ? o->n : usual;
    uint32_t *out = malloc(DRAWS * sizeof(*out));

    if (out == NULL) {
        st = ALIAS_ERR_NOMEM;
    }
    fprintf(json, ", \"results\": [");
    for (i = 0; i < sizes && st == ALIAS_OK; i++) {
        st = bench_size(json, o, n[i], out);
    }
    fprintf(json, "\n]");
    free(out);
    if (st != ALIAS_OK) {
        fprintf(stderr, "bench_alias: %s\n", alias_strerror(st));
        return EXIT_RUNTIME;
    }
    return EXIT_OK;
}
