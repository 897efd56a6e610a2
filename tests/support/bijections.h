/*
 * bijections.h - keyed bijections of [0, 2^bits), for the tests of the permutation: that of the
 * library, random ones, and bad ones, which the tests must reject.
 */
#ifndef TESTS_SUPPORT_BIJECTIONS_H
#define TESTS_SUPPORT_BIJECTIONS_H

#include "rmat/model/permutation.h"

#include <stdint.h>

/* One bijection.  A family is a function that makes the one of a seed; bijection_free() frees it.
 */
typedef struct bijection {
    uint64_t (*image)(const struct bijection *b, uint64_t x);
    int bits;
    uint64_t key[3];
    rmat_permutation permutation;
    uint32_t *table; /* of random ones */
} bijection;

typedef bijection (*bijection_family)(int bits, uint64_t seed);

void bijection_free(bijection *b);

bijection bijection_rows(int bits, uint64_t seed);   /* the library's permutation of rows */
bijection bijection_cols(int bits, uint64_t seed);   /* of columns, if there are not as many */
bijection bijection_random(int bits, uint64_t seed); /* Fisher and Yates; up to 24 bits */

bijection bijection_version_1(int bits, uint64_t seed);  /* the edge stream's first permutation */
bijection bijection_version_2(int bits, uint64_t seed);  /* its second one, of three rounds */
bijection bijection_identity(int bits, uint64_t seed);   /* x */
bijection bijection_xor(int bits, uint64_t seed);        /* x ^ key */
bijection bijection_affine(int bits, uint64_t seed);     /* x * odd key + key */
bijection bijection_two_rounds(int bits, uint64_t seed); /* the library's first two rounds */

#endif
