/*
 * Kernels of the benchmark: grid-stride loops whose sums end in one atomic per warp; the library's
 * samplers into consumers that keep everything in registers; and a stand-in for a rejection loop,
 * in SIMT lockstep, for groups of 1 to 32 threads.
 */
#include "alias/alias_device.cuh"
#include "alias/core/draw.h"
#include "alias/gpu/rejection.cuh"
#include "apps/bench_alias/kernels.h"

static const int threads = 512; /* of a block */

static unsigned grid_for(uint64_t items)
{
    uint64_t blocks = (items + threads - 1) / threads;

    return (unsigned)(blocks < 1 ? 1 : blocks < 4096 ? blocks : 4096);
}

#define FOR_EACH(i, n)                                                                             \
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);                    \
         i += (uint64_t)gridDim.x * blockDim.x)

/* A bijection on 64-bit words that mixes well (Stafford's variant 13). */
static __device__ __forceinline__ uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

template <typename T> static __device__ void add_warp(T value, T *sum)
{
    for (int lane = 16; lane > 0; lane /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, lane);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(sum, value);
    }
}

static __device__ void add_warp(uint64_t value, uint64_t *sum)
{
    add_warp((unsigned long long)value, (unsigned long long *)sum);
}

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

/* A pseudo-random permutation of [0, n): a Feistel network on the next even number of bits, walked
 * until it is back below n. */
static __device__ uint64_t permute(uint64_t x, uint64_t n, int half)
{
    uint64_t mask = (1ull << half) - 1;

    do {
        uint64_t left = x >> half, right = x & mask;

        for (uint64_t round = 1; round <= 4; round++) {
            uint64_t next = left ^ (mix(right + (round << 56)) & mask);

            left = right;
            right = next;
        }
        x = left << half | right;
    } while (x >= n);
    return x;
}

static __global__ void weights_kernel(double *w, uint64_t n, double exponent, int half)
{
    FOR_EACH(i, n)
    {
        if (exponent == 0) {
            w[i] = ((double)(mix(i * 0x9E3779B97F4A7C15ull + 1) >> 12) + 0.5) * 0x1p-52;
        } else {
            w[i] = pow((double)(1 + (half > 0 ? permute(i, n, half) : i)), -exponent);
        }
    }
}

cudaError_t bench_gpu_weights(double *w, uint64_t n, double exponent, int shuffled,
                              cudaStream_t stream)
{
    int half = 1;

    while (half < 31 && 1ull << 2 * half < n) {
        half++;
    }
    weights_kernel<<<grid_for(n), threads, 0, stream>>>(w, n, exponent, shuffled ? half : 0);
    return cudaGetLastError();
}

static __global__ void moments_kernel(const double *w, uint64_t n, double *sums)
{
    double zero = 0, one = 0, two = 0;

    FOR_EACH(i, n)
    {
        zero += w[i];
        one += (double)i * w[i];
        two += (double)i * (double)i * w[i];
    }
    add_warp(zero, sums);
    add_warp(one, sums + 1);
    add_warp(two, sums + 2);
}

cudaError_t bench_gpu_moments(const double *w, uint64_t n, double *sums, cudaStream_t stream)
{
    moments_kernel<<<grid_for(n), threads, 0, stream>>>(w, n, sums);
    return cudaGetLastError();
}

static __device__ __forceinline__ void read_row(const alias_view &v, uint64_t i,
                                                uint64_t *threshold, uint64_t *alias)
{
    if (v.alias != NULL) {
        *threshold =
            v.row_bytes == 8 ? ((const uint32_t *)v.rows)[i] : ((const uint64_t *)v.rows)[i];
        *alias = v.row_bytes == 8 ? ((const uint32_t *)v.alias)[i] : ((const uint64_t *)v.alias)[i];
    } else if (v.row_bytes == 8) {
        alias_row8 row = ((const alias_row8 *)v.rows)[i];

        *threshold = row.threshold;
        *alias = row.alias;
    } else {
        alias_row16 row = ((const alias_row16 *)v.rows)[i];

        *threshold = row.threshold;
        *alias = row.alias;
    }
}

static __global__ void row_sum_kernel(alias_view v, uint64_t *sum)
{
    uint64_t mine = 0, threshold, alias;

    FOR_EACH(i, v.n)
    {
        read_row(v, i, &threshold, &alias);
        mine += mix(mix(mix(i + 1) ^ threshold) ^ alias);
    }
    add_warp(mine, sum);
}

cudaError_t bench_gpu_row_sum(const alias_view *view, uint64_t *sum, cudaStream_t stream)
{
    row_sum_kernel<<<grid_for(view->n), threads, 0, stream>>>(*view, sum);
    return cudaGetLastError();
}

/* A bucket that is its item's alone has alias = item and whatever threshold: all of it is given. */
static __global__ void masses_kernel(alias_view v, unsigned long long *mass)
{
    uint64_t threshold, alias;

    FOR_EACH(i, v.n)
    {
        read_row(v, i, &threshold, &alias);
        atomicAdd(&mass[i], (unsigned long long)threshold);
        if (alias < v.n) { /* a wrong table must not end the program */
            atomicAdd(&mass[alias], (unsigned long long)((1ull << v.k) - threshold));
        }
    }
}

cudaError_t bench_gpu_masses(const alias_view *view, uint64_t *mass, cudaStream_t stream)
{
    masses_kernel<<<grid_for(view->n), threads, 0, stream>>>(*view, (unsigned long long *)mass);
    return cudaGetLastError();
}

