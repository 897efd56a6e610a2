/*
 * Sectioned batches on the CPU (test_alias_gpu_sample.c shows that the GPU's are the same).  They
 * equal those of a reference without short cuts: numbers of draws by a descent from the root, all
 * bits of every draw, 128-bit products.  Further tests: the statistics of the sections' numbers of
 * draws.  test_alias_chi2.c tests that draws follow the masses.
 */
#include "alias/core/sections.h"
#include "alias/core/table.h"
#include "alias/cpu/cpu.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

__extension__ typedef unsigned __int128 u128;

static const int shuffled = 4; /* power law */

static alias_table *create(int family, uint64_t n, int row_bytes, uint64_t section_rows,
                           int threads)
{
    alias_config c = table_config(ALIAS_BACKEND_CPU, ALIAS_BUILDER_AUTO, row_bytes);
    scoped(free) double *w = family_weights(family, n);
    alias_table *table;

    c.section_rows = section_rows;
    c.threads = threads;
    ok(alias_create(&table, &c, w, n, NULL));
    return table;
}

/* ------------------------------------------------------------------------------------------------
 * Layout and counts. */

START_TEST(layout)
{
    static const uint64_t sizes[] = {1,     2,     3,      4,       5,           31,
                                     8191,  8192,  8193,   16385,   1000003,     (uint64_t)1 << 31,
                                     99999, 65536, 123456, 1 << 20, 1234567891u, (uint64_t)1 << 40};
    static const uint64_t rows[] = {0, 1, 4, 7, 1000, 8192, 1 << 20, UINT64_MAX / 2};

    for (int r = 0; r < 8; r++) {
        for (int width = 8; width <= 16; width += 8) {
            const uint64_t n = sizes[_i], largest = rows[r] < 1 << 30 ? rows[r] : 1 << 30;
            const uint64_t asked = largest != 0 ? largest : 65536u / (unsigned)width;
            alias_sections s = alias_sections_of(n, width, rows[r]);
            uint64_t stride = s.sections / 1000 + 1, i, most = alias_section_start(&s, 1),
                     room = alias_section_room(&s);

            ck_assert_uint_ge(s.sections, 1);
            ck_assert(s.levels <= ALIAS_SECTION_LEVELS && (uint64_t)1 << s.levels >= s.sections);
            ck_assert(s.levels == 0 || (uint64_t)1 << (s.levels - 1) < s.sections);
            ck_assert(room >= most && room < most + ALIAS_SECTION_UNIT);
            ck_assert(most < asked + 4 || s.sections == 1 || n > asked << 28);
            ck_assert_uint_eq(alias_section_start(&s, 0), 0);
            ck_assert_uint_eq(alias_section_start(&s, s.sections), n);
            ck_assert_uint_eq(alias_section_start(&s, s.sections + 1), n);
            for (i = 0; i < s.sections; i += stride) {
                uint64_t begin = alias_section_start(&s, i), end = alias_section_start(&s, i + 1);

                must(begin % ALIAS_SECTION_UNIT == 0 && begin < end && end - begin <= most &&
                         (end - begin + ALIAS_SECTION_UNIT >= most || end == n),
                     "section %lu: [%lu, %lu)", i, begin, end);
            }
            i = s.sections - 1; /* the last section may lack up to three rows */
            ck_assert_uint_lt(alias_section_start(&s, i), n);
            ck_assert_uint_ge(n - alias_section_start(&s, i) + 2 * ALIAS_SECTION_UNIT, most);
        }
    }
}

/* The draws of section i and of the sections before it, by descending from the root. */
static uint64_t descend(const alias_sections *s, uint64_t seed, uint64_t first, uint64_t count,
                        uint64_t i, uint64_t *before)
{
    *before = 0;
    for (int level = 0; level < s->levels; level++) {
        uint64_t j = i >> (s->levels - level);
        uint64_t left = alias_section_left(s, seed, first, level, j, count);

        must(left <= count, "more draws on the left than in all");
        if (i >> (s->levels - level - 1) & 1) {
            *before += left;
            count -= left;
        } else {
            count = left;
        }
    }
    return count;
}

/* The numbers of draws of S sections over many seeds: exact sums, and chi-squared against the rows.
 */
START_TEST(counts)
{
    static const struct {
        uint64_t n, rows, count, seeds;
    } cases[] = {{1000, 8, 1000000, 200},     {4097, 1024, 1000, 2000},
                 {100003, 4096, 12345, 1000}, {1000001, 0, 1000000000000, 200},
                 {31, 4, 5, 20000},           {77777, 700, 300, 500}};
    alias_sections s = alias_sections_of(cases[_i].n, 8, cases[_i].rows);
    const uint64_t count = cases[_i].count;
    double sum = 0, freedom = 0, z;
    uint64_t before;

    for (uint64_t seed = 0; seed < cases[_i].seeds; seed++) {
        uint64_t all = 0;

        for (uint64_t i = 0; i < s.sections; i++) {
            uint64_t m = alias_section_start(&s, i + 1) - alias_section_start(&s, i);
            uint64_t got = descend(&s, seed, 1000 * seed, count, i, &before);
            double expected = (double)count * (double)m / (double)s.rows;

            must(before == all, "draws are missing before section %lu", i);
            all += got;
            sum += ((double)got - expected) * ((double)got - expected) / expected;
        }
        ck_assert_uint_eq(all, count);
        freedom += (double)s.sections - 1;
    }
    /* The variance of the statistic for few draws per section is that of chi-squared and a little
     * more, for sections much smaller than others. */
    z = (sum - freedom) / sqrt(2 * freedom);
    ck_assert_msg(fabs(z) < 6, "%lu sections, %lu draws: %g", s.sections, count, z);
}

