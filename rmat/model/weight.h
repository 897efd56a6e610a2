/*
 * weight.h - the weight of one edge (STREAM.md, "Weights"), for the CPU, the GPU and kernels of
 * your own.
 *
 * A weight is a hash of the edge's unordered ends and a key that follows from the seed, turned into
 * a float or an int.  C17 and C++; __host__ __device__ under nvcc; thread-safe.
 */
#ifndef RMAT_MODEL_WEIGHT_H
#define RMAT_MODEL_WEIGHT_H

#include "alias/core/hd.h"
#include <stdint.h>
#include <string.h>

/* 64 hashed bits of an edge, the same for its reverse. */
ALIAS_HD uint64_t rmat_weight_bits(uint64_t key, uint64_t src, uint64_t dst)
{
    uint64_t lo = src < dst ? src : dst, hi = src < dst ? dst : src;
    uint64_t x = lo * 0x9E3779B97F4A7C15u + hi * 0xC2B2AE3D27D4EB4Fu + key;

    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* The uniform weight of these bits: in [0, 1), a multiple of 2^-24. */
ALIAS_HD float rmat_weight_uniform(uint64_t bits)
{
    return (float)(uint32_t)(bits >> 40) * 0x1p-24f;
}

/* The float weight of these bits: low + span times the uniform one, where span = high - low.  The
 * product of two floats is exact in double, so it does not matter if it is fused with the sum. */
ALIAS_HD float rmat_weight_float(uint64_t bits, float low, float span)
{
    return (float)((double)low + (double)span * (double)rmat_weight_uniform(bits));
}

/* The int weight of these bits: min + floor(bits * range / 2^64), where range = max - min + 1, up
 * to 2^32. */
ALIAS_HD int32_t rmat_weight_int(uint64_t bits, int32_t min, uint64_t range)
{
    uint64_t low = (bits & 0xFFFFFFFFu) * range >> 32;

    return (int32_t)((uint32_t)min + (uint32_t)(((bits >> 32) * range + low) >> 32));
}

/* What decides the weights of a model besides the edges. */
typedef struct {
    uint64_t key, range; /* range: of int weights; 0: of others */
    int32_t min;
    int is_float; /* not 0: float weights from `low` on; else uniform ones, if range is 0 */
    float low, span;
} rmat_weighing;

/* The weight of an edge, as the four bytes that are stored. */
ALIAS_HD uint32_t rmat_weight_of(const rmat_weighing *how, uint64_t src, uint64_t dst)
{
    const uint64_t bits = rmat_weight_bits(how->key, src, dst);
    uint32_t word;
    float weight;

    if (how->range != 0) {
        return (uint32_t)rmat_weight_int(bits, how->min, how->range);
    }
    weight =
        how->is_float ? rmat_weight_float(bits, how->low, how->span) : rmat_weight_uniform(bits);
    memcpy(&word, &weight, sizeof word);
    return word;
}

#endif
