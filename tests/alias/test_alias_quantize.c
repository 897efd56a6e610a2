/*
 * Integer masses.  On the CPU: a literal implementation of the rule in alias/core/quantize.h, the
 * promised distance from the true probabilities, and equal results of all instruction sets.  On the
 * GPU (TEST_ON_GPU): the rows, which are the CPU's only if the masses are.  On both: the corner
 * cases of the rule (rescaled sums, remainders given or taken back in several rounds, sections
 * almost without positive weights, subnormal weights, signed zeros), and the refusal of masses with
 * another sum.
 */
#include "alias/cpu/cpu.h"
#include "tests/support/device.h"
#include "tests/support/run_suite.h"

enum { ON_CPU = !ON_GPU, BLOCK = 4096 };

static double literal_section_sum(const double *w, uint64_t count)
{
    double lane[32] = {0};

    for (uint64_t i = 0; i < count; i++) {
        lane[i % 32] += w[i];
    }
    for (int h = 16; h >= 1; h /= 2) {
        for (int l = 0; l < h; l++) {
            lane[l] += lane[l + h];
        }
    }
    return lane[0];
}

static double literal_prefix(const double *w, uint64_t n, double *f)
{
    uint64_t blocks = (n + BLOCK - 1) / BLOCK;
    double g = 0, p = 0;

    f[0] = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        double s =
            literal_section_sum(w + b * BLOCK, n - b * BLOCK < BLOCK ? n - b * BLOCK : BLOCK);

        if (b % 256 == 0) {
            g = f[b];
            p = s;
        } else {
            p += s;
        }
        f[b + 1] = g + p;
    }
    return f[blocks];
}

/* What the remainders of sections are like: taken back; in several rounds; both. */
typedef struct {
    uint64_t negative, several, several_negative;
} remainders_seen;

static void literal_quantize(const double *weights, uint64_t n, int k, uint64_t *q,
                             remainders_seen *seen)
{
    const uint64_t blocks = (n + BLOCK - 1) / BLOCK;
    scoped(free) double *w = must_alloc(n, sizeof(*w)), *f = must_alloc(blocks + 1, sizeof(*f));
    double mass = ldexp((double)n, k), s;

    memcpy(w, weights, n * sizeof(*w));
    s = literal_prefix(w, n, f);
    if (isinf(s) || s < ldexp(1, -900)) {
        for (uint64_t i = 0; i < n; i++) {
            w[i] *= isinf(s) ? ldexp(1, -64) : ldexp(1, 500);
        }
        s = literal_prefix(w, n, f);
    }
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t begin = b * BLOCK, end = n - begin < BLOCK ? n : begin + BLOCK;
        int64_t r = (int64_t)((uint64_t)(f[b + 1] / s * mass) - (uint64_t)(f[b] / s * mass));
        int rounds = 0, negative;

        for (uint64_t i = begin; i < end; i++) {
            q[i] = (uint64_t)(w[i] * (mass / s));
            r -= (int64_t)q[i];
        }
        negative = r < 0;
        for (; r != 0; rounds++) {
            int64_t eligible = 0, share;

            for (uint64_t i = begin; i < end; i++) {
                eligible += r > 0 ? w[i] > 0 : q[i] > 0;
            }
            ck_assert_int_gt(eligible, 0);
            share = llabs(r) / eligible > 1 ? llabs(r) / eligible : 1;
            for (uint64_t i = begin; i < end && r != 0; i++) {
                int64_t part = share < llabs(r) ? share : llabs(r);

                if (r > 0 && w[i] > 0) {
                    q[i] += (uint64_t)part;
                    r -= part;
                } else if (r < 0 && q[i] > 0) {
                    part = (uint64_t)part < q[i] ? part : (int64_t)q[i];
                    q[i] -= (uint64_t)part;
                    r += part;
                }
            }
        }
        seen->negative += (uint64_t)negative;
        seen->several += rounds > 1;
        seen->several_negative += negative && rounds > 1;
    }
}

