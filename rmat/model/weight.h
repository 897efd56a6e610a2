/*
 * weight.h - hashes of one edge, for the CPU, the GPU and your own kernels: its weight (STREAM.md,
 * "Weights") and its share of a fingerprint ("Fingerprint").
 *
 * A weight is a hash of the edge's unordered ends and a key from the seed, turned into a float or
 * an int.  The fingerprint of a multiset of edges is the sum of their hashes modulo 2^64, so the
 * order of the edges does not matter.  C17 and C++; __host__ __device__ under nvcc; thread-safe.
 */
#ifndef RMAT_MODEL_WEIGHT_H
#define RMAT_MODEL_WEIGHT_H

#include "alias/core/hd.h"
#include <stdint.h>
#include <string.h>

/* 64 hashed bits of an edge, the same for its reverse. */
ALIAS_HD uint64_t rmat_weight_hash(uint64_t key, uint64_t src, uint64_t dst)
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

/* The float weight of these bits: low + span * u, at most high, where u is the uniform weight and
 * span = high - low.  Each operation is rounded to a float, and no compiler may fuse them: the
 * product of two floats is exact in double, so its rounding is a separate step.  (Doubles would
 * cost a GPU up to 20 registers per thread.) */
ALIAS_HD float rmat_weight_float(uint64_t bits, float low, float span, float high)
{
    const float u = rmat_weight_uniform(bits);
#ifdef __CUDA_ARCH__
    const float sum = __fadd_rn(low, __fmul_rn(span, u));
#else
    const float sum = low + (float)((double)span * (double)u);
#endif

    return sum < high ? sum : high;
}

/* The int weight of these bits: min + floor(bits * range / 2^64), where range = max - min + 1, up
 * to 2^32. */
ALIAS_HD int32_t rmat_weight_int(uint64_t bits, int32_t min, uint64_t range)
{
    uint64_t low = (bits & 0xFFFFFFFFu) * range >> 32;

    return (int32_t)((uint32_t)min + (uint32_t)(((bits >> 32) * range + low) >> 32));
}

/* Everything that decides the weights of a model besides the edges. */
typedef struct {
    uint64_t key, range; /* range: of int weights; 0: of floats */
    int32_t min;
    float low, span, high; /* uniform weights have 0, 1, 1 */
} rmat_weighing;

/* The weight of an edge, as the four bytes that are stored. */
ALIAS_HD uint32_t rmat_weight_of(const rmat_weighing *how, uint64_t src, uint64_t dst)
{
    const uint64_t bits = rmat_weight_hash(how->key, src, dst);
    uint32_t word;
    float weight;

    if (how->range != 0) {
        return (uint32_t)rmat_weight_int(bits, how->min, how->range);
    }
    weight = rmat_weight_float(bits, how->low, how->span, how->high);
    memcpy(&word, &weight, sizeof word);
    return word;
}

/* The hash of edge (src, dst).  Different odd multipliers distinguish it from (dst, src); the last
 * round spreads every input bit. */
ALIAS_HD uint64_t rmat_edge_hash(uint64_t src, uint64_t dst)
{
    uint64_t h = src * 0x9E3779B97F4A7C15u + dst * 0xC2B2AE3D27D4EB4Fu;

    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

#endif
