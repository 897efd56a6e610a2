/*
 * fingerprint.h - the hash of one edge for rmat_fingerprint(), for the CPU, the GPU and your own
 * kernels.
 *
 * The fingerprint of a multiset of edges is the sum of their hashes modulo 2^64, so the order of
 * the edges does not matter (STREAM.md, "Fingerprint").  C17 and C++; __host__ __device__ under
 * nvcc; thread-safe.
 */
#ifndef RMAT_MODEL_FINGERPRINT_H
#define RMAT_MODEL_FINGERPRINT_H

#include "alias/core/hd.h"
#include <stdint.h>

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