static int ceil_log2(uint64_t n)
{
    int bits = 0;

    while ((uint64_t)1 << bits < n) {
        bits++;
    }
    return bits;
}

static void compare(const double *w, uint64_t n, int k, const char *what)
{
    scoped(free) uint64_t *q = must_alloc(n, sizeof(*q)),
                          *expected = must_alloc(n, sizeof(*expected));
    remainders_seen seen = {0};
    uint64_t sum = 0;

    ok(alias_quantize(w, n, k, q, NULL));
    literal_quantize(w, n, k, expected, &seen);
    for (uint64_t i = 0; i < n; i++) {
        if (q[i] != expected[i] || (w[i] == 0 && q[i] != 0)) {
            ck_abort_msg("%s, n %lu, k %d: q[%lu] is %lu, not %lu", what, n, k, i, q[i],
                         expected[i]);
        }
        sum += q[i];
    }
    ck_assert_uint_eq(sum, n << k);
}

/* The masses; on a GPU the rows of every builder in both widths. */
static void check(const double *w, uint64_t n, const char *what)
{
#ifdef TEST_ON_GPU
    check_variants(w, n, 8, PSA_VARIANTS - 1, what);
    check_variants(w, n, 16, PSA_VARIANTS - 1, what);
#else
    const int most = 62 - ceil_log2(n);

    compare(w, n, 32, what);
    compare(w, n, most < 48 ? most : 48, what);
    if (w[0] > 0) {
        compare(w, 1, 62, what);
    }
#endif
}

static const uint64_t sizes[] = {1, 2, 3, 31, 33, 1000, 4095, 4096, 4097, 5000, 100000, 1100000};

START_TEST(rule)
{
    for (int s = 0; s < COUNT(sizes); s++) {
        scoped(free) double *w = family_weights(_i, sizes[s]);

        compare(w, sizes[s], 32, family_name(_i));
        compare(w, sizes[s], 62 - ceil_log2(sizes[s]), family_name(_i));
        compare(w, sizes[s], 0, family_name(_i));
        compare(w, sizes[s], 5, family_name(_i));
    }
}

/* The bound that alias.h promises, against long double with compensated summation. */
START_TEST(distance)
{
    for (int s = 0; s < COUNT(sizes); s++) {
        uint64_t n = sizes[s];
        scoped(free) double *w = family_weights(_i, n);
        scoped(free) uint64_t *q = must_alloc(n, sizeof(*q));
        int k = 62 - ceil_log2(n);
        long double sum = 0, rest = 0;

        for (uint64_t i = 0; i < n; i++) {
            long double t = sum + w[i];

            rest += sum >= w[i] ? (sum - t) + w[i] : (w[i] - t) + sum;
            sum = t;
        }
        sum += rest;
        for (int round = 0; round < 2; round++, k = 32) {
            long double mass = ldexpl((long double)n, k);
            long double bound = 2 / mass + ldexpl(400 + (long double)n / 1048576, -51);

            ok(alias_quantize(w, n, k, q, NULL));
            for (uint64_t i = 0; i < n; i++) {
                long double error = fabsl((long double)q[i] / mass - w[i] / sum);

                /* These families stay far below the worst case. */
                if (error > bound || error > 2 / mass + 0x1p-49L) {
                    ck_abort_msg("%s, n %lu, k %d, item %lu: off by %Lg", family_name(_i), n, k, i,
                                 error);
                }
            }
        }
    }
}

