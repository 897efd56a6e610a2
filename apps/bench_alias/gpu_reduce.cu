/* The library's samplers into consumers that keep everything in registers. */
#include "alias/alias_device.cuh"
#include "apps/bench_alias/gpu_sample.h"

int bench_gpu_reduce(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                     uint64_t *sum, cudaStream_t stream)
{
    return alias_for_each_draw(table, sampler, seed, 0, count, alias_sum{(uint32_t *)sum}, stream);
}

/* Adds up all items, and counts them. */
struct counting_sum {
    struct state {
        unsigned long long sum, count;
    };
    unsigned long long *sums;

    __device__ void begin(state &s) const
    {
        s = {0, 0};
    }
    __device__ void operator()(state &s, uint64_t, uint64_t item) const
    {
        s.sum += item;
        s.count++;
    }
    __device__ void end(state &s) const
    {
        atomicAdd(&sums[0], s.sum);
        atomicAdd(&sums[1], s.count);
    }
};

int bench_gpu_count(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                    uint64_t *sums, cudaStream_t stream)
{
    return alias_for_each_draw(table, sampler, seed, 0, count,
                               counting_sum{(unsigned long long *)sums}, stream);
}
