/* golden.h - the configurations of STREAM.md's known answers, and a small instance of each preset.
 */
#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

#include "datasets/presets.h"
#include "rmat/rmat.h"

#include <stdint.h>
#include <string.h>

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
static inline rmat_config golden_config_of(const golden_config *g, rmat_matrix *levels)
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
static inline uint64_t golden_checksum(uint64_t h, uint64_t src, uint64_t dst,
                                       const uint32_t *weight)
{
    for (int i = 0; i < (weight ? 20 : 16); i++) {
        uint64_t word = i < 8 ? src : i < 16 ? dst : *weight;

        h = (h ^ (word >> i % 8 * 8 & 0xFF)) * UINT64_C(0x100000001B3);
    }
    return h;
}

#define GOLDEN_CHECKSUM_START UINT64_C(0xCBF29CE484222325)

#endif
