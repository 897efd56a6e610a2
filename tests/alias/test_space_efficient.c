/*
 * The space-efficient table in host memory: its slots give every item exactly its mass, and the
 * draws are those that apps/bench_alias/space_efficient.h defines.
 */
#include "apps/bench_alias/space_efficient.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

SCOPED(alias_space_efficient_destroy, alias_space_efficient *)

static alias_space_efficient *must_build(const double *w, uint64_t n, int threads)
{
    alias_space_efficient *table = NULL;
    int st = alias_space_efficient_create(&table, threads, w, n, NULL);

    ck_assert_msg(st == ALIAS_OK, "n = %lu: %s", n, alias_strerror(st));
    return table;
}

/* The masses, added up slot by slot as a draw sees them, have no error. */
START_TEST(masses)
{
    static const uint64_t sizes[] = {1, 2, 31, 95, 96, 97, 4095, 4096, 4097, 50000};

    for (int s = 0; s < COUNT(sizes); s++) {
        const uint64_t n = sizes[s];
        scoped(free) double *w = family_weights(_i, n);
        scoped(free) uint64_t *q = must_alloc(n, sizeof(*q)), *mass = must_alloc(n, sizeof(*mass));
        uint64_t slots = 0;

        ok(alias_quantize(w, n, 32, q, NULL));
        for (int threads = 1; threads <= 3; threads += 2) {
            scoped(alias_space_efficient_destroy) alias_space_efficient *table =
                must_build(w, n, threads);

            memset(mass, 0, n * sizeof(*mass));
            slots = table->slots;
            ck_assert(slots >= n && slots <= 2 * n);
            ck_assert_uint_eq(table->n, n);
            ck_assert_uint_le(alias_space_efficient_bytes(table),
                              4 * n + n / 3 + 2 * sizeof(alias_rank_entry) + sizeof(*table));
            for (uint64_t slot = 0; slot < slots; slot++) {
                const alias_rank_entry *entry = &table->ranks[slot / ALIAS_RANK_SLOTS];
                uint32_t i = (uint32_t)(slot % ALIAS_RANK_SLOTS), item = alias_rank(entry, i);

                must(item < n, "slot %lu is of item %u", slot, item);
                mass[item] +=
                    entry->bits[i / 32] >> i % 32 & 1 ? table->fractions[item] : (uint64_t)1 << 32;
            }
            for (uint64_t i = 0; i < n; i++) {
                if (mass[i] != q[i]) {
                    ck_abort_msg("%s, n %lu: item %lu has mass %lu, not %lu", family_name(_i), n, i,
                                 mass[i], q[i]);
                }
            }
        }
    }
}

/* Draws equal a literal implementation of their definition. */
START_TEST(attempts)
{
    enum { DRAWS = 5000 };
    static const uint64_t sizes[] = {1, 5, 97, 1000};
    const uint64_t n = sizes[_i];
    scoped(free) double *w = family_weights(0, n);
    scoped(alias_space_efficient_destroy) alias_space_efficient *table = must_build(w, n, 1);
    const uint64_t slots = table->slots;
    uint64_t retried = 0, most = 0;
    uint32_t out[DRAWS];

    ok(alias_space_efficient_sample32(table, 42, 77, DRAWS, out));
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
    ck_assert_double_le(fabs((double)retried / DRAWS - 1 + (double)n / (double)slots), 0.03);
    ck_assert(most > 3 || n < 5);
}

/* Draws do not depend on the part of the sequence or the number of threads. */
START_TEST(parts)
{
    enum { N = 20011, DRAWS = 100003 };
    scoped(free) double *w = family_weights(4, N);
    scoped(alias_space_efficient_destroy) alias_space_efficient *one = must_build(w, N, 1),
                                                                *four = must_build(w, N, 4);
    const uint64_t first = ((uint64_t)1 << 33) - 50;
    scoped(free) uint32_t *whole = must_alloc(DRAWS, sizeof(*whole));
    uint32_t part[1000];
    uint64_t at = 0, step = 1;

    ok(alias_space_efficient_sample32(one, 9, first, DRAWS, whole));
    while (at + step <= DRAWS) {
        ok(alias_space_efficient_sample32(four, 9, first + at, step, part));
        ck_assert_mem_eq(part, whole + at, step * sizeof(*part));
        at += step;
        step = step % 999 + 37;
        step = step > 1000 ? 1 : step;
    }
    ok(alias_space_efficient_sample32(one, 10, first, 1000, part));
    ck_assert_mem_ne(part, whole, sizeof(part));
}

START_TEST(errors)
{
    double w[5000];
    alias_space_efficient *table = (alias_space_efficient *)w;
    uint64_t bad = 0;
    uint32_t out;

    for (int i = 0; i < 5000; i++) {
        w[i] = 1;
    }
    gives(ALIAS_ERR_ARG, alias_space_efficient_create(NULL, 0, w, 5, NULL));
    gives(ALIAS_ERR_ARG, alias_space_efficient_create(&table, 0, NULL, 5, NULL));
    ck_assert_ptr_null(table);
    gives(ALIAS_ERR_EMPTY, alias_space_efficient_create(&table, 0, w, 0, NULL));
    gives(ALIAS_ERR_TOO_MANY,
          alias_space_efficient_create(&table, 0, w, ((uint64_t)1 << 31) + 1, NULL));
    w[4500] = -1;
    w[4700] = NAN;
    gives(ALIAS_ERR_NEGATIVE, alias_space_efficient_create(&table, 0, w, 5000, &bad));
    ck_assert_uint_eq(bad, 4500);
    w[4500] = 0;
    gives(ALIAS_ERR_NAN, alias_space_efficient_create(&table, 0, w, 5000, &bad));
    w[4499] = INFINITY;
    gives(ALIAS_ERR_INFINITE, alias_space_efficient_create(&table, 0, w, 5000, NULL));
    ck_assert_ptr_null(table);
    w[0] = 0;
    gives(ALIAS_ERR_ZERO_SUM, alias_space_efficient_create(&table, 0, w, 1, NULL));
    gives(ALIAS_ERR_ARG, alias_space_efficient_create(&table, -1, w, 5, NULL));
    table = must_build(w, 5, 1);
    gives(ALIAS_ERR_ARG, alias_space_efficient_sample32(NULL, 0, 0, 1, &out));
    gives(ALIAS_ERR_ARG, alias_space_efficient_sample32(table, 0, 0, 1, NULL));
    gives(ALIAS_ERR_RANGE, alias_space_efficient_sample32(table, 0, UINT64_MAX, 2, &out));
    ok(alias_space_efficient_sample32(table, 0, UINT64_MAX, 1, &out));
    ok(alias_space_efficient_sample32(table, 0, 0, 0, NULL));
    alias_space_efficient_destroy(table);
    alias_space_efficient_destroy(NULL);
}

/* A sanitizer sees as much in the first families as in all. */
enum { SOME = SANITIZED ? 3 : FAMILIES };

TEST_CASES(space_efficient, 120, LOOP(masses, 0, SOME), LOOP(attempts, 0, 4), ONCE(parts),
           ONCE(errors))
