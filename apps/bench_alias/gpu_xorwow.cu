/*
 * The papers' samplers with the papers' generator, for comparison like for like: cuRAND's XORWOW,
 * one state per thread, a double-precision uniform number per draw whose integer part chooses the
 * row and whose fraction decides; sections by repeated halving with the normal approximation of the
 * binomial, seeded by the node, by one thread of each block.  What they are not is exact: see
 * alias/core/sections.h for that.  The rows are the library's, 8 bytes instead of the papers' 16.
 */
#include "alias/core/draw.h"
#include "apps/bench_alias/gpu_sample.h"

#include <curand_kernel.h>

enum {
    THREADS = 512,
    BLOCKS = 3,      /* on a multiprocessor */
    MOST_ROWS = 8192 /* of a section: 64 KiB */
};

/* Rows of a section, such that all blocks have as many sections to do. */
static uint32_t section_rows(uint64_t n, uint64_t blocks)
{
    uint64_t turns = (n + blocks * MOST_ROWS - 1) / (blocks * MOST_ROWS);

    return (uint32_t)((n + blocks * turns - 1) / (blocks * turns));
}

static __global__ void init_kernel(curandStateXORWOW *states, uint64_t seed)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    curand_init(seed, i, 0, &states[i]);
}

/* A draw from m rows. */
static __device__ __forceinline__ uint32_t draw(const uint2 *rows, uint32_t start, uint32_t m,
                                                curandStateXORWOW *state)
{
    double x = curand_uniform_double(state) * m;
    uint32_t i = min((uint32_t)x, m - 1);
    uint2 row = rows[i];

    return (uint32_t)((x - i) * 4294967296.0) < row.x ? start + i : row.y;
}

static __device__ void finish(curandStateXORWOW *states, const curandStateXORWOW &state,
                              unsigned long long sum, unsigned long long count,
                              unsigned long long *sums)
{
    states[blockIdx.x * THREADS + threadIdx.x] = state;
    atomicAdd(&sums[0], sum);
    atomicAdd(&sums[1], count);
}

static __global__ void __launch_bounds__(THREADS, BLOCKS)
    baseline_kernel(const uint2 *rows, uint32_t n, curandStateXORWOW *states, uint64_t count,
                    unsigned long long *sums)
{
    uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    uint64_t all = (uint64_t)gridDim.x * THREADS, mine = count / all + (thread < count % all);
    curandStateXORWOW state = states[thread];
    unsigned long long sum = 0;

#pragma unroll 4
    for (uint64_t i = 0; i < mine; i++) {
        sum += draw(rows, 0, n, &state);
    }
    finish(states, state, sum, mine, sums);
}

/* Draws of one section: down the tree from all of them. */
static __device__ uint64_t section_count(uint64_t section, uint64_t sections, uint64_t rows,
                                         uint64_t n, uint64_t seed, uint64_t count)
{
    uint64_t low = 0, high = sections, node = 1;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        uint64_t end = min(high * rows, n), begin = low * rows;
        double p = (double)((middle - low) * rows) / (double)(end - begin);
        curandStateXORWOW state;
        double left;

        curand_init(seed + node * 0x9E3779B97F4A7C15ull, 0, 0, &state);
        left = rint(p * count + sqrt(p * (1 - p) * count) * curand_normal_double(&state));
        left = min(max(left, 0.0), (double)count);
        node *= 2;
        if (section < middle) {
            high = middle;
            count = (uint64_t)left;
        } else {
            low = middle;
            count -= (uint64_t)left;
            node++;
        }
    }
    return count;
}

