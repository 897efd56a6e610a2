/* Families of weights for the tests of alias tables, and checks of a table against them. */
#include "tests/support/alias_util.h"
#include "alias/alias_gpu.h"
#include "alias/core/table.h"
#include "tests/support/must.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const names[FAMILIES] = {"uniform",
                                            "power 0.5 shuffled",
                                            "power 0.5 ascending",
                                            "power 0.5 descending",
                                            "power 1 shuffled",
                                            "power 1 ascending",
                                            "power 1 descending",
                                            "power 2 shuffled",
                                            "power 2 ascending",
                                            "power 2 descending",
                                            "one heavy",
                                            "one light",
                                            "ramp",
                                            "sine",
                                            "all equal",
                                            "600 orders of magnitude",
                                            "zero or one",
                                            "exactly average"};

const char *family_name(int family)
{
    return names[family];
}

uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

double next_unit(uint64_t *state)
{
    return ((double)(next_random(state) >> 12) + 0.5) * 0x1p-52;
}

void *must_alloc(uint64_t count, size_t size)
{
    void *memory = calloc(count, size);

    must(memory != NULL, "no memory"); /* not ck_assert(), which needs a test that runs */
    return memory;
}

static void power_law(double *w, uint64_t n, double exponent, int order, uint64_t *state)
{
    for (uint64_t i = 0; i < n; i++) {
        w[i] = pow((double)(order == 1 ? n - i : i + 1), -exponent);
    }
    for (uint64_t i = n - 1; i > 0 && order == 0; i--) { /* shuffled */
        const uint64_t j = next_random(state) % (i + 1);
        const double kept = w[i];

        w[i] = w[j];
        w[j] = kept;
    }
}

double *family_weights(int family, uint64_t n)
{
    static const double exponents[] = {0.5, 1, 2};
    double *w = must_alloc(n, sizeof(*w));
    uint64_t state = 17 + (uint64_t)family;

    if (family >= 1 && family <= 9) {
        power_law(w, n, exponents[(family - 1) / 3], (family - 1) % 3, &state);
        return w;
    }
    for (uint64_t i = 0; i < n; i++) {
        const double x = next_unit(&state);

        w[i] = family == 0    ? x
               : family == 10 ? (i == n / 2 ? 1e300 : 1e-300)
               : family == 11 ? (i == n / 2 ? 1e-9 : 1)
               : family == 12 ? (double)i + 1
               : family == 13 ? 1 + sin((double)i * 0.001)
               : family == 14 ? 0.1
               : family == 15 ? pow(10, 600 * x - 300)
               : family == 16 ? x < 0.5 || i == n / 2
               /* half of the items exactly average, pairs around the average between them */
               : i % 4 < 2 || i + 1 == n || n % 4 != 0 ? 4
               : i % 4 == 2                            ? 1
                                                       : 7;
    }
    return w;
}

alias_config table_config(alias_backend backend, alias_builder builder, int row_bytes)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = backend;
    config.builder = builder;
    config.row_bytes = row_bytes;
    return config;
}

int create_status(const alias_config *config, const double *w, uint64_t n, uint64_t *bad)
{
    scoped(alias_destroy) alias_table *made = SOME_TABLE;

    return status_of(alias_create(&made, config, w, n, bad), &made);
}

alias_table *must_create(alias_builder builder, int row_bytes, int threads, uint64_t splits,
                         const double *weights, uint64_t n)
{
    alias_config config = table_config(ALIAS_BACKEND_CPU, builder, row_bytes);
    alias_table *table = NULL;
    int st;

    config.threads = threads;
    config.splits = splits;
    st = alias_create(&table, &config, weights, n, NULL);
    ck_assert_msg(st == ALIAS_OK, "%s, n = %lu: %s", alias_builder_name(builder), n,
                  alias_strerror(st));
    return table;
}

alias_row *table_rows(const alias_table *table)
{
    uint64_t n = alias_size(table);
    alias_row *rows = must_alloc(n, sizeof(*rows));

    for (uint64_t i = 0; i < n; i++) {
        int st = alias_get_row(table, i, &rows[i]);

        if (st != ALIAS_OK) {
            ck_abort_msg("row %lu: %s", i, alias_strerror(st));
        }
    }
    return rows;
}

void check_masses(const alias_row *rows, uint64_t n, int k, const uint64_t *q, const char *what)
{
    const uint64_t capacity = (uint64_t)1 << k;
    scoped(free) uint64_t *mass = must_alloc(n, sizeof(*mass));

    for (uint64_t i = 0; i < n; i++) {
        const alias_row *r = &rows[i];

        if (r->threshold > capacity || r->alias >= n ||
            (r->threshold == capacity) != (r->alias == i)) {
            ck_abort_msg("%s: row %lu is {%lu, %lu}", what, i, r->threshold, r->alias);
        }
        mass[i] += r->threshold;
        mass[r->alias] += capacity - r->threshold;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (mass[i] != q[i]) {
            ck_abort_msg("%s: item %lu has mass %lu, not %lu", what, i, mass[i], q[i]);
        }
    }
}

void check_equal(const alias_row *a, const alias_row *b, uint64_t n, const char *what)
{
    for (uint64_t i = 0; i < n; i++) {
        if (a[i].threshold != b[i].threshold || a[i].alias != b[i].alias) {
            ck_abort_msg("%s: row %lu is {%lu, %lu}, not {%lu, %lu}", what, i, a[i].threshold,
                         a[i].alias, b[i].threshold, b[i].alias);
        }
    }
}

void check_draws(const alias_table *table, bool sections, uint64_t seed, uint64_t first, uint64_t n,
                 const uint64_t *expected)
{
    const uint64_t shift = first % 2; /* vectors are not aligned */
    scoped(free) uint32_t *narrow = must_alloc(n + 2, sizeof(*narrow));
    scoped(free) uint64_t *wide = must_alloc(n + 2, sizeof(*wide));
    uint32_t *out = narrow + shift;
    uint64_t *wide_out = wide + shift;

    out[n] = 12345;
    wide_out[n] = 12345;
    if (sections) {
        ok(alias_sample_sections32(table, seed, first, n, out));
        ok(alias_sample_sections64(table, seed, first, n, wide_out));
    } else {
        ok(alias_sample32(table, seed, first, n, out));
        ok(alias_sample64(table, seed, first, n, wide_out));
    }
    for (uint64_t i = 0; i < n; i++) {
        must(out[i] == expected[i] && wide_out[i] == expected[i],
             "n %lu, batch at %lu, draw %lu: %u and %lu, not %lu", alias_size(table), first, i,
             out[i], wide_out[i], expected[i]);
    }
    must(out[n] == 12345 && wide_out[n] == 12345, "draws behind the last one");
}
