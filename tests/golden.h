/* The configurations of STREAM.md's known answers. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <stdint.h>

enum { GOLDEN_EDGES = 1000, GOLDEN_LEVELS = 62 };

typedef struct {
    const char *name;
    int rows_scale, cols_scale;
    double matrix[4]; /* all 0: golden_matrices() varies them by level */
    uint64_t seed;
} golden_config;

static const golden_config golden_configs[] = {
    {"graph500-20", 20, 20, {0.57, 0.19, 0.19, 0.05}, 1},
    {"graph500-30", 30, 30, {0.57, 0.19, 0.19, 0.05}, 2},
    {"graph500-36", 36, 36, {0.57, 0.19, 0.19, 0.05}, UINT64_MAX},
    {"rectangular-17x9", 17, 9, {0.45, 0.25, 0.2, 0.1}, 7},
    {"levels-62", 62, 62, {0}, 12345},
};

enum { GOLDEN_CONFIGS = sizeof golden_configs / sizeof golden_configs[0] };

static inline void golden_matrices(const golden_config *c, double m[GOLDEN_LEVELS][4])
{
    for (int l = 0; l < GOLDEN_LEVELS; l++) {
        const double varied[4] = {0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};

        for (int k = 0; k < 4; k++) {
            m[l][k] = c->matrix[0] > 0 ? c->matrix[k] : varied[k];
        }
    }
}

/* FNV-1a over the ids as little-endian uint64, source before destination: sees the order too. */
static inline uint64_t golden_checksum(uint64_t h, uint64_t src, uint64_t dst)
{
    for (int i = 0; i < 16; i++) {
        h = (h ^ ((i < 8 ? src : dst) >> (i % 8 * 8) & 0xFF)) * UINT64_C(0x100000001B3);
    }
    return h;
}

#define GOLDEN_CHECKSUM_START UINT64_C(0xCBF29CE484222325)

#endif
