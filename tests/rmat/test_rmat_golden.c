/* The first 1,000 edges of each configuration of golden.h against datasets/golden.txt: those of the
 * reference, and those of the library on every instruction set with both id widths. */
#include "rmat/rmat.h"
#include "tests/support/golden.h"
#include "tests/support/reference_of.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t fingerprint, checksum;
} answer;

static answer expected[GOLDEN_CONFIGS];

static void read_golden(void)
{
    FILE *f = fopen(GOLDEN_FILE, "r");
    char line[256], name[64];
    int found = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        uint64_t fingerprint, checksum;

        if (sscanf(line, "%63[^# ] %lx %lx", name, &fingerprint, &checksum) == 3) {
            ck_assert_int_lt(found, GOLDEN_CONFIGS);
            ck_assert_str_eq(name, golden_configs[found].name);
            expected[found++] = (answer){fingerprint, checksum};
        }
    }
    fclose(f);
    ck_assert_int_eq(found, GOLDEN_CONFIGS);
}

START_TEST(reference_matches)
{
    rmat_matrix levels[GOLDEN_LEVELS];
    rmat_config c = golden_config_of(&golden_configs[_i], levels);
    answer got = {0, GOLDEN_CHECKSUM_START};
    scoped(reference_destroy) reference *r = reference_of(&c);

    read_golden();
    for (uint64_t i = 0; i < GOLDEN_EDGES; i++) {
        uint64_t src, dst;
        uint32_t weight;

        reference_edge(r, i, &src, &dst);
        weight = reference_weight(r, src, dst);
        got.fingerprint += reference_hash(src, dst);
        got.checksum = golden_checksum(got.checksum, src, dst, c.weights ? &weight : NULL);
    }
    ck_assert_msg(got.fingerprint == expected[_i].fingerprint &&
                      got.checksum == expected[_i].checksum,
                  "%s %016lx %016lx", golden_configs[_i].name, got.fingerprint, got.checksum);
}
END_TEST

START_TEST(library_matches)
{
    rmat_matrix levels[GOLDEN_LEVELS];
    rmat_config c = golden_config_of(&golden_configs[_i], levels);

    read_golden();
    for (rmat_isa isa = RMAT_ISA_AUTO; isa <= RMAT_ISA_NEON; isa++) {
        uint64_t src[GOLDEN_EDGES], dst[GOLDEN_EDGES], checksum = GOLDEN_CHECKSUM_START;
        uint32_t weight[GOLDEN_EDGES], *weights = c.weights ? weight : NULL;
        scoped(rmat_destroy) rmat_gen *gen = NULL;

        if (!rmat_cpu_has_isa(isa)) {
            continue;
        }
        c.isa = isa;
        ok(rmat_create(&gen, &c));
        ok(rmat_generate_arrays(gen, 0, GOLDEN_EDGES, &(rmat_arrays){src, dst, weights, 8}));
        for (int i = 0; i < GOLDEN_EDGES; i++) {
            checksum = golden_checksum(checksum, src[i], dst[i], weights ? &weight[i] : NULL);
        }
        ck_assert_uint_eq(checksum, expected[_i].checksum);
        ck_assert_uint_eq(rmat_fingerprint(src, dst, GOLDEN_EDGES, 8), expected[_i].fingerprint);

        if (c.rows_scale <= 32) {
            uint32_t src32[GOLDEN_EDGES], dst32[GOLDEN_EDGES];

            ok(rmat_generate32(gen, 0, GOLDEN_EDGES, src32, dst32));
            for (int i = 0; i < GOLDEN_EDGES; i++) {
                ck_assert_uint_eq(src32[i], src[i]);
                ck_assert_uint_eq(dst32[i], dst[i]);
            }
            ck_assert_uint_eq(rmat_fingerprint(src32, dst32, GOLDEN_EDGES, 4),
                              expected[_i].fingerprint);
        }
    }
}
END_TEST

TEST_CASES(rmat_golden, 0, LOOP(reference_matches, 0, GOLDEN_CONFIGS),
           LOOP(library_matches, 0, GOLDEN_CONFIGS))