/* ------------------------------------------------------------------------------------------------
 * Draws. */

/* Counts the draws that the high word alone would decide wrongly. */
static uint64_t reference(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                          uint64_t *out)
{
    alias_sections s = alias_sections_of(table->n, table->row_bytes, table->config.section_rows);
    const int k = table->k;
    uint64_t p = 0, wrong = 0;

    for (uint64_t section = 0; section < s.sections; section++) {
        uint64_t start = alias_section_start(&s, section);
        uint64_t m = alias_section_start(&s, section + 1) - start, before, here;

        here = descend(&s, seed, first, count, section, &before);
        must(before == p, "draws are missing before section %lu", section);
        for (; p < before + here; p++) {
            uint64_t t = first + p;
            philox_block high = philox_at(seed, t / 4, 0, 18), low = philox_at(seed, t / 4, 0, 19);
            uint64_t x = (uint64_t)high.v[t % 4] << 32 | low.v[t % 4];
            u128 y = (u128)x * m;
            uint64_t bucket = (uint64_t)(y >> 64);
            uint64_t offset = (uint64_t)((y - ((u128)bucket << 64)) >> (64 - k));
            alias_row row;

            must(bucket < m, "bucket %lu of %lu", bucket, m);
            alias_get_row(table, start + bucket, &row);
            out[p] = offset < row.threshold ? start + bucket : row.alias;
            if (k == 32) {
                uint64_t short_y = high.v[t % 4] * m;

                alias_get_row(table, start + (short_y >> 32), &row);
                wrong += out[p] !=
                         ((uint32_t)short_y < row.threshold ? start + (short_y >> 32) : row.alias);
            }
        }
    }
    ck_assert_uint_eq(p, count);
    return wrong;
}

/* The batch is that of the reference.  Returns what reference() does. */
static uint64_t check_batch(const alias_table *table, uint64_t first, uint64_t count)
{
    scoped(free) uint64_t *expected = must_alloc(count + 1, 8);
    const uint64_t wrong = reference(table, 9, first, count, expected);

    check_draws(table, true, 9, first, count, expected);
    return wrong;
}

START_TEST(batches)
{
    static const uint64_t sizes[] = {1, 2, 31, 33, 1000, 4096, 4097, 8193, 100000, 1000001};
    static const uint64_t rows[] = {0, 1, 100};

    for (int r = 0; r < 3; r++) {
        for (int width = 8; width <= 16; width += 8) {
            scoped(alias_destroy) alias_table *table =
                create(shuffled, sizes[_i], width, rows[r], 1 + 3 * r);
            /* of many threads so many that they share them out */
            const uint64_t count = sizes[_i] < 10000 ? 10007
                                   : r == 1          ? 10
                                   : r == 2          ? 300007
                                                     : 10007;

            check_batch(table, 0, 1);
            check_batch(table, 3, 6);
            check_batch(table, ((uint64_t)1 << 34) - 501, count);
            check_batch(table, ((uint64_t)1 << 40) + 2, count);
            check_batch(table, UINT64_MAX - count + 1, count);
        }
    }
}

/* One section of four million rows, where one draw in a thousand needs its low word. */
START_TEST(ties)
{
    const uint64_t n = 4000001;
    scoped(alias_destroy) alias_table *table =
        create(_i == 0 ? shuffled : 14 /* all equal */, n, 8, n, 0);

    ck_assert_uint_gt(check_batch(table, 5, 1 << 20), 50);
}

/* alias_section_open() says whether any low word changes the outcome: compared with trying the
 * ends of the range and all products that fall on the threshold or on the bucket's end. */
START_TEST(open)
{
    static const uint32_t sizes[] = {1, 2, 3, 5, 8, 100, 8192, 1u << 20, 0x80000001};
    uint64_t state = 3;
    uint32_t m = sizes[_i];

    for (int i = 0; i < 200000; i++) {
        uint32_t x = (uint32_t)next_random(&state);
        uint64_t y = (uint64_t)x * m, last = ((u128)((uint64_t)x << 32 | UINT32_MAX) * m) >> 32;
        const uint64_t any = next_random(&state);
        uint32_t f = (uint32_t)y, threshold = i % 8 < 3
                                                  ? f + (uint32_t)(any % ((uint64_t)m + 3)) - 1
                                              : i % 8 == 3 ? 0
                                              : i % 8 == 4 ? UINT32_MAX
                                                           : (uint32_t)any;
        int differs;

        /* The high halves of the full products with the least and the greatest low word; what lies
         * between them is monotone. */
        differs = y >> 32 != last >> 32 || (f < threshold) != ((uint32_t)last < threshold);
        must(!differs || alias_section_open(f, threshold, m), "m %u, f %u, threshold %u", m, f,
             threshold);
        must(differs || m > 1000000 || !alias_section_open(f, threshold, m),
             "m %u, f %u, threshold %u: open without need", m, f, threshold);
    }
}

