/*
 * bench_alias - how fast alias tables are built and sampled.
 *
 * For every size and weight family: each builder, then 32-bit draws from the default builder's
 * table.  One warm-up, then --repeats runs.  JSON on stdout, a table on stderr.  Building includes
 * the allocation of the table, as a user sees it; drawing writes to memory that has been touched.
 */
#include "alias/alias.h"
#include "apps/bench_util.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LIST = 16, MAX_REPEATS = 101 };

/* Draws in a timed run. */
#define DRAWS ((uint64_t)1 << 26)

typedef struct {
    uint64_t n[MAX_LIST];
    int sizes;
    alias_builder builder[MAX_LIST];
    int builders;
    int threads, repeats, row_bytes;
} options;

typedef struct {
    const char *name;
    double exponent; /* 0: uniform random, else a shuffled power law */
} family;

static const family families[] = {
    {"uniform", 0}, {"power 1 shuffled", 1}, {"power 0.5 shuffled", 0.5}, {"power 2 shuffled", 2}};
enum { FAMILIES = sizeof(families) / sizeof(families[0]) };

static const char usage[] =
    "usage: bench_alias [--n LIST] [--builders LIST] [--threads T] [--repeats R] [--row-bytes B]\n"
    "  --n LIST         numbers of weights, as 1e6,1e7,1e8 (default), each 1 to 2^31\n"
    "  --builders LIST  of auto,vose,sweep,psa,psa+,merge (default: all but auto)\n"
    "  --threads T      1 to 1024; 0, the default: all that this process may use\n"
    "  --repeats R      timed runs of each case, 1 to 101 (default 7)\n"
    "  --row-bytes B    8 (default) or 16\n";

static int parse_number(const char *text, double low, double high, double *value)
{
    char *end;

    errno = 0;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && errno == 0 && *value >= low && *value <= high &&
           *value == floor(*value);
}

static int parse_builder(const char *text, alias_builder *builder)
{
    int b;

    for (b = ALIAS_BUILDER_AUTO; b <= ALIAS_BUILDER_MERGE; b++) {
        if (strcmp(text, alias_builder_name((alias_builder)b)) == 0) {
            *builder = (alias_builder)b;
            return 1;
        }
    }
    return 0;
}

/* Comma-separated sizes or builders; text is cut up. */
static int parse_list(options *o, int sizes, char *text)
{
    char *save = NULL, *item;
    int count = 0;

    for (item = strtok_r(text, ",", &save); item != NULL; item = strtok_r(NULL, ",", &save)) {
        double value;

        if (count == MAX_LIST) {
            return 0;
        }
        if (sizes) {
            if (!parse_number(item, 1, 2147483648.0, &value)) {
                return 0;
            }
            o->n[count++] = (uint64_t)value;
        } else if (!parse_builder(item, &o->builder[count++])) {
            return 0;
        }
    }
    *(sizes ? &o->sizes : &o->builders) = count;
    return count > 0;
}

static int parse_option(options *o, const char *name, char *value)
{
    double number;

    if (strcmp(name, "--n") == 0) {
        return parse_list(o, 1, value);
    }
    if (strcmp(name, "--builders") == 0) {
        return parse_list(o, 0, value);
    }
    if (strcmp(name, "--threads") == 0 && parse_number(value, 0, 1024, &number)) {
        o->threads = (int)number;
        return 1;
    }
    if (strcmp(name, "--repeats") == 0 && parse_number(value, 1, MAX_REPEATS, &number)) {
        o->repeats = (int)number;
        return 1;
    }
    if (strcmp(name, "--row-bytes") == 0 && parse_number(value, 8, 16, &number) &&
        (number == 8 || number == 16)) {
        o->row_bytes = (int)number;
        return 1;
    }
    return 0;
}

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

