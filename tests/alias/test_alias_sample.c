/*
 * Draws on the CPU equal those of a slow, literal reference.  Any part of the sequence can be drawn
 * alone, also one by one.  Threads, instruction sets and output widths make no difference.  The
 * random bits are those of Philox4x32-10.
 */
#include "alias/core/philox.h"
#include "alias/cpu/cpu.h"
#include "tests/support/alias_util.h"
#include "tests/support/run_suite.h"

/* --- Philox4x32-10 --- */

/* The known answers that Random123 publishes (kat_vectors). */
static const struct {
    uint32_t counter[4], key[2], expected[4];
} vectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

/* The third vector also through 64-bit seed and index. */
START_TEST(philox)
{
    const philox_block at =
        philox_at(0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x13198a2e, 0x03707344);

    for (int i = 0; i < COUNT(vectors); i++) {
        const uint32_t *c = vectors[i].counter, *key = vectors[i].key;
        const philox_block b = philox4x32_10(c[0], c[1], c[2], c[3], key[0], key[1]);

        ck_assert_mem_eq(b.v, vectors[i].expected, sizeof(b.v));
        ck_assert(i != 2 || memcmp(at.v, b.v, sizeof(b.v)) == 0);
    }
}

/* --- Draws --- */

static const uint64_t sizes[] = {1, 2, 3, 7, 64, 1000, 4097, 300000};
static const uint64_t firsts[] = {
    0, 1, 2, 4095, 0xffffff01u, (uint64_t)1 << 40, UINT64_MAX - 39999, UINT64_MAX - 40000};
enum { DRAWS = 40000 };

/* One draw by long multiplication: the product x * n as four 32-bit digits. */
static uint64_t literal_draw(const alias_row *rows, uint64_t n, int k, uint64_t seed, uint64_t t)
{
    philox_block b = philox4x32_10((uint32_t)(t >> 1), (uint32_t)(t >> 33), 0, 16, (uint32_t)seed,
                                   (uint32_t)(seed >> 32));
    uint64_t a[2] = {b.v[2 * (t & 1)], b.v[2 * (t & 1) + 1]};
    uint64_t m[2] = {n & 0xffffffffu, n >> 32}, digit[4] = {0}, bucket, offset;

    for (int i = 0; i < 2; i++) {
        uint64_t carry = 0;

        for (int j = 0; j < 2; j++) {
            uint64_t sum = digit[i + j] + a[i] * m[j] + carry;

            digit[i + j] = sum & 0xffffffffu;
            carry = sum >> 32;
        }
        digit[i + 2] += carry;
    }
    bucket = digit[2] | digit[3] << 32;
    offset = (digit[0] | digit[1] << 32) >> (64 - k);
    return offset < rows[bucket].threshold ? bucket : rows[bucket].alias;
}

static void check_table(const alias_table *table, const alias_row *rows, uint64_t first)
{
    static const uint64_t lengths[] = {0, 1, 2, 3, 15, 16, 17, 127, 128, 129, 130, 5000};
    static uint64_t expected[DRAWS];
    const uint64_t seed = 0x123456789abcdef0u + first, n = alias_size(table);
    const int k = alias_log2_capacity(table);
    const void *inline_rows = alias_row_array(table);
    uint64_t state = first;

    for (uint64_t i = 0; i < DRAWS; i++) {
        const uint64_t x = alias_draw_bits(seed, first + i);

        expected[i] = literal_draw(rows, n, k, seed, first + i);
        must(expected[i] == (alias_row_bytes(table) == 8 ? alias_draw8(inline_rows, n, x)
                                                         : alias_draw16(inline_rows, n, k, x)),
             "n %lu: draw %lu, inline from the rows", n, first + i);
    }
    check_draws(table, false, seed, first, DRAWS, expected);
    for (int l = 0; l < COUNT(lengths); l++) {
        const uint64_t from = next_random(&state) % (DRAWS - lengths[l]), other = from ^ 1;

        check_draws(table, false, seed, first + from, lengths[l], expected + from);
        check_draws(table, false, seed, first + other, lengths[l] != 0 ? lengths[l] - 1 : 0,
                    expected + other);
    }
}

