/* reference_impl.h - what the files of the reference share. */
#ifndef TESTS_SUPPORT_REFERENCE_IMPL_H
#define TESTS_SUPPORT_REFERENCE_IMPL_H

#include "tests/support/reference.h"

#define TWO_TO_32 (UINT64_C(1) << 32)

enum { REFERENCE_PATHS = 4096 };

typedef struct {
    uint64_t threshold[REFERENCE_PATHS]; /* 0 ... 2^50 */
    int alias[REFERENCE_PATHS];
} reference_table;

struct reference {
    reference_config config; /* rows and cols filled in */
    int scale, groups;
    double level[REFERENCE_MAX_SCALE][4];
    reference_table *tables; /* one per group */
};

typedef struct {
    uint64_t v[4];
} reference_block;

/* "Random bits" */
reference_block reference_philox(uint64_t seed, uint64_t index, uint64_t block, uint64_t purpose);

/* reference_table.c, "Tables"; reference_noise.c, "Noise" */
void reference_build_table(reference_table *t, const double (*levels)[4], int scale, int group);
void reference_noise(const double given[4], double noise, uint64_t seed, int l, double drawn[4]);

#endif