static __global__ void mass_sum_kernel(const uint64_t *mass, uint64_t n, uint64_t *sum)
{
    uint64_t mine = 0;

    FOR_EACH(i, n)
    {
        mine += mix(mix(i + 1) ^ mass[i]);
    }
    add_warp(mine, sum);
}

cudaError_t bench_gpu_mass_sum(const uint64_t *mass, uint64_t n, uint64_t *sum, cudaStream_t stream)
{
    mass_sum_kernel<<<grid_for(n), threads, 0, stream>>>(mass, n, sum);
    return cudaGetLastError();
}

template <typename T>
static __global__ void draw_sum_kernel(const T *draws, uint64_t count, uint64_t n, uint64_t *sums)
{
    uint64_t total = 0, beyond = 0;

    FOR_EACH(i, count)
    {
        total += draws[i];
        beyond += draws[i] >= n;
    }
    add_warp(total, sums);
    add_warp(beyond, sums + 1);
}

cudaError_t bench_gpu_draw_sum(const void *draws, int bytes, uint64_t count, uint64_t n,
                               uint64_t *sums, cudaStream_t stream)
{
    if (bytes == 8) {
        draw_sum_kernel<<<grid_for(count), threads, 0, stream>>>((const uint64_t *)draws, count, n,
                                                                 sums);
    } else {
        draw_sum_kernel<<<grid_for(count), threads, 0, stream>>>((const uint32_t *)draws, count, n,
                                                                 sums);
    }
    return cudaGetLastError();
}

static __global__ void baseline_errors_kernel(alias_view v, uint64_t seed, uint64_t first,
                                              uint64_t count, const uint32_t *draws,
                                              uint64_t *wrong)
{
    uint64_t mine = 0;

    FOR_EACH(t, count)
    {
        uint64_t x = alias_draw_bits(seed, first + t);

        mine +=
            draws[t] != (v.row_bytes == 8 ? alias_draw8((const alias_row8 *)v.rows, v.n, x)
                                          : alias_draw16((const alias_row16 *)v.rows, v.n, v.k, x));
    }
    add_warp(mine, wrong);
}

cudaError_t bench_gpu_baseline_errors(const alias_view *view, uint64_t seed, uint64_t first,
                                      uint64_t count, const uint32_t *draws, uint64_t *wrong,
                                      cudaStream_t stream)
{
    baseline_errors_kernel<<<grid_for(count), threads, 0, stream>>>(*view, seed, first, count,
                                                                    draws, wrong);
    return cudaGetLastError();
}

/* Four independent places a turn; n < 2^32. */
static __global__ void gather_kernel(const uint64_t *rows, uint32_t n, uint64_t count,
                                     uint64_t seed, uint64_t *sum)
{
    uint64_t mine = 0;

    FOR_EACH(i, count / 4)
    {
        uint64_t x = (i + seed) * 0x9E3779B97F4A7C15ull, y = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull;

        mine += rows[__umulhi((uint32_t)y, n)] ^ rows[__umulhi((uint32_t)(y >> 32), n)];
        mine += rows[__umulhi((uint32_t)(x >> 32), n)] ^
                rows[__umulhi((uint32_t)(x >> 32) ^ (uint32_t)y, n)];
    }
    add_warp(mine, sum);
}

cudaError_t bench_gpu_gather(const void *rows, uint64_t n, uint64_t count, uint64_t seed,
                             uint64_t *sum, cudaStream_t stream)
{
    gather_kernel<<<grid_for(count / 4), threads, 0, stream>>>((const uint64_t *)rows, (uint32_t)n,
                                                               count, seed, sum);
    return cudaGetLastError();
}

static __global__ void philox_kernel(uint64_t blocks, uint64_t seed, uint64_t *sum)
{
    uint32_t mine = 0;

    FOR_EACH(i, blocks)
    {
        philox_block b = philox_at(seed, i, 0, PHILOX_ALIAS_DRAW);

        mine += b.v[0] ^ b.v[1] ^ b.v[2] ^ b.v[3];
    }
    add_warp((uint64_t)mine, sum);
}

cudaError_t bench_gpu_philox(uint64_t blocks, uint64_t seed, uint64_t *sum, cudaStream_t stream)
{
    philox_kernel<<<grid_for(blocks), threads, 0, stream>>>(blocks, seed, sum);
    return cudaGetLastError();
}

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

enum { REJECTION_THREADS = 256 };

/* Philox for every attempt, so that all iterations cost the same.  full: all lanes, known to the
 * compiler, as most callers will have it. */
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
    atomicXor(&sums[2], values); /* so that the samples are made */
}

using rejection_kernel = void (*)(uint64_t, int, uint64_t, unsigned long long *);

template <bool full> static rejection_kernel kernel_of(int group)
{
    switch (group) {
    case 1:
        return reject_kernel<1, full>;
    case 2:
        return reject_kernel<2, full>;
    case 4:
        return reject_kernel<4, full>;
    case 8:
        return reject_kernel<8, full>;
    case 16:
        return reject_kernel<16, full>;
    default:
        return reject_kernel<32, full>;
    }
}

cudaError_t bench_gpu_rejection(double rho, int lanes, int group, uint64_t rounds, uint64_t *sums,
                                cudaStream_t stream)
{
    const rejection_kernel kernel = lanes == 32 ? kernel_of<true>(group) : kernel_of<false>(group);
    int device = 0, multiprocessors = 0, blocks = 0;

    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    (void)cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, REJECTION_THREADS, 0);
    kernel<<<multiprocessors * blocks, REJECTION_THREADS, 0, stream>>>(
        (uint64_t)((1 - rho) * 0x1p53), lanes, rounds, (unsigned long long *)sums);
    return cudaGetLastError();
}
