/*
 * permutation_battery.h - statistical tests of a family of bijections of [0, 2^bits): does it look
 * like random permutations?
 *
 * Each test returns a p-value, corrected for all of its comparisons: a family of random
 * permutations gets less than p with a probability of at most about p.  All tests use fixed seeds.
 */
#ifndef TESTS_SUPPORT_PERMUTATION_BATTERY_H
#define TESTS_SUPPORT_PERMUTATION_BATTERY_H

#include "tests/support/bijections.h"

/* Whether a change of bit i of x changes bit j of its image, for all i and j: half of the time. */
double battery_avalanche(bijection_family family, int bits);

/* The images of random x and x + d, for d = 1, 3, all powers of two, 3/4 of 2^bits and two more:
 * their difference, their exclusive or, and the pair of them, in the upper bits and in the lower
 * ones.  12 bits or more. */
double battery_neighbours(bijection_family family, int bits);

/* The same differences over all x: how many pairs of x share one, and how many the most frequent
 * one has.  10 to 22 bits. */
double battery_differences(bijection_family family, int bits);

/* The images of 0 and of all powers of two, two at a time, over many keys.  6 bits or more. */
double battery_hubs(bijection_family family, int bits);

/* How the ids of each eighth spread over eighths, and over the lower three bits; 6 to 20 bits. */
double battery_parts(bijection_family family, int bits);

/* The lowest 6 bits of the images of all ids beside the lowest and the highest 6 bits of the ids,
 * and beside the lowest ones of the images a quarter of all ids away; 12 to 22 bits. */
double battery_low_bits(bijection_family family, int bits);

/* How many ids are their own images, and how many cycles there are; up to 16 bits. */
double battery_cycles(bijection_family family, int bits);

/* The images of every two ids over many keys: every two images equally often.  1 to 5 bits. */
double battery_pairs(bijection_family family, int bits);

/* The images of the same id in two families with the same seed; 3 bits or more. */
double battery_sides(bijection_family rows, bijection_family cols, int bits);

/* The smallest p-value of all tests of one family for these bits, times their number; *worst
 * becomes the name of that test.  The first one below 10^-30 ends the search. */
double battery_all(bijection_family family, int bits, const char **worst);

#endif