static void report(const char *what, const char *builder, const family *f, uint64_t n,
                   double amount, bench_stats s)
{
    static int reports;

    printf("%s\n  {\"what\": \"%s\", \"builder\": \"%s\", \"weights\": \"%s\", \"n\": %llu, "
           "\"seconds\": {\"min\": %.6g, \"median\": %.6g, \"max\": %.6g}, "
           "\"per_second\": %.6g}",
           reports++ > 0 ? "," : "", what, builder, f->name, (unsigned long long)n, s.min, s.median,
           s.max, amount / s.median);
    fprintf(stderr, "%-6s %-6s %-18s n %10llu  median %9.3f ms  min %9.3f ms  %8.4f G/s\n", what,
            builder, f->name, (unsigned long long)n, 1e3 * s.median, 1e3 * s.min,
            1e-9 * amount / s.median);
}

static int bench_build(const alias_config *config, const options *o, const family *f,
                       const double *w, uint64_t n)
{
    double times[MAX_REPEATS];
    int r;

    for (r = -1; r < o->repeats; r++) {
        alias_table *table;
        double start = bench_now();
        int st = alias_create(&table, config, w, n, NULL);

        if (st != ALIAS_OK) {
            return st;
        }
        times[r < 0 ? 0 : r] = bench_now() - start;
        alias_destroy(table);
    }
    report("build", alias_builder_name(config->builder), f, n, (double)n,
           bench_summary(times, (size_t)o->repeats));
    return ALIAS_OK;
}

static int bench_sample(alias_config config, const options *o, const family *f, const double *w,
                        uint64_t n, uint32_t *out)
{
    double times[MAX_REPEATS];
    alias_table *table;
    int r, st;

    config.builder = ALIAS_BUILDER_AUTO;
    st = alias_create(&table, &config, w, n, NULL);
    for (r = -1; r < o->repeats && st == ALIAS_OK; r++) {
        double start = bench_now();

        st = alias_sample32(table, (uint64_t)(r + 1), 0, DRAWS, out);
        times[r < 0 ? 0 : r] = bench_now() - start;
    }
    if (st == ALIAS_OK) {
        report("sample", alias_builder_name(alias_used_builder(table)), f, n, (double)DRAWS,
               bench_summary(times, (size_t)o->repeats));
    }
    alias_destroy(table);
    return st;
}

static int bench_size(const options *o, uint64_t n, uint32_t *out)
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
            st = bench_build(&config, o, &families[f], w, n);
        }
        if (st == ALIAS_OK) {
            st = bench_sample(config, o, &families[f], w, n, out);
        }
    }
    free(w);
    return st;
}

int main(int argc, char **argv)
{
    options o = {{1000000, 10000000, 100000000},
                 3,
                 {ALIAS_BUILDER_VOSE, ALIAS_BUILDER_SWEEP, ALIAS_BUILDER_PSA,
                  ALIAS_BUILDER_PSA_PLUS, ALIAS_BUILDER_MERGE},
                 5,
                 0,
                 7,
                 8};
    uint32_t *out;
    int i, st = ALIAS_OK;

    for (i = 1; i < argc; i += 2) {
        if (i + 1 == argc || !parse_option(&o, argv[i], argv[i + 1])) {
            fprintf(stderr, "bench_alias: bad option or value: %s %s\n%s", argv[i],
                    i + 1 < argc ? argv[i + 1] : "", usage);
            return 2;
        }
    }
    out = malloc(DRAWS * sizeof(*out));
    if (out == NULL) {
        fprintf(stderr, "bench_alias: %s\n", alias_strerror(ALIAS_ERR_NOMEM));
        return 1;
    }
    printf("{\"benchmark\": \"alias\", \"machine\": ");
    bench_machine_json(stdout);
    printf(", \"threads\": %d, \"row_bytes\": %d, \"repeats\": %d, \"results\": [", o.threads,
           o.row_bytes, o.repeats);
    for (i = 0; i < o.sizes && st == ALIAS_OK; i++) {
        st = bench_size(&o, o.n[i], out);
    }
    printf("\n]}\n");
    free(out);
    if (st != ALIAS_OK || fflush(stdout) != 0) {
        fprintf(stderr, "bench_alias: %s\n",
                st != ALIAS_OK ? alias_strerror(st) : "cannot write to standard output");
        return 1;
    }
    return 0;
}
