/*
 * Builds on the CPU.  Every builder, on every weight family, gives each item exactly its mass, from
 * weights and from masses.  Builders that promise the sweep's rows have them for all numbers of
 * threads and parts; the others give the same rows every time.  test_alias_gpu_build.c shows that
 * the GPU's rows are the same.
 */
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

static const uint64_t sizes[] = {1, 2, 3, 31, 32, 33, 1023, 4095, 4096, 4097, 100000, 250001};
enum { SIZES = COUNT(sizes) };

/* The last one is larger with RMAT_TEST_LARGE (tests/README.md). */
static uint64_t size_at(int s)
{
    return s + 1 == SIZES && getenv("RMAT_TEST_LARGE") != NULL ? 1000001 : sizes[s];
}

/* A literal sweep, with lists of light and heavy items. */
static alias_row *literal_sweep(const uint64_t *q, uint64_t n, int k)
{
    const uint64_t capacity = (uint64_t)1 << k;
    alias_row *rows = must_alloc(n, sizeof(*rows));
    scoped(free) uint64_t *light = must_alloc(n, sizeof(*light)),
                          *heavy = must_alloc(n, sizeof(*heavy));
    uint64_t lights = 0, heavies = 0, l = 0;

    for (uint64_t i = 0; i < n; i++) {
        if (q[i] <= capacity) {
            light[lights++] = i;
        } else {
            heavy[heavies++] = i;
        }
    }
    if (heavies > 0) {
        uint64_t rest = q[heavy[0]];

        for (uint64_t j = 0; j < heavies; j++) {
            for (; rest > capacity; l++) {
                rows[light[l]] = (alias_row){q[light[l]], heavy[j]};
                rest -= capacity - q[light[l]];
            }
            rows[heavy[j]] = (alias_row){rest, j + 1 < heavies ? heavy[j + 1] : heavy[j]};
            rest = j + 1 < heavies ? q[heavy[j + 1]] - (capacity - rest) : 0;
        }
    }
    for (; l < lights; l++) {
        rows[light[l]] = (alias_row){q[light[l]], light[l]};
    }
    for (uint64_t i = 0; i < n; i++) {
        if (rows[i].threshold == capacity) {
            rows[i].alias = i;
        }
    }
    return rows;
}

/* Whether a builder promises the sweep's rows. */
static bool sweeps(alias_builder b)
{
    return b == ALIAS_BUILDER_SWEEP || b == ALIAS_BUILDER_PSA;
}

/* A table from masses has the rows of one from weights. */
static void check_from_masses(alias_builder builder, int row_bytes, const uint64_t *q, uint64_t n,
                              const alias_row *expected, const char *what)
{
    const alias_config config = table_config(ALIAS_BACKEND_CPU, builder, row_bytes);
    scoped(alias_destroy) alias_table *table = NULL;

    ok(alias_create_masses(&table, &config, q, n));
    scoped(free) alias_row *rows = table_rows(table);
    check_equal(rows, expected, n, what);
}

/* Checks all builders with one family and size; more settings where n is small. */
static void check_builders(int family, uint64_t n, int row_bytes)
{
    static const int threads[] = {1, 2, 3, 7};
    const uint64_t splits[] = {0, 1, 2, 3, 7, 100, 4099, n};
    scoped(free) double *w = family_weights(family, n);
    scoped(free) uint64_t *q = must_alloc(n, sizeof(*q));
    alias_row *sweep = NULL, *first;
    char what[160];

    for (int i = ALIAS_BUILDER_AUTO + 1; i < alias_builder_count(); i++) {
        const alias_builder b = (alias_builder)i;
        const bool parallel = b != ALIAS_BUILDER_SWEEP;
        const int several = parallel ? 4 : 1; /* numbers of threads */
        const int cuts = b == ALIAS_BUILDER_PSA ? 8 : 1;

        first = NULL;
        for (int turn = 0; turn < several * cuts; turn++) {
            const int t = turn / cuts, s = turn % cuts;
            alias_row *rows;
            int k;

            /* Large tables: every number of threads and of splits, but not every pair of them. */
            if ((n > 10000 && cuts > 1 && several > 1 && s % 4 != t) ||
                (n > 100000 && several > 1 && t % 2 != family % 2) ||
                (n > 10000 && splits[s] == n)) {
                continue;
            }
            scoped(alias_destroy) alias_table *table =
                must_create(b, row_bytes, threads[t], splits[s], w, n);
            snprintf(what, sizeof(what), "%s, n %lu, %s, %d-byte rows, %d threads, %lu splits",
                     family_name(family), n, alias_builder_name(b), row_bytes, threads[t],
                     splits[s]);
            k = alias_log2_capacity(table);
            ck_assert_int_eq(alias_row_bytes(table), row_bytes);
            ck_assert_int_eq(alias_used_builder(table), b);
            rows = table_rows(table);
            if (sweep == NULL) {
                ok(alias_quantize(w, n, k, q, NULL));
                sweep = literal_sweep(q, n, k);
                check_masses(sweep, n, k, q, "literal sweep");
            }
            if (sweeps(b)) {
                check_equal(rows, sweep, n, what);
            } else if (first == NULL) {
                check_masses(rows, n, k, q, what);
            } else {
                check_equal(rows, first, n, what);
            }
            if (first == NULL) {
                if (n <= 20000) {
                    check_from_masses(b, row_bytes, q, n, rows, what);
                }
                first = rows;
            } else {
                free(rows);
            }
        }
        free(first);
    }
    free(sweep);
}

START_TEST(rows)
{
    for (int s = 0; s < SIZES; s++) {
        check_builders(_i, size_at(s), 8);
        if (s + 1 < SIZES) {
            check_builders(_i, size_at(s), 16);
        }
    }
}

START_TEST(defaults)
{
    scoped(free) double *w = family_weights(0, 5000);
    scoped(alias_destroy) alias_table *table = NULL;

    ok(alias_create(&table, NULL, w, 5000, NULL));
    ck_assert_int_eq(alias_row_bytes(table), 8);
    ck_assert_int_eq(alias_log2_capacity(table), 32);
    ck_assert_uint_eq(alias_size(table), 5000);
    ck_assert_int_ne(alias_used_builder(table), ALIAS_BUILDER_AUTO);
    alias_destroy(NULL);
}

TEST_CASES(alias_build, 120, LOOP(rows, 0, FAMILIES), ONCE(defaults))
