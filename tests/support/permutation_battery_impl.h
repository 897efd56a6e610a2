/* permutation_battery_impl.h - what the two files of the battery share. */
#ifndef TESTS_SUPPORT_PERMUTATION_BATTERY_IMPL_H
#define TESTS_SUPPORT_PERMUTATION_BATTERY_IMPL_H

#include "alias/core/philox.h"

#include <stdint.h>

enum { BATTERY_STEPS = 62 + 4 };

/* Random number i of a stream, below 2^bits. */
uint64_t battery_random(uint64_t stream, uint64_t i, int bits);

/* The distances of the ids whose images are compared; returns how many. */
int battery_steps(int bits, uint64_t steps[BATTERY_STEPS]);

#endif
