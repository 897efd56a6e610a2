/*
 * The space-efficient table in host memory: its slots give every item exactly its mass, and the
 * draws are those that apps/bench_alias/space_efficient.h defines and follow the masses.
 */
#include "apps/bench_alias/space_efficient.h"
#include "tests/support/alias_util.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static alias_space_efficient *must_build(const double *w, uint64_t n, int threads)
{
    alias_space_efficient *table = NULL;
    int st = alias_space_efficient_create(&table, threads, w, n, NULL);

    ck_assert_msg(st == ALIAS_OK, "n = %llu: %s", (unsigned long long)n, alias_strerror(st));
    return table;
}

/* The masses, added up slot by slot as a draw sees them, have no error. */
START_TEST(masses)
{
    static const uint64_t sizes[] = {1, 2, 31, 95, 96, 97, 4095, 4096, 4097, 50000};

    for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
        const uint64_t n = sizes[s];
        double *w = family_weights(_i, n);
        uint64_t *q = must_alloc(n, sizeof(*q)), *mass = must_alloc(n, sizeof(*mass)), slots = 0;

        ck_assert_int_eq(alias_quantize(w, n, 32, q, NULL), ALIAS_OK);
        for (int threads = 1; threads <= 3; threads += 2) {
            alias_space_efficient *table = must_build(w, n, threads);

            memset(mass, 0, n * sizeof(*mass));
            slots = table->slots;
            ck_assert(slots >= n && slots <= 2 * n);
            ck_assert_uint_eq(table->n, n);
            ck_assert_uint_le(alias_space_efficient_bytes(table),
                              4 * n + n / 3 + 2 * sizeof(alias_rank_entry) + sizeof(*table));
            for (uint64_t slot = 0; slot < slots; slot++) {
                const alias_rank_entry *entry = &table->ranks[slot / ALIAS_RANK_SLOTS];
                uint32_t i = (uint32_t)(slot % ALIAS_RANK_SLOTS), item = alias_rank(entry, i);

                must(item < n, "slot %llu is of item %u", (unsigned long long)slot, item);
                mass[item] +=
                    entry->bits[i / 32] >> i % 32 & 1 ? table->fractions[item] : (uint64_t)1 << 32;
            }
            for (uint64_t i = 0; i < n; i++) {
                if (mass[i] != q[i]) {
                    ck_abort_msg("%s, n %llu: item %llu has mass %llu, not %llu", family_name(_i),
                                 (unsigned long long)n, (unsigned long long)i,
                                 (unsigned long long)mass[i], (unsigned long long)q[i]);
                }
            }
            alias_space_efficient_destroy(table);
        }
        free(w);
        free(q);
        free(mass);
    }
}
END_TEST

/* Draws equal a literal implementation of their definition. */
START_TEST(attempts)
{
    enum { N = 1000, DRAWS = 5000 };
    double *w = family_weights(0, N);
    alias_space_efficient *table = must_build(w, N, 1);
    const uint64_t slots = table->slots;
    uint64_t retried = 0, most = 0;
    uint32_t out[DRAWS];

    ck_assert_int_eq(alias_space_efficient_sample32(table, 42, 77, DRAWS, out), ALIAS_OK);
    for (uint32_t t = 0; t < DRAWS; t++) {
        uint32_t item, attempt = 0;

        for (;; attempt++) {
            philox_block b = philox_at(42, 77 + t, attempt / 2, PHILOX_SPACE_EFFICIENT);
            uint64_t x = b.v[attempt % 2 * 2] | (uint64_t)b.v[attempt % 2 * 2 + 1] << 32;
            uint64_t slot = alias_mul_high(x, slots), seen = 0;
            uint32_t i = (uint32_t)(slot % ALIAS_RANK_SLOTS), first;

            for (uint64_t j = 0; j <= slot; j++) {
                seen +=
                    table->ranks[j / ALIAS_RANK_SLOTS].bits[j % ALIAS_RANK_SLOTS / 32] >> j % 32 &
                    1;
            }
            item = (uint32_t)(seen - 1);
            first = table->ranks[slot / ALIAS_RANK_SLOTS].bits[i / 32] >> i % 32 & 1;
            if (!first || (uint32_t)((x * slots) >> 32) < table->fractions[item]) {
                break;
            }
        }
        must(out[t] == item, "draw %u is %u, not %u", t, out[t], item);
        retried += attempt != 0;
        most = attempt > most ? attempt : most;
    }
    /* Uniform weights own 1.5 slots on average, so attempts are rejected with probability 1/3. */
    ck_assert_double_le(fabs((double)retried / DRAWS - 1 + (double)N / (double)slots), 0.03);
    ck_assert_uint_gt(most, 3);
    alias_space_efficient_destroy(table);
    free(w);
}
END_TEST

