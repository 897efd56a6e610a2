/*
 * permutation_battery.h - keyed bijections of [0, 2^bits): those of the library, random ones, and
 * bad ones, which the tests must reject.  Statistical tests check whether a family of them looks
 * like random permutations.
 *
 * Each test returns a p-value, corrected for all of its comparisons: a family of random
 * permutations gets less than p with a probability of at most about p. All tests use fixed seeds.
 */
#ifndef TESTS_SUPPORT_PERMUTATION_BATTERY_H
#define TESTS_SUPPORT_PERMUTATION_BATTERY_H

#include "rmat/model/permutation.h"
#include "tests/support/must.h"

#include <stdint.h>

typedef enum {
    BIJECTION_ROWS,       /* the library's permutation of rows */
    BIJECTION_COLS,       /* of columns, if they are another number */
    BIJECTION_TWO_ROUNDS, /* the library's first two rounds */
    BIJECTION_VERSION_2,  /* the edge stream's second permutation, of three rounds */
    BIJECTION_VERSION_1,  /* its first one */
    BIJECTION_RANDOM,     /* Fisher and Yates; up to 24 bits */
    BIJECTION_IDENTITY,   /* x */
    BIJECTION_XOR,        /* x ^ key */
    BIJECTION_AFFINE      /* x * odd key + key */
} bijection_family;

typedef struct {
    bijection_family family;
    int bits;
    uint64_t key[3];
    rmat_permutation permutation;
    uint32_t *table; /* of random ones */
} bijection;

bijection bijection_create(bijection_family family, int bits, uint64_t seed);
uint64_t bijection_image(const bijection *b, uint64_t x);
void bijection_free(bijection b);
SCOPED(bijection_free, bijection)

/* The number of ids that are their own images, and the number of cycles; up to 16 bits. */
double battery_cycles(bijection_family family, int bits);

/* Compares the lowest 6 bits of the images of all ids with the lowest and the highest 6 bits of the
 * ids, and with the lowest bits of the images a quarter of all ids away; 12 to 22 bits. */
double battery_low_bits(bijection_family family, int bits);

/* The images of the same id in two families with the same seed; 3 bits or more. */
double battery_sides(bijection_family rows, bijection_family cols, int bits);

/* The smallest p-value of all tests of one family for these bits, times their number. *worst
 * becomes the name of that test.  A p-value below 10^-30 ends the search. */
double battery_all(bijection_family family, int bits, const char **worst);

#endif