START_TEST(instruction_sets)
{
    int sets;
    const alias_kernels *const *kernels = alias_cpu_kernel_sets(&sets);
    static uint64_t q[2][BLOCK];
    static alias_split split[2];
    static alias_row8 rows[2][BLOCK];
    static uint64_t even[2][500], odd[2][500];
    static const uint32_t counts[] = {1, 7, 8, 9, 31, 32, 33, 63, 1000, 4095, 4096};

    ck_assert_str_eq(kernels[sets - 1]->name, "generic");
    for (uint32_t c = 0; c < COUNT(counts); c++) {
        uint32_t n = counts[c];
        scoped(free) double *w = family_weights(_i, n);
        double sum[2];

        for (int s = 0; s < sets; s++) {
            int at = s > 0;
            bool suspect = false;
            uint64_t capacity = (uint64_t)1 << 32, base = 40960;
            uint32_t lights;

            sum[at] = kernels[s]->section_sum(w, n, 1.0, &suspect);
            ck_assert_int_eq(suspect, isinf(sum[at]) != 0);
            if (isinf(sum[at])) {
                sum[at] = kernels[s]->section_sum(w, n, 0x1p-64, &suspect);
            }
            kernels[s]->quantize(w, n, 1.0, capacity * n / sum[at], capacity * n, q[at]);
            lights = kernels[s]->split(q[at], n, base, capacity, &split[at]);
            kernels[s]->fill8(q[at], n, base, 12345, rows[at]);
            kernels[s]->draw_bits(77, 0xfffffff0u, c * 49, even[at], odd[at]);
            if (at == 0) {
                continue;
            }
            ck_assert(memcmp(&sum[0], &sum[1], sizeof(sum[0])) == 0);
            ck_assert(memcmp(q[0], q[1], n * sizeof(q[0][0])) == 0);
            ck_assert(memcmp(rows[0], rows[1], n * sizeof(rows[0][0])) == 0);
            for (uint32_t i = 0; i < lights; i++) {
                ck_assert_int_eq(split[0].light[i], split[1].light[i]);
                ck_assert_int_eq(split[0].light[ALIAS_SPLIT + i], split[1].light[ALIAS_SPLIT + i]);
            }
            for (uint32_t i = 0; i < n - lights; i++) {
                ck_assert_int_eq(split[0].heavy[i], split[1].heavy[i]);
                ck_assert_int_eq(split[0].heavy[ALIAS_SPLIT + i], split[1].heavy[ALIAS_SPLIT + i]);
            }
            ck_assert(memcmp(even[0], even[1], c * 49 * sizeof(even[0][0])) == 0);
            ck_assert(memcmp(odd[0], odd[1], c * 49 * sizeof(odd[0][0])) == 0);
        }
    }
}

/* Sums that overflow or almost vanish, and weights that vanish beside others: random choices from
 * values[from..from + count), with the first of these at both ends. */
START_TEST(extreme_sums)
{
    static const double values[] = {
        1.7976931348623157e308, 1e300, 4.9e-324, 1e-310, 2e-272, 0.0, -0.0};
    const uint64_t ns[] = {9000, 1, 40, 4097, 1100000};
    uint64_t state = 5;

    for (int s = 0; s < (small_run() ? 1 : ON_CPU ? 4 : 5); s++) {
        const uint64_t n = ns[s];
        scoped(free) double *w = must_alloc(n, sizeof(*w));

        for (int from = 0; from < (small_run() > 1 ? 1 : 5); from++) {
            for (int count = small_run() ? 7 - from : 1; count <= 7 - from; count++) {
                for (uint64_t i = 0; i < n; i++) {
                    w[i] = values[from + (int)(next_random(&state) % (uint64_t)count)];
                }
                w[0] = w[n - 1] = values[from];
                check(w, n, "extreme sums");
            }
        }
    }
    if (ON_CPU) {
        compare((double[]){2e-272}, 1, 63, "one item");
    }
}