/* Every instruction set makes the draws that all of their bits lead to, whatever the first one and
 * their number, and among them some whose high word does not decide. */
START_TEST(instruction_sets)
{
    static const uint64_t sizes[] = {1, 7, 8192, 1 << 20}, first = ((uint64_t)7 << 32) - 50;
    const uint64_t m = sizes[_i], start = 12345, seed = 99, most = 20000;
    int sets;
    const alias_kernels *const *kernels = alias_cpu_kernel_sets(&sets);
    scoped(free) alias_row8 *rows = must_alloc(m, sizeof(*rows));
    scoped(free) uint64_t *bits = must_alloc(most, 8), *out = must_alloc(most, 8);
    uint64_t state = 4, t, opened = 0;

    for (uint64_t i = 0; i < m; i++) {
        rows[i] = (alias_row8){(uint32_t)next_random(&state), (uint32_t)next_random(&state)};
    }
    for (uint64_t count = 0; count <= most; count += count < 100 ? 1 : 9950) {
        t = first + count % 7;
        for (int s = 0; s < sets; s++) {
            kernels[s]->section_bits(seed, t, count, bits);
            for (int wide = 0; wide < 2; wide++) {
                kernels[s]->section8(rows, m, start, seed, t, count, wide, out);
                for (uint64_t i = 0; i < count; i++) {
                    const uint64_t x = alias_section_bits(seed, t + i), y = (x >> 32) * m;
                    const uint64_t bucket = alias_mul_high(x, m);
                    const alias_row8 row = rows[bucket];
                    const uint64_t item =
                        (uint32_t)(x * m >> 32) < row.threshold ? start + bucket : row.alias;

                    ck_assert_uint_eq(bits[i], x);
                    ck_assert_uint_eq(wide ? out[i] : ((uint32_t *)out)[i], item);
                    opened += alias_section_open((uint32_t)y, rows[y >> 32].threshold, (uint32_t)m);
                }
            }
        }
    }
    ck_assert(m < 1 << 20 || opened > 0);
}

/* ------------------------------------------------------------------------------------------------
 * Arguments. */

/* In the largest tree, nodes have distinct numbers of 32 bits. */
START_TEST(nodes)
{
    alias_sections s = alias_sections_of((uint64_t)1 << 40, 16, 4);

    ck_assert_int_eq(s.levels, ALIAS_SECTION_LEVELS);
    ck_assert_uint_le(((uint64_t)1 << (s.levels - 1)) + ((uint64_t)1 << (s.levels - 1)) - 1,
                      UINT32_MAX);
    /* Two nodes with equal totals and equal rows differ only by their number. */
    ck_assert_uint_ne(alias_section_left(&s, 1, 0, 20, 5, (uint64_t)1 << 40),
                      alias_section_left(&s, 1, 0, 20, 6, (uint64_t)1 << 40));
    ck_assert_uint_ne(alias_section_left(&s, 1, 0, 20, 5, (uint64_t)1 << 40),
                      alias_section_left(&s, 1, 1, 20, 5, (uint64_t)1 << 40));
}

START_TEST(refused)
{
    scoped(alias_destroy) alias_table *table = create(shuffled, 4, 8, 0, 0);
    uint32_t out[2];

    gives(ALIAS_ERR_ARG, alias_sample_sections32(NULL, 1, 0, 1, out));
    gives(ALIAS_ERR_ARG, alias_sample_sections32(table, 1, 0, 1, NULL));
    gives(ALIAS_ERR_RANGE, alias_sample_sections32(table, 1, UINT64_MAX, 2, out));
    ok(alias_sample_sections32(table, 1, UINT64_MAX, 1, out));
    ok(alias_sample_sections32(table, 1, 5, 0, NULL));
    ok(alias_sample_sections64(table, 1, 5, 0, NULL));
    gives(ALIAS_ERR_ARG, alias_sample_sections64(NULL, 1, 5, 0, NULL));
    ck_assert_str_eq(alias_sampler_name(ALIAS_SAMPLER_LIMITED), "limited");
    ck_assert_str_eq(alias_sampler_name((alias_sampler)99), "unknown");
}

TEST_CASES(alias_sections, 120, LOOP(layout, 0, 18), LOOP(counts, 0, 6), LOOP(batches, 0, 10),
           LOOP(ties, 0, 2), LOOP(open, 0, 9), LOOP(instruction_sets, 0, 4), ONCE(nodes),
           ONCE(refused))
