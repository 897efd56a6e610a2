/*
 * Kernels of the benchmark: weights, and the library's samplers with a consumer that keeps
 * everything in registers.
 */
#include "alias/alias_device.cuh"
#include "apps/bench_alias/weights.h"

static __global__ void spin_kernel(uint64_t nanoseconds)
{
    uint64_t start, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
}

int bench_gpu_spin(uint64_t nanoseconds, void *stream)
{
    spin_kernel<<<1, 1, 0, (cudaStream_t)stream>>>(nanoseconds);
    return alias_gpu_launched();
}

static __global__ void weights_kernel(bench_family family, double *w, uint64_t n)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        w[i] = bench_weight(family, i, n);
    }
}

int bench_gpu_weights(bench_family family, double *w, uint64_t n, void *stream)
{
    weights_kernel<<<4096, 512, 0, (cudaStream_t)stream>>>(family, w, n);
    return alias_gpu_launched();
}

int bench_gpu_reduce(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                     uint64_t *sum, void *stream)
{
    return alias_for_each_draw(table, sampler, seed, 0, count, alias_sum{(uint32_t *)sum},
                               (cudaStream_t)stream);
}