/* The sum leaves the range of double in one section, in one segment, or only over all items. */
START_TEST(where_it_overflows)
{
    static const uint64_t places[] = {0, 1, 31, 4095, 4096, 5000, 8191, 9998};
    const uint64_t n = 10000;
    scoped(free) double *w = must_alloc(n, sizeof(*w));

    for (int a = 0; a < 8 && small_run() < 2; a += small_run() ? 5 : 1) {
        for (int b = a + 1; b < 8; b += small_run() ? 5 : 1) {
            for (uint64_t i = 0; i < n; i++) {
                w[i] = (double)(i % 3);
            }
            w[places[a]] = w[places[b]] = 1.5e308;
            check(w, n, "overflow of two");
            memset(w, 0, n * sizeof(*w));
            w[places[a]] = 0x1p-901;
            w[places[b]] = 0x1p-1000;
            check(w, n, "underflow of two");
            w[places[b]] = 0x1p-901; /* the sum is 2^-900, the least that is not rescaled */
            check(w, n, "no underflow of two");
        }
    }
}

/*
 * Sections with one heavy item and some items whose mass is hardly one.  With 16-byte rows, the
 * masses of the sections, computed in double arithmetic, are off by hundreds, so that the heavy
 * item and the tiny ones must give back shares that are larger than the tiny ones' masses.
 */
START_TEST(remainders)
{
    static const char *const what[] = {"one heavy item per section", "with tiny items",
                                       "with tiny items and zeros", "alternating sections"};
    const uint64_t n = small_run() ? 20000 : 400000, blocks = n / BLOCK + 1;
    scoped(free) double *w = must_alloc(n, sizeof(*w));
    scoped(free) uint64_t *q = must_alloc(n, sizeof(*q));
    uint64_t state = 3;
    remainders_seen seen = {0};

    for (uint64_t round = 0; round < (small_run() ? 2 : 8); round++) {
        for (uint64_t i = 0; i < n; i++) {
            int tiny = _i > 0 && i % BLOCK % 60 == round && (_i != 3 || i / BLOCK % 2 == 0);

            w[i] = !tiny ? 0 : (1 + next_unit(&state)) * 2e-20 * (double)blocks;
            if (_i == 3 && i / BLOCK % 3 == 1) {
                w[i] = -0.0;
            }
            if (_i == 1 && i % 5 == 0 && w[i] == 0) {
                w[i] = 1e-25;
            }
        }
        for (uint64_t b = 0; b < blocks; b++) {
            const uint64_t i = b * BLOCK + next_random(&state) % BLOCK;

            w[i < n ? i : n - 1] = (_i == 3 && b % 3 == 1 ? 0.0 : next_unit(&state) + 0.1) / 10;
        }
        literal_quantize(w, n, 62 - ceil_log2(n), q, &seen);
        check(w, n, what[_i]);
    }
    /* The corner cases that this test is for do occur. */
    ck_assert(seen.negative > 0 || small_run());
    ck_assert_msg(_i != 1 || seen.several > 0, "no section needs a second round");
    ck_assert_msg(_i != 1 || seen.several_negative > 0, "no section takes back in two rounds");
}

/* A few ones among zeros of both signs, in sections that are otherwise empty. */
START_TEST(many_zeros)
{
    static const uint64_t distances[] = {2, 3, 31, 32, 64, 1000, 4096, 4097, 9001};
    const uint64_t n = small_run() ? 20000 : 300000;
    scoped(free) double *w = must_alloc(n, sizeof(*w));

    for (int d = small_run() > 1 ? 6 : 0; d < COUNT(distances); d += small_run() ? 6 : 1) {
        for (uint64_t i = 0; i < n; i++) {
            w[i] = i % distances[d] == distances[d] / 2 ? 1.0 / (double)(3 + i % 5)
                   : i % 2 != 0                         ? 0.0
                                                        : -0.0;
        }
        check(w, n, "many zeros");
    }
    memset(w, 0, n * sizeof(*w));
    w[n - 1] = 4.9e-324; /* one item has all the mass */
    check(w, n, "last item only");
    w[0] = 4.9e-324;
    w[n - 1] = 0;
    check(w, n, "first item only");
}

static int status_of_masses(const uint64_t *q, uint64_t n, int row_bytes, alias_builder builder)
{
    const alias_config c = table_config(ALIAS_TESTED, builder, row_bytes);
    scoped(alias_destroy) alias_table *made = SOME_TABLE;

    return status_of(alias_create_masses(&made, &c, q, n), &made);
}