template <bool SHARED, int PER_SM>
static __global__ void __launch_bounds__(THREADS, PER_SM)
    sections_kernel(const uint2 *rows, uint64_t n, uint32_t each, uint64_t seed,
                    curandStateXORWOW *states, uint64_t count, unsigned long long *sums)
{
    extern __shared__ uint2 copy[];
    __shared__ uint64_t draws;
    uint64_t sections = (n + each - 1) / each;
    curandStateXORWOW state = states[blockIdx.x * THREADS + threadIdx.x];
    unsigned long long sum = 0, drawn = 0;

    for (uint64_t s = blockIdx.x; s < sections; s += gridDim.x) {
        uint32_t start = (uint32_t)(s * each);
        uint32_t m = (uint32_t)min((uint64_t)each, n - start);
        const uint2 *section = SHARED ? copy : rows + start;
        uint64_t mine;

        __syncthreads();
        for (uint32_t i = threadIdx.x; SHARED && i < m; i += THREADS) {
            copy[i] = rows[start + i];
        }
        if (threadIdx.x == 0) {
            draws = section_count(s, sections, each, n, seed, count);
        }
        __syncthreads();
        mine = draws / THREADS + (threadIdx.x < draws % THREADS);
#pragma unroll 4
        for (uint64_t i = 0; i < mine; i++) {
            sum += draw(section, start, m, &state);
        }
        drawn += mine;
    }
    finish(states, state, sum, drawn, sums);
}

cudaError_t bench_gpu_xorwow_begin(bench_gpu_xorwow_states *s, uint64_t seed, cudaStream_t stream)
{
    unsigned blocks = (unsigned)(s->multiprocessors * BLOCKS);
    cudaError_t error = cudaSuccess;

    if (s->states == NULL) {
        error = cudaMalloc(&s->states, (size_t)blocks * THREADS * sizeof(curandStateXORWOW));
    }
    if (error != cudaSuccess) {
        return error;
    }
    init_kernel<<<blocks, THREADS, 0, stream>>>((curandStateXORWOW *)s->states, seed);
    return cudaGetLastError();
}

void bench_gpu_xorwow_end(bench_gpu_xorwow_states *s)
{
    (void)cudaFree(s->states);
    s->states = NULL;
}

template <bool SHARED, int PER_SM>
static cudaError_t draw_sections(const bench_gpu_xorwow_states *s, const alias_view *view,
                                 size_t unused, uint64_t seed, uint64_t count,
                                 unsigned long long *sums, cudaStream_t stream)
{
    auto kernel = sections_kernel<SHARED, PER_SM>;
    uint32_t each = section_rows(view->n, (uint64_t)s->multiprocessors * PER_SM);
    size_t memory = SHARED ? each * sizeof(uint2) : unused;
    cudaError_t error =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)memory);

    if (error != cudaSuccess) {
        return error;
    }
    kernel<<<s->multiprocessors * PER_SM, THREADS, memory, stream>>>(
        (const uint2 *)view->rows, view->n, each, seed, (curandStateXORWOW *)s->states, count,
        sums);
    return cudaGetLastError();
}

/* Of the shared memory of a multiprocessor. */
static size_t more_than_half()
{
    int device = 0, all = 0;

    (void)cudaGetDevice(&device);
    (void)cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return (size_t)all / 2 + 1024;
}

cudaError_t bench_gpu_xorwow(const bench_gpu_xorwow_states *s, const alias_view *view,
                             alias_sampler sampler, uint64_t seed, uint64_t count, uint64_t *sums,
                             cudaStream_t stream)
{
    unsigned long long *to = (unsigned long long *)sums;

    switch (sampler) {
    case ALIAS_SAMPLER_CACHED:
        return draw_sections<false, BLOCKS>(s, view, 0, seed, count, to, stream);
    case ALIAS_SAMPLER_LIMITED: /* so much shared memory, unused, keeps other blocks away */
        return draw_sections<false, 1>(s, view, more_than_half(), seed, count, to, stream);
    case ALIAS_SAMPLER_SHARED:
        return draw_sections<true, BLOCKS>(s, view, 0, seed, count, to, stream);
    default:
        baseline_kernel<<<s->multiprocessors * BLOCKS, THREADS, 0, stream>>>(
            (const uint2 *)view->rows, (uint32_t)view->n, (curandStateXORWOW *)s->states, count,
            to);
        return cudaGetLastError();
    }
}
