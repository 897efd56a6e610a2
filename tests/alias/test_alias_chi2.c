/*
 * Draws in sequence and in sections follow the masses (chi-squared).  Draws of one batch, of two
 * batches, and of consecutive seeds are pairwise independent.  Planted faults show that the tests
 * would notice small ones.  The tests run on the CPU, because test_alias_gpu_sample.c shows that a
 * GPU's draws are the same.
 *
 * Seeds are fixed; a test rejects one correct sampler in 10^6 (STATS_ALPHA).
 */
#include "alias/core/draw.h"
#include "alias/core/table.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

enum { BATCH = 1 << 20 };

typedef int sampler(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                    uint32_t *out);
static sampler *const samplers[] = {alias_sample32, alias_sample_sections32};

static uint32_t out[2][BATCH];

static alias_table *create(int row_bytes, uint64_t section_rows, const double *w, uint64_t n)
{
    alias_config config = table_config(ALIAS_BACKEND_CPU, ALIAS_BUILDER_AUTO, row_bytes);
    alias_table *table;

    config.section_rows = section_rows;
    ok(alias_create(&table, &config, w, n, NULL));
    return table;
}

/* The p-value of batches of draws against the masses. */
static double fit_of(const alias_table *table, sampler *draw, const double *w, uint64_t seed,
                     uint64_t batches)
{
    const uint64_t n = alias_size(table);
    const int k = alias_log2_capacity(table);
    scoped(free) uint64_t *count = must_alloc(n, sizeof(*count)), *q = must_alloc(n, sizeof(*q));
    scoped(free) double *chance = must_alloc(n, sizeof(*chance));

    for (uint64_t b = 0; b < batches; b++) {
        ok(draw(table, seed, b * BATCH, BATCH, out[0]));
        for (int i = 0; i < BATCH; i++) {
            count[out[0][i]]++;
        }
    }
    ok(alias_quantize(w, n, k, q, NULL));
    for (uint64_t i = 0; i < n; i++) {
        chance[i] = (double)q[i] / ldexp((double)n, k);
    }
    return stats_fit(count, chance, n, batches * BATCH);
}

START_TEST(families)
{
    static const uint64_t sizes[] = {5, 1000, 100000};

    for (int i = 0; i < 3 * 2 * 2; i++) {
        const int s = i % 3, row_bytes = i / 3 % 2 ? 16 : 8, way = i / 6;
        scoped(free) double *w = family_weights(_i, sizes[s]);
        scoped(alias_destroy) alias_table *table = create(row_bytes, s == 0 ? 4 : 500, w, sizes[s]);
        const double p = fit_of(table, samplers[way], w, (uint64_t)(100 * s + row_bytes), 1);

        ck_assert_msg(p > STATS_ALPHA, "%s, n %lu, sampler %d: p = %g", family_name(_i), sizes[s],
                      way, p);
    }
}

/* One threshold of four, moved by a small part of a bucket. */
static const struct {
    int way, row_bytes;
    uint64_t batches;
    int part; /* 2^-part of a bucket */
} faults[] = {{0, 8, 64, 10}, {0, 16, 64, 10}, {1, 8, 16, 8}};

START_TEST(corrupted)
{
    const double w[4] = {1, 2, 3, 4};
    sampler *draw = samplers[faults[_i].way];
    scoped(alias_destroy) alias_table *table = create(faults[_i].row_bytes, 0, w, 4);
    const uint64_t fault = (uint64_t)1 << (table->k - faults[_i].part);

    ck_assert_double_gt(fit_of(table, draw, w, 1, faults[_i].batches), STATS_ALPHA);
    if (faults[_i].row_bytes == 8) {
        ((alias_row8 *)table->rows)[0].threshold += (uint32_t)fault;
    } else {
        ((alias_row16 *)table->rows)[0].threshold += fault;
    }
    ck_assert_double_lt(fit_of(table, draw, w, 1, faults[_i].batches), STATS_ALPHA);
}

static void count_pairs(const uint32_t *a, const uint32_t *b, int pairs, uint64_t *count)
{
    for (int i = 0; i < pairs; i++) {
        count[8 * a[i] + b[i]]++;
    }
}

/* Draws t and t + lag of a batch, and draws t of two batches of the same or of neighboring seeds,
 * counted in the cells of an 8 x 8 table.  All eight items are one section. */
START_TEST(pairs)
{
    static const char *const what[] = {"the next seed", "lag 1", "lag 2", "lag 3",
                                       "the next batch"};
    const double w[8] = {1, 2, 3, 4, 4, 3, 2, 1};
    sampler *draw = samplers[_i / 2];
    scoped(alias_destroy) alias_table *table = create(_i % 2 ? 16 : 8, 8, w, 8);
    uint64_t count[5][64] = {{0}};
    double chance[64];

    for (int i = 0; i < 64; i++) {
        chance[i] = w[i / 8] * w[i % 8] / 400;
    }
    for (uint64_t round = 0; round < 8; round++) {
        draw(table, 5, 2 * round * BATCH, BATCH, out[0]);
        draw(table, 6, 2 * round * BATCH, BATCH, out[1]);
        for (int lag = 0; lag < 4; lag++) {
            count_pairs(out[0], lag == 0 ? out[1] : out[0] + lag, BATCH - lag, count[lag]);
        }
        draw(table, 5, (2 * round + 1) * BATCH, BATCH, out[1]);
        count_pairs(out[0], out[1], BATCH, count[4]);
    }
    for (int way = 0; way < 5; way++) {
        const uint64_t n = 8 * (BATCH - (way < 4 ? (uint64_t)way : 0));
        const double p = stats_fit(count[way], chance, 64, n);

        ck_assert_msg(p > STATS_ALPHA, "%s: p = %g", what[way], p);
    }
}

TEST_CASES(alias_chi2, 120, LOOP(families, 0, FAMILIES), LOOP(corrupted, 0, COUNT(faults)),
           LOOP(pairs, 0, 4))
