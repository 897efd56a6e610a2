/*
 * The first 1,000 edges of some configurations, and of a small instance of each preset, against
 * datasets/golden.txt: those of the reference, and those of the library on every instruction set
 * with both id widths.
 */
#include "datasets/presets.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

enum { EDGES = 1000 };

#define PRESET(name, a_, b_, c_, d_, factor, scale)                                                \
    {"preset-" name, {SQUARE(12), .seed = 1, .matrix = {a_, b_, c_, d_}}},

static const struct {
    const char *name;
    rmat_config config;
} configs[] = {
    {"graph500-20", {SQUARE(20), .seed = 1}},
    {"graph500-30", {SQUARE(30), .seed = 2}},
    {"graph500-36", {SQUARE(36), .seed = UINT64_MAX}},
    {"rectangular-17x9",
     {.rows_scale = 17, .cols_scale = 9, .seed = 7, .matrix = {0.45, 0.25, 0.2, 0.1}}},
    {"levels-62", {SQUARE(62), .seed = 12345}}, /* with slope() */
    {"noise-20", {SQUARE(20), .seed = 1, .noise = 0.1}},
    {"vertices-20", {SQUARE(20), .seed = 1, .rows = 600000, .cols = 600000}},
    {"no-self-loops-6", {SQUARE(6), .seed = 1, .no_self_loops = 1}},
    {"permute-20", {SQUARE(20), .seed = 1, .permute = 1}},
    {"permute-36", {SQUARE(36), .seed = UINT64_MAX, .permute = 1}},
    {"permute-vertices-17x9",
     {.rows_scale = 17,
      .cols_scale = 9,
      .seed = 7,
      .matrix = {0.45, 0.25, 0.2, 0.1},
      .rows = 100000,
      .cols = 300,
      .permute = 1}},
    {"lower-20", {SQUARE(20), .seed = 1, .direction = RMAT_LOWER}},
    {"upper-20", {SQUARE(20), .seed = 1, .direction = RMAT_UPPER}},
    {"symmetrize-20", {SQUARE(20), .seed = 1, .symmetrize = 1}},
    {"uniform-20", {SQUARE(20), .seed = 1, .weights = RMAT_WEIGHTS_UNIFORM}},
    {"float-20",
     {SQUARE(20), .seed = 1, .weights = RMAT_WEIGHTS_FLOAT, .weight_low = -3.5F, .weight_high = 8}},
    {"int-20",
     {SQUARE(20), .seed = 1, .weights = RMAT_WEIGHTS_INT, .weight_min = 1, .weight_max = 255}},
    {"all-36",
     {SQUARE(36), .seed = 12345, .rows = 50000000000, .cols = 50000000000, .noise = 0.05,
      .no_self_loops = 1, .permute = 1, .direction = RMAT_UPPER, .symmetrize = 1,
      .weights = RMAT_WEIGHTS_INT, .weight_min = -1000, .weight_max = 1000}},
    RMAT_PRESETS(PRESET)};

enum { CONFIGS = COUNT(configs) };

/* checksum: FNV-1a over the ids as little-endian uint64, source before destination, and the four
 * bytes of the weight if there is one.  It depends on the order of the edges. */
typedef struct {
    uint64_t fingerprint, checksum;
} answer;

static answer expected[CONFIGS];

static uint64_t add_to_checksum(uint64_t h, uint64_t src, uint64_t dst, const uint32_t *weight)
{
    for (int i = 0; i < (weight ? 20 : 16); i++) {
        uint64_t word = i < 8 ? src : i < 16 ? dst : *weight;

        h = (h ^ (word >> i % 8 * 8 & 0xFF)) * UINT64_C(0x100000001B3);
    }
    return h;
}

static void read_golden(void)
{
    FILE *f = fopen(GOLDEN_FILE, "r");
    char line[256], name[64];
    int found = 0;

    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        uint64_t fingerprint, checksum;

        if (sscanf(line, "%63[^# ] %lx %lx", name, &fingerprint, &checksum) == 3) {
            ck_assert_int_lt(found, CONFIGS);
            ck_assert_str_eq(name, configs[found].name);
            expected[found++] = (answer){fingerprint, checksum};
        }
    }
    fclose(f);
    ck_assert_int_eq(found, CONFIGS);
}

/* Whether edges have the fingerprint and the checksum of configuration i. */
static void check_edges(int i, const uint64_t *src, const uint64_t *dst, const uint32_t *weights,
                        const char *maker)
{
    answer got = {0, UINT64_C(0xCBF29CE484222325)};

    for (int e = 0; e < EDGES; e++) {
        got.fingerprint += reference_hash(src[e], dst[e]);
        got.checksum = add_to_checksum(got.checksum, src[e], dst[e], weights ? &weights[e] : NULL);
    }
    must(got.fingerprint == expected[i].fingerprint && got.checksum == expected[i].checksum,
         "%s: %s %016lx %016lx", maker, configs[i].name, got.fingerprint, got.checksum);
    ck_assert_uint_eq(rmat_fingerprint(src, dst, EDGES, 8), got.fingerprint);
}

START_TEST(answers)
{
    uint64_t src[EDGES], dst[EDGES];
    uint32_t src32[EDGES], dst32[EDGES], weight[EDGES];
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c = model_of(configs[_i].config);
    uint32_t *weights = c.weights ? weight : NULL;
    scoped(reference_destroy) reference *r = NULL;

    if (strcmp(configs[_i].name, "levels-62") == 0) {
        slope(levels);
        c.levels = levels;
    }
    r = reference_create(&c);
    read_golden();
    for (uint64_t e = 0; e < EDGES; e++) {
        reference_edge(r, e, &src[e], &dst[e]);
        weight[e] = reference_weight(r, src[e], dst[e]);
    }
    check_edges(_i, src, dst, weights, "the reference");
    for (c.isa = RMAT_ISA_AUTO; c.isa <= RMAT_ISA_NEON; c.isa++) {
        if (rmat_cpu_has_isa(c.isa)) {
            scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);

            ok(rmat_generate_arrays(gen, 0, EDGES, &(rmat_arrays){src, dst, weights, 8}));
            check_edges(_i, src, dst, weights, rmat_isa_name(c.isa));
            if (c.rows_scale <= 32) {
                ok(rmat_generate_arrays(gen, 0, EDGES, &(rmat_arrays){src32, dst32, NULL, 4}));
                for (int e = 0; e < EDGES; e++) {
                    must(src32[e] == src[e] && dst32[e] == dst[e], "edge %d of 32 bits", e);
                }
                ck_assert_uint_eq(rmat_fingerprint(src32, dst32, EDGES, 4),
                                  expected[_i].fingerprint);
            }
        }
    }
}

TEST_CASES(rmat_golden, 0, LOOP(answers, 0, CONFIGS))
