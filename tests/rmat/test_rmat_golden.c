/* The first 1,000 edges of each configuration of golden.h against datasets/golden.txt: those of the
 * reference, and those of the library on every instruction set with both id widths. */
#include "rmat/rmat.h"
#include "tests/support/golden.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

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

/* Whether edges have the fingerprint and the checksum of configuration i. */
static void check_edges(int i, const uint64_t *src, const uint64_t *dst, const uint32_t *weights,
                        const char *maker)
{
    answer got = {0, GOLDEN_CHECKSUM_START};

    for (int e = 0; e < GOLDEN_EDGES; e++) {
        got.fingerprint += reference_hash(src[e], dst[e]);
        got.checksum = golden_checksum(got.checksum, src[e], dst[e], weights ? &weights[e] : NULL);
    }
    must(got.fingerprint == expected[i].fingerprint && got.checksum == expected[i].checksum,
         "%s: %s %016lx %016lx", maker, golden_configs[i].name, got.fingerprint, got.checksum);
    ck_assert_uint_eq(rmat_fingerprint(src, dst, GOLDEN_EDGES, 8), got.fingerprint);
}

START_TEST(answers)
{
    uint64_t src[GOLDEN_EDGES], dst[GOLDEN_EDGES];
    uint32_t src32[GOLDEN_EDGES], dst32[GOLDEN_EDGES], weight[GOLDEN_EDGES];
    rmat_matrix levels[GOLDEN_LEVELS];
    rmat_config c = golden_config_of(&golden_configs[_i], levels);
    uint32_t *weights = c.weights ? weight : NULL;
    scoped(reference_destroy) reference *r = reference_create(&c);

    read_golden();
    for (uint64_t e = 0; e < GOLDEN_EDGES; e++) {
        reference_edge(r, e, &src[e], &dst[e]);
        weight[e] = reference_weight(r, src[e], dst[e]);
    }
    check_edges(_i, src, dst, weights, "the reference");
    for (c.isa = RMAT_ISA_AUTO; c.isa <= RMAT_ISA_NEON; c.isa++) {
        if (rmat_cpu_has_isa(c.isa)) {
            scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);

            ok(rmat_generate_arrays(gen, 0, GOLDEN_EDGES, &(rmat_arrays){src, dst, weights, 8}));
            check_edges(_i, src, dst, weights, rmat_isa_name(c.isa));
            if (c.rows_scale <= 32) {
                ok(rmat_generate32(gen, 0, GOLDEN_EDGES, src32, dst32));
                for (int e = 0; e < GOLDEN_EDGES; e++) {
                    must(src32[e] == src[e] && dst32[e] == dst[e], "edge %d of 32 bits", e);
                }
                ck_assert_uint_eq(rmat_fingerprint(src32, dst32, GOLDEN_EDGES, 4),
                                  expected[_i].fingerprint);
            }
        }
    }
}

TEST_CASES(rmat_golden, 0, LOOP(answers, 0, GOLDEN_CONFIGS))
