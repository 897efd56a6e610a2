/*
 * The first 1,000 edges of some configurations, and of a small instance of each preset, against
 * datasets/golden.txt: those of the reference, and those of the library on every instruction set
 * with both id widths.
 */
#include "datasets/presets.h"
#include "rmat/rmat.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

enum { GOLDEN_EDGES = 1000, GOLDEN_LEVELS = 62 };

typedef struct {
    const char *name;
    int rows_scale, cols_scale;
    uint64_t seed;
    rmat_config config; /* the other values; no matrix: golden_config_of() chooses some */
} golden_config;

#define GOLDEN_PRESET(name, a_, b_, c_, d_, factor, scale)                                         \
    {"preset-" name, 12, 12, 1, {.matrix = {a_, b_, c_, d_}}},

static const golden_config golden_configs[] = {
    {"graph500-20", 20, 20, 1, {0}},
    {"graph500-30", 30, 30, 2, {0}},
    {"graph500-36", 36, 36, UINT64_MAX, {0}},
    {"rectangular-17x9", 17, 9, 7, {0}},
    {"levels-62", 62, 62, 12345, {0}},
    {"noise-20", 20, 20, 1, {.noise = 0.1}},
    {"vertices-20", 20, 20, 1, {.rows = 600000, .cols = 600000}},
    {"no-self-loops-6", 6, 6, 1, {.no_self_loops = 1}},
    {"permute-20", 20, 20, 1, {.permute = 1}},
    {"permute-36", 36, 36, UINT64_MAX, {.permute = 1}},
    {"permute-vertices-17x9", 17, 9, 7, {.rows = 100000, .cols = 300, .permute = 1}},
    {"lower-20", 20, 20, 1, {.direction = RMAT_LOWER}},
    {"upper-20", 20, 20, 1, {.direction = RMAT_UPPER}},
    {"symmetrize-20", 20, 20, 1, {.symmetrize = 1}},
    {"uniform-20", 20, 20, 1, {.weights = RMAT_WEIGHTS_UNIFORM}},
    {"float-20", 20, 20, 1, {.weights = RMAT_WEIGHTS_FLOAT, .weight_low = -3.5F, .weight_high = 8}},
    {"int-20", 20, 20, 1, {.weights = RMAT_WEIGHTS_INT, .weight_min = 1, .weight_max = 255}},
    {"all-36",
     36,
     36,
     12345,
     {.rows = 50000000000,
      .cols = 50000000000,
      .noise = 0.05,
      .no_self_loops = 1,
      .permute = 1,
      .direction = RMAT_UPPER,
      .symmetrize = 1,
      .weights = RMAT_WEIGHTS_INT,
      .weight_min = -1000,
      .weight_max = 1000}},
    RMAT_PRESETS(GOLDEN_PRESET)};

enum { GOLDEN_CONFIGS = sizeof golden_configs / sizeof golden_configs[0] };

/* levels[GOLDEN_LEVELS]: filled and used by the configuration with a matrix for each level. */
static rmat_config golden_config_of(const golden_config *g, rmat_matrix *levels)
{
    rmat_config c = g->config;

    c.rows_scale = g->rows_scale;
    c.cols_scale = g->cols_scale;
    c.seed = g->seed;
    c.device = -1;
    if (!strcmp(g->name, "levels-62")) {
        for (int l = 0; l < GOLDEN_LEVELS; l++) {
            levels[l] = (rmat_matrix){0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};
        }
        c.levels = levels;
    } else if (g->cols_scale == 9) {
        c.matrix = (rmat_matrix){0.45, 0.25, 0.2, 0.1};
    } else if (c.matrix.a + c.matrix.b == 0) {
        c.matrix = (rmat_matrix){0.57, 0.19, 0.19, 0.05};
    }
    return c;
}

/* FNV-1a over the ids as little-endian uint64, source before destination, and the four bytes of the
 * weight if there is one.  It depends on the order of the edges. */
static uint64_t golden_checksum(uint64_t h, uint64_t src, uint64_t dst, const uint32_t *weight)
{
    for (int i = 0; i < (weight ? 20 : 16); i++) {
        uint64_t word = i < 8 ? src : i < 16 ? dst : *weight;

        h = (h ^ (word >> i % 8 * 8 & 0xFF)) * UINT64_C(0x100000001B3);
    }
    return h;
}

#define GOLDEN_CHECKSUM_START UINT64_C(0xCBF29CE484222325)

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
