/* Grid-stride loops of plain kernels; sums end in one atomic per warp. */
#include "alias/core/draw.h"
#include "apps/bench_alias/grid.cuh"
#include "apps/bench_alias/gpu_kernels.h"

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

static __global__ void write_kernel(ulonglong2 *out, uint64_t words, uint64_t value)
{
    FOR_EACH(i, words)
    {
        out[i] = make_ulonglong2(value + i, value ^ i);
    }
}

cudaError_t bench_gpu_write(void *out, uint64_t bytes, uint64_t value, cudaStream_t stream)
{
    write_kernel<<<grid_for(bytes / 16), threads, 0, stream>>>((ulonglong2 *)out, bytes / 16,
                                                               value);
    return cudaGetLastError();
}

static __global__ void read_kernel(const ulonglong2 *in, uint64_t words, uint64_t *sum)
{
    uint64_t mine = 0, stride = (uint64_t)gridDim.x * blockDim.x;
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (; i + 3 * stride < words; i += 4 * stride) {
        ulonglong2 a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];

        mine += a.x ^ a.y ^ b.x ^ b.y ^ c.x ^ c.y ^ d.x ^ d.y;
    }
    for (; i < words; i += stride) {
        mine += in[i].x ^ in[i].y;
    }
    add_warp(mine, sum);
}

cudaError_t bench_gpu_read(const void *in, uint64_t bytes, uint64_t *sum, cudaStream_t stream)
{
    read_kernel<<<grid_for(bytes / 16), threads, 0, stream>>>((const ulonglong2 *)in, bytes / 16,
                                                              sum);
    return cudaGetLastError();
}

static __global__ void copy_kernel(ulonglong2 *out, const ulonglong2 *in, uint64_t words)
{
    FOR_EACH(i, words)
    {
        out[i] = in[i];
    }
}

cudaError_t bench_gpu_copy(void *out, const void *in, uint64_t bytes, cudaStream_t stream)
{
    copy_kernel<<<grid_for(bytes / 16), threads, 0, stream>>>((ulonglong2 *)out,
                                                              (const ulonglong2 *)in, bytes / 16);
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
