/*
 * alias/gpu/rejection.cuh - rejection sampling by groups of threads of a warp, and binomial
 * variates made so, for .cu files.
 *
 * A warp iterates until the last of its samples is accepted.  If proposals are often rejected, a
 * group of 2, 4, ... 32 threads per sample is faster: the threads try as many attempts together and
 * vote.  alias/core/rejection.h computes which group size needs the fewest iterations for a given
 * rejection probability.  Iterations do not cost the same, however: the votes take about ten
 * instructions.  Measured on an H200 with one Philox block (40 instructions) as the whole attempt,
 * single threads are the fastest up to a rejection probability of 0.88 (by the model: 0.13); 8 or
 * 16 threads win by a factor of 1.11 at 0.92, 16 by 1.4 at 0.96, and 32 by 2.4 at 0.99 (by the
 * model: 1.9, 2.3 and 3.5).  The more an attempt costs, the closer the model comes.
 *
 * Attempts at a sample are numbered 0, 1, 2, ..., and the lowest accepted one is the sample.  So
 * the sample does not depend on the group size if proposals are functions of (sample, attempt).
 *
 * Source: G. Ridley, B. Forget, "A simple method for rejection sampling efficiency improvement on
 * SIMT architectures", Statistics and Computing 31, 2021, Algorithm 3, without its shared memory.
 */
#ifndef ALIAS_GPU_REJECTION_CUH
#define ALIAS_GPU_REJECTION_CUH

#include "alias/core/binomial.h"

#include <stdint.h>
#include <string.h>
#include <type_traits>

/* A sample: the accepted candidate. */
template <typename X> struct alias_accepted {
    X value;
    uint32_t attempt;    /* its number */
    uint32_t iterations; /* of the calling lanes, which iterate together */
};

/* The value held by another lane. */
template <typename X> __device__ __forceinline__ X alias_shuffle(uint32_t lanes, X value, int lane)
{
    static_assert(std::is_trivially_copyable<X>::value, "lanes pass on copies of bytes");
    constexpr int words = (sizeof(X) + 3) / 4;
    uint32_t word[words] = {};

    memcpy(word, &value, sizeof(X));
#pragma unroll
    for (int i = 0; i < words; i++) {
        word[i] = __shfl_sync(lanes, word[i], lane);
    }
    memcpy(&value, word, sizeof(X));
    return value;
}

/* The largest of the calling lanes' values.  sm_75 has no instruction for it. */
static __device__ __forceinline__ uint32_t alias_largest(uint32_t lanes, uint32_t value)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(lanes, value);
#else
    uint32_t most = 0;

    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        most = max(most, __shfl_sync(lanes, value, __ffs((int)rest) - 1));
    }
    return most;
#endif
}

/*
 * Makes one sample for each group of `group` neighboring lanes (1, 2, 4, 8, 16 or 32; lane 0 begins
 * a group).  X propose(uint32_t attempt) makes a candidate and bool accept(const X &) judges it.  X
 * is copied between lanes, so it must be trivially copyable.  Both functions must be the same for
 * all lanes of a group and must not synchronize.  All lanes of a group receive the same sample.
 *
 * lanes: the calling lanes, which must be whole groups and call together, as for __ballot_sync(). A
 * group that needs no sample, for instance at the end of a loop, stays out of lanes or passes
 * wanted false.  propose is then not called, and the sample is undefined.
 */
template <int group, typename Propose, typename Accept>
__device__ __forceinline__ auto alias_reject(uint32_t lanes, Propose &&propose, Accept &&accept,
                                             bool wanted = true)
    -> alias_accepted<typename std::decay<decltype(propose(0u))>::type>
{
    static_assert(group >= 1 && group <= 32 && (group & (group - 1)) == 0, "a power of two");
    alias_accepted<typename std::decay<decltype(propose(0u))>::type> result = {};

    if constexpr (group == 1) { /* without votes: the hardware waits for the last lane */
        for (bool done = !wanted; !done; result.iterations++) {
            result.value = propose(result.iterations);
            done = accept(result.value);
        }
        result.attempt = result.iterations - 1;
        result.iterations = alias_largest(lanes, result.iterations);
    } else {
        const uint32_t lane = threadIdx.x % 32, rank = lane % group;
        const uint32_t members = (uint32_t)((1ull << group) - 1) << (lane - rank);
        uint32_t attempt = rank; /* this lane's next attempt */
        uint32_t accepted =
            wanted ? 0 : 1u << lane; /* the group's lanes with an accepted candidate */

        while (__any_sync(lanes, accepted == 0)) {
            bool vote = false;

            if (accepted == 0) {
                result.value = propose(attempt);
                vote = accept(result.value);
                attempt += group;
            }
            accepted |= __ballot_sync(lanes, vote) & members;
            result.iterations++;
        }
        accepted = (uint32_t)__ffs((int)accepted) - 1; /* the lowest */
        result.value = alias_shuffle(lanes, result.value, (int)accepted);
        result.attempt = attempt - rank + accepted % group - group;
    }
    return result;
}

/*
 * alias_binomial() of alias/core/binomial.h, bit for bit, by a group of lanes that try its attempts
 * together.  All lanes of a group pass the same arguments; group, lanes and wanted are those of
 * alias_reject().
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
