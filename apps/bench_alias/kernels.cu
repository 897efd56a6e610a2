/*
 * Kernels of the benchmark: weights; the library's samplers with a consumer that keeps everything
 * in registers; and a model of a rejection loop, in SIMT lockstep, for groups of 1 to 32 threads.
 */
#include "alias/alias_device.cuh"
#include "alias/gpu/rejection.cuh"
#include "apps/bench_alias/kernels.h"

static __global__ void spin_kernel(uint64_t nanoseconds)
{
    uint64_t start, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
}

cudaError_t bench_gpu_spin(uint64_t nanoseconds, cudaStream_t stream)
{
    spin_kernel<<<1, 1, 0, stream>>>(nanoseconds);
    return cudaGetLastError();
}

static __global__ void weights_kernel(bench_family family, double *w, uint64_t n)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        w[i] = bench_weight(family, i, n);
    }
}

cudaError_t bench_gpu_weights(bench_family family, double *w, uint64_t n, cudaStream_t stream)
{
    weights_kernel<<<4096, 512, 0, stream>>>(family, w, n);
    return cudaGetLastError();
}

int bench_gpu_reduce(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                     uint64_t *sum, cudaStream_t stream)
{
    return alias_for_each_draw(table, sampler, seed, 0, count, alias_sum{(uint32_t *)sum}, stream);
}

enum { REJECTION_THREADS = 256 };

/* Philox for every attempt, so that all iterations cost the same.  full: all lanes take part, which
 * the compiler knows, as in most callers. */
template <int group, bool full>
static __global__ void __launch_bounds__(REJECTION_THREADS)
    reject_kernel(uint64_t threshold, int lanes, uint64_t rounds, unsigned long long *sums)
{
    const uint64_t warps = (uint64_t)gridDim.x * (REJECTION_THREADS / 32);
    const uint32_t lane = threadIdx.x % 32, samples = (uint32_t)lanes / group;
    const uint32_t mask = full ? 0xffffffffu : (uint32_t)((1ull << lanes) - 1);
    unsigned long long iterations = 0, squares = 0, values = 0;

    if (lane >= (uint32_t)lanes) {
        return;
    }
    for (uint64_t r = (uint64_t)blockIdx.x * (REJECTION_THREADS / 32) + threadIdx.x / 32;
         r < rounds; r += warps) {
        const uint64_t sample = r * samples + lane / group;
        auto result = alias_reject<group>(
            mask,
            [&](uint32_t attempt) {
                philox_block b = philox_at(1, sample, attempt, 0xff);

                return b.v[0] | (uint64_t)b.v[1] << 32;
            },
            [&](uint64_t bits) { return bits >> 11 < threshold; });

        iterations += result.iterations;
        squares += (uint64_t)result.iterations * result.iterations;
        values ^= result.value;
    }
    if (lane == 0) {
        atomicAdd(&sums[0], iterations);
        atomicAdd(&sums[1], squares);
    }
    atomicXor(&sums[2], values); /* keeps the compiler from removing the samples */
}

using rejection_kernel = void (*)(uint64_t, int, uint64_t, unsigned long long *);

/* For groups of 2^i threads. */
template <bool full> static rejection_kernel kernel_of(int i)
{
    static const rejection_kernel kernels[] = {reject_kernel<1, full>,  reject_kernel<2, full>,
                                               reject_kernel<4, full>,  reject_kernel<8, full>,
                                               reject_kernel<16, full>, reject_kernel<32, full>};

    return kernels[i];
}

cudaError_t bench_gpu_rejection(double rho, int lanes, int group, uint64_t rounds, uint64_t *sums,
                                cudaStream_t stream)
{
    const int i = __builtin_ctz((unsigned)group);
    const rejection_kernel kernel = lanes == 32 ? kernel_of<true>(i) : kernel_of<false>(i);
    int device = 0, multiprocessors = 0, blocks = 0;

    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    (void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, REJECTION_THREADS, 0);
    kernel<<<multiprocessors * blocks, REJECTION_THREADS, 0, stream>>>(
        (uint64_t)((1 - rho) * 0x1p53), lanes, rounds, (unsigned long long *)sums);
    return cudaGetLastError();
}
