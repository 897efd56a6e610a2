/* A hash of weights in their order, for tests that hold known ones against it. */
#ifndef TESTS_SUPPORT_WEIGHT_HASH_H
#define TESTS_SUPPORT_WEIGHT_HASH_H

#include <stdint.h>

static inline uint64_t weight_hash(const uint32_t *weight, uint64_t n)
{
    uint64_t h = 0;

    for (uint64_t i = 0; i < n; i++) {
        h = h * 1099511628211u + weight[i];
    }
    return h;
}

#endif
