/* The weights of bench_alias, the same on host and device; and its kernels. */
#ifndef APPS_BENCH_ALIAS_WEIGHTS_H
#define APPS_BENCH_ALIAS_WEIGHTS_H

#include "alias/alias_gpu.h"
#include "alias/core/hd.h"

#include <stdint.h>

/* Uniform in (0, 1), or the power law 1 / (rank + 1) with the ranks in pseudo-random order or
 * sorted. */
typedef enum { UNIFORM, POWER1, SORTED, FAMILIES } bench_family;

/* A bijection on 64-bit words that mixes well (Stafford's variant 13). */
ALIAS_HD uint64_t bench_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A pseudo-random permutation of [0, n): a Feistel network on the next even number of bits, walked
 * until it is back below n. */
ALIAS_HD uint64_t bench_permute(uint64_t x, uint64_t n)
{
    uint64_t mask = 1;
    int half = 1;

    for (; half < 31 && (uint64_t)1 << 2 * half < n; half++) {
        mask = 2 * mask + 1;
    }
    do {
        uint64_t left = x >> half, right = x & mask;

        for (uint64_t round = 1; round <= 4; round++) {
            uint64_t next = left ^ (bench_mix(right + (round << 56)) & mask);

            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= n);
    return x;
}

/* Weight i of n. */
ALIAS_HD double bench_weight(bench_family family, uint64_t i, uint64_t n)
{
    if (family == UNIFORM) {
        return ((double)(bench_mix(i * 0x9E3779B97F4A7C15u + 1) >> 12) + 0.5) * 0x1p-52;
    }
    return 1 / (double)(1 + (family == SORTED ? i : bench_permute(i, n)));
}

/* --- kernels.cu: returns an alias_status after the launch; pointers are into device memory --- */

#ifdef __cplusplus
extern "C" {
#endif

/* Keeps the stream busy for this time, so that the work queued after it runs without gaps. */
int bench_gpu_spin(uint64_t nanoseconds, void *stream);

/* w[i] = bench_weight(family, i, n). */
int bench_gpu_weights(bench_family family, double *w, uint64_t n, void *stream);

/* The library's draws, added up modulo 2^32 into the low half of *sum. */
int bench_gpu_reduce(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                     uint64_t *sum, void *stream);

#ifdef __cplusplus
}
#endif

#endif