START_TEST(frequencies)
{
    enum { BATCH = 1 << 18 };
    static const uint64_t sizes[] = {1, 5, 1000, 100000};
    static uint32_t out[BATCH];

    for (int s = 0; s < 4; s++) {
        const uint64_t n = sizes[s];
        double *w = family_weights(_i, n), z;
        uint64_t *count = must_alloc(n, sizeof(*count));
        alias_space_efficient *table = must_build(w, n, 0);

        for (uint64_t round = 0; round < 2; round++) {
            ck_assert_int_eq(
                alias_space_efficient_sample32(table, (uint64_t)s, round * BATCH, BATCH, out),
                ALIAS_OK);
            for (uint64_t i = 0; i < BATCH; i++) {
                count[out[i]]++;
            }
        }
        z = masses_score(count, w, n, 32);
        ck_assert_msg(fabs(z) < 6, "%s, n %llu: %g", family_name(_i), (unsigned long long)n, z);
        alias_space_efficient_destroy(table);
        free(w);
        free(count);
    }
}
END_TEST

/* Draws do not depend on the part of the sequence or the number of threads. */
START_TEST(parts)
{
    enum { N = 20011, DRAWS = 100003 };
    double *w = family_weights(4, N);
    alias_space_efficient *one = must_build(w, N, 1), *four = must_build(w, N, 4);
    const uint64_t first = ((uint64_t)1 << 33) - 50;
    uint32_t *whole = must_alloc(DRAWS, sizeof(*whole)), part[1000];
    uint64_t at = 0, step = 1;

    ck_assert_int_eq(alias_space_efficient_sample32(one, 9, first, DRAWS, whole), ALIAS_OK);
    while (at + step <= DRAWS) {
        ck_assert_int_eq(alias_space_efficient_sample32(four, 9, first + at, step, part), ALIAS_OK);
        ck_assert_mem_eq(part, whole + at, step * sizeof(*part));
        at += step;
        step = step % 999 + 37;
        step = step > 1000 ? 1 : step;
    }
    ck_assert_int_eq(alias_space_efficient_sample32(one, 10, first, 1000, part), ALIAS_OK);
    ck_assert_mem_ne(part, whole, sizeof(part));
    alias_space_efficient_destroy(one);
    alias_space_efficient_destroy(four);
    free(w);
    free(whole);
}
END_TEST

START_TEST(errors)
{
    double w[5000];
    alias_space_efficient *table = (alias_space_efficient *)w;
    uint64_t bad = 0;
    uint32_t out;

    for (int i = 0; i < 5000; i++) {
        w[i] = 1;
    }
    ck_assert_int_eq(alias_space_efficient_create(NULL, 0, w, 5, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_space_efficient_create(&table, 0, NULL, 5, NULL), ALIAS_ERR_ARG);
    ck_assert_ptr_null(table);
    ck_assert_int_eq(alias_space_efficient_create(&table, 0, w, 0, NULL), ALIAS_ERR_EMPTY);
    ck_assert_int_eq(alias_space_efficient_create(&table, 0, w, ((uint64_t)1 << 31) + 1, NULL),
                     ALIAS_ERR_TOO_MANY);
    w[4500] = -1;
    w[4700] = NAN;
    ck_assert_int_eq(alias_space_efficient_create(&table, 0, w, 5000, &bad), ALIAS_ERR_NEGATIVE);
    ck_assert_uint_eq(bad, 4500);
    w[4500] = 0;
    ck_assert_int_eq(alias_space_efficient_create(&table, 0, w, 5000, &bad), ALIAS_ERR_NAN);
    w[4499] = INFINITY;
    ck_assert_int_eq(alias_space_efficient_create(&table, 0, w, 5000, NULL), ALIAS_ERR_INFINITE);
    ck_assert_ptr_null(table);
    w[0] = 0;
    ck_assert_int_eq(alias_space_efficient_create(&table, 0, w, 1, NULL), ALIAS_ERR_ZERO_SUM);
    ck_assert_int_eq(alias_space_efficient_create(&table, -1, w, 5, NULL), ALIAS_ERR_ARG);
    table = must_build(w, 5, 1);
    ck_assert_int_eq(alias_space_efficient_sample32(NULL, 0, 0, 1, &out), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_space_efficient_sample32(table, 0, 0, 1, NULL), ALIAS_ERR_ARG);
    ck_assert_int_eq(alias_space_efficient_sample32(table, 0, UINT64_MAX, 2, &out),
                     ALIAS_ERR_RANGE);
    ck_assert_int_eq(alias_space_efficient_sample32(table, 0, UINT64_MAX, 1, &out), ALIAS_OK);
    ck_assert_int_eq(alias_space_efficient_sample32(table, 0, 0, 0, NULL), ALIAS_OK);
    alias_space_efficient_destroy(table);
    alias_space_efficient_destroy(NULL);
}
END_TEST

TEST_CASES(space_efficient, 120, LOOP(masses, 0, FAMILIES), ONCE(attempts),
           LOOP(frequencies, 0, FAMILIES), ONCE(parts), ONCE(errors))