/* Masses that are all alike, but for every third one. */
static void set_masses(uint64_t *q, uint64_t n, uint64_t mass, uint64_t third)
{
    for (uint64_t i = 0; i < n; i++) {
        q[i] = i % 3 == 0 ? third : mass;
    }
}

/* Sums that are wrong by one, and sums that are right only modulo 2^64: where they overflow in one
 * item, inside a section, and over sections. */
START_TEST(wrong_masses)
{
    static const uint64_t places[] = {0, 1, 31, 32, 4095, 4096, 30000, 49999};
    const alias_builder any = ALIAS_BUILDER_AUTO;
    const uint64_t n = 50000, c = (uint64_t)1 << 32, half = (uint64_t)1 << 63;
    const uint64_t few[][4] = {
        {c, c, c, c - 1},          {c, c, c, c + 1},          {0, 0, 0, 0},
        {UINT64_MAX, c, c, c},     {4 * c, 0, 0, 1},          {UINT64_MAX, 4 * c + 1, 0, 0},
        {1, UINT64_MAX, 4 * c, 0}, {4 * c, 0, -4 * c, 4 * c},
    };
    scoped(free) uint64_t *q = must_alloc(n, sizeof(*q));

    for (int i = 0; i < COUNT(few); i++) {
        gives(ALIAS_ERR_SUM, status_of_masses(few[i], 4, 8, any));
    }
    gives(ALIAS_ERR_ARG, status_of_masses(NULL, 4, 8, any));
    gives(ALIAS_ERR_EMPTY, status_of_masses(q, 0, 8, any));
    set_masses(q, n, c, c);
    for (alias_builder b = ALIAS_BUILDER_PSA; b <= ALIAS_BUILDER_PSA_PLUS; b++) {
        ok(status_of_masses(q, n, 8, b));
        for (int a = 0; a < 8; a += small_run() ? 5 : 1) {
            q[places[a]]++;
            gives(ALIAS_ERR_SUM, status_of_masses(q, n, 8, b));
            q[places[a]] -= 2;
            gives(ALIAS_ERR_SUM, status_of_masses(q, n, 8, b));
            q[places[a]]++;
            for (int other = a + 1; other < 8; other++) {
                q[places[a]] += half;
                q[places[other]] += half;
                gives(ALIAS_ERR_SUM, status_of_masses(q, n, 8, b));
                q[places[a]] -= half;
                q[places[other]] -= half;
            }
        }
    }
    set_masses(q, n, 0, 0);
    gives(ALIAS_ERR_SUM, status_of_masses(q, n, 8, any));
    q[49999] = n << 32;
    ok(status_of_masses(q, n, 8, any));
    set_masses(q, n, n << 32, n << 32);
    gives(ALIAS_ERR_SUM, status_of_masses(q, n, 8, any));
    set_masses(q, n, (uint64_t)1 << 46, (uint64_t)1 << 61); /* 16-byte rows: k = 46 */
    gives(ALIAS_ERR_SUM, status_of_masses(q, n, 16, any));
    set_masses(q, n, (uint64_t)1 << 46, (uint64_t)1 << 46);
    ok(status_of_masses(q, n, 16, any));
    /* Eight times 2^61 too much: right modulo 2^64, and no single item has too much. */
    for (int a = 0; a < 8; a++) {
        q[places[a]] += (uint64_t)1 << 61;
    }
    gives(ALIAS_ERR_SUM, status_of_masses(q, n, 16, any));
}

TEST_CASES(alias_quantize, 120, ONCE(extreme_sums), ONCE(where_it_overflows),
           LOOP(remainders, 0, 4), ONCE(many_zeros), ONCE(wrong_masses),
           LOOP(rule, 0, ON_CPU *FAMILIES), LOOP(distance, 0, ON_CPU *FAMILIES),
           LOOP(instruction_sets, 0, ON_CPU *FAMILIES))
