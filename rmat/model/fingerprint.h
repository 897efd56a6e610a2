/* The hash behind rmat_fingerprint(): one edge, on any backend. */
#ifndef RMAT_MODEL_FINGERPRINT_H
#define RMAT_MODEL_FINGERPRINT_H

#include "alias/core/hd.h"
#include <stdint.h>

/* Distinct odd multipliers tell (u, v) from (v, u); the last round spreads every input bit.  A
 * fingerprint is the sum of these modulo 2^64, so the order of the edges does not matter. */
ALIAS_HD uint64_t rmat_edge_hash(uint64_t src, uint64_t dst)
{
    uint64_t h = src * 0x9E3779B97F4A7C15u + dst * 0xC2B2AE3D27D4EB4Fu;

    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

#endif