START_TEST(reference)
{
    static const int threads[] = {1, 2, 3, 7};
    uint64_t n = sizes[_i];
    scoped(free) double *w = family_weights(4, n);

    for (int i = 0; i < 2 * COUNT(firsts); i++) {
        const int f = i % COUNT(firsts), row_bytes = i / COUNT(firsts) ? 16 : 8;
        scoped(alias_destroy) alias_table *table =
            must_create(ALIAS_BUILDER_AUTO, row_bytes, threads[(f + _i) % 4], 0, w, n);
        scoped(free) alias_row *rows = table_rows(table);

        check_table(table, rows, firsts[f]);
    }
}

START_TEST(instruction_sets)
{
    int sets;
    const alias_kernels *const *kernels = alias_cpu_kernel_sets(&sets);
    static const uint64_t ns[] = {1, 1000, 300000, (uint64_t)1 << 20};
    static uint64_t out[2][2000];
    uint64_t state = 9;

    for (size_t a = 0; a < 4; a++) {
        scoped(free) alias_row8 *rows = must_alloc(ns[a], sizeof(*rows));

        for (uint64_t i = 0; i < ns[a]; i++) {
            rows[i] = (alias_row8){(uint32_t)next_random(&state), (uint32_t)next_random(&state)};
        }
        for (int wide = 0; wide < 2; wide++) {
            for (uint32_t blocks = 0; blocks < 1000; blocks += blocks < 140 ? 1 : 171) {
                for (int s = 0; s < sets; s++) {
                    memset(out[s > 0], 0, sizeof(out[0]));
                    kernels[s]->sample8(rows, ns[a], 3, 0xffffff00u + blocks, blocks, wide,
                                        out[s > 0]);
                    ck_assert(s == 0 || memcmp(out[0], out[1], sizeof(out[0])) == 0);
                }
            }
        }
    }
}

/* An offset equal to the threshold belongs to the alias, one below it to the item.  (One at a time:
 * test_rmat_exhaustive.c.) */
START_TEST(ties)
{
    int sets;
    const alias_kernels *const *kernels = alias_cpu_kernel_sets(&sets);

    for (uint64_t t = 0; t < 100; t++) {
        uint64_t x = alias_draw_bits(3, t);
        alias_row8 at = {(uint32_t)(x >> 32), 99}, above = {(uint32_t)(x >> 32) + 1, 99};

        for (int s = 0; s < sets; s++) {
            uint64_t out[2];

            kernels[s]->sample8(&at, 1, 3, t / 2, 1, 1, out);
            ck_assert_uint_eq(out[t % 2], 99);
            kernels[s]->sample8(&above, 1, 3, t / 2, 1, 1, out);
            ck_assert_uint_eq(out[t % 2], 0);
        }
    }
}

/* How many threads this process has. */
static int threads_now(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    int threads = 0;

    must(file != NULL, "/proc/self/status");
    while (threads == 0 && fgets(line, sizeof(line), file)) {
        (void)sscanf(line, "Threads: %d", &threads);
    }
    fclose(file);
    return threads;
}

/* A draw alone and a few of them start none, which would take a hundred times as long. */
START_TEST(threads)
{
    static uint64_t out[1 << 20];
    scoped(free) double *w = family_weights(4, 1000);
    scoped(alias_destroy) alias_table *table = must_create(ALIAS_BUILDER_AUTO, 8, 4, 0, w, 1000);
    const int before = threads_now();

    for (uint64_t t = 0; t < 100; t++) {
        ok(alias_sample64(table, 1, t, 1, out));
        ok(alias_sample64(table, 1, t, 100, out));
    }
    ck_assert_int_eq(threads_now(), before);
    ok(alias_sample64(table, 1, 0, COUNT(out), out));
    ck_assert_int_gt(threads_now(), before);
}

TEST_CASES(alias_sample, 120, ONCE(philox), LOOP(reference, 0, COUNT(sizes)),
           ONCE(instruction_sets), ONCE(ties), ONCE(threads))
