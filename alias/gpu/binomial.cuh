/*
 * alias/gpu/binomial.cuh - a binomial variate made by a group of threads of a warp, for .cu files.
 */
#ifndef ALIAS_GPU_BINOMIAL_CUH
#define ALIAS_GPU_BINOMIAL_CUH

#include "alias/core/binomial.h"
#include "alias/gpu/rejection.cuh"

/*
 * alias_binomial() of alias/core/binomial.h, bit for bit, by a group of lanes that try its attempts
 * together.  All lanes of a group pass the same arguments; group, lanes and wanted are those of
 * alias_reject() in alias/gpu/rejection.cuh.
 */
template <int group>
__device__ __forceinline__ uint64_t alias_binomial_group(uint32_t lanes, uint64_t seed,
                                                         uint64_t index, uint32_t node, uint64_t n,
                                                         uint64_t num, uint64_t den,
                                                         bool wanted = true)
{
    struct candidate {
        uint64_t successes;
        uint32_t accepted;
    };
    const alias_binomial_law law = alias_binomial_law_of(n, num, den);

    return alias_reject<group>(
               lanes,
               [&](uint32_t attempt) {
                   candidate c = {};

                   c.accepted = (uint32_t)alias_binomial_attempt(&law, seed, index, node, attempt,
                                                                 &c.successes);
                   return c;
               },
               [](const candidate &c) { return c.accepted != 0; }, wanted)
        .value.successes;
}

#endif
