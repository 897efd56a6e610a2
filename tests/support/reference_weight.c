/* The reference's weights (STREAM.md, "Weights"). */
#include "tests/support/reference_impl.h"

#include <string.h>

static uint64_t hash_of(uint64_t key, uint64_t lo, uint64_t hi)
{
    uint64_t x = lo * UINT64_C(0x9E3779B97F4A7C15) + hi * UINT64_C(0xC2B2AE3D27D4EB4F) + key;

    for (int round = 0; round < 2; round++) {
        x ^= x / TWO_TO_32;
        x *= UINT64_C(0xD6E8FEB86659FD93);
    }
    return x ^ x / TWO_TO_32;
}

/* floor(x * y / 2^64) for y up to 2^32, from the lowest bit of x on. */
static uint64_t scaled(uint64_t x, uint64_t y)
{
    uint64_t product = 0;

    for (int bit = 0; bit < 64; bit++, x /= 2) {
        product = (product + x % 2 * y) / 2;
    }
    return product;
}

uint32_t reference_weight(const reference *r, uint64_t src, uint64_t dst)
{
    const reference_config *c = &r->config;
    reference_block b = reference_philox(c->seed, 0, 0, 4);
    uint64_t key = b.v[0] + TWO_TO_32 * b.v[1];
    uint64_t x = src < dst ? hash_of(key, src, dst) : hash_of(key, dst, src);
    uint32_t bits;

    if (c->weights == 'i') {
        int64_t range = (int64_t)c->weight_max - c->weight_min + 1;
        int32_t value = (int32_t)(c->weight_min + (int64_t)scaled(x, (uint64_t)range));

        memcpy(&bits, &value, sizeof bits);
    } else {
        float value = (float)(x / (UINT64_C(1) << 40)) / 16777216.0f;

        if (c->weights == 'f') {
            volatile float product = (c->weight_high - c->weight_low) * value; /* rounded here */

            value = c->weight_low + product;
            value = value > c->weight_high ? c->weight_high : value;
        }
        memcpy(&bits, &value, sizeof bits);
    }
    return bits;
}
