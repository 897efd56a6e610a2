/* How many iterations rejection sampling takes in SIMT lockstep, for groups of 1 to 32 threads: a
 * stand-in for a rejection loop, whose proposals are accepted with a given probability. */
#include "alias/core/philox.h"
#include "alias/gpu/rejection.cuh"
#include "apps/bench_alias/rejection.h"

#include <algorithm>
#include <vector>

namespace
{

enum { THREADS = 256, PURPOSE = 0xff };

struct sums {
    unsigned long long iterations, squares, values;
};

/* Philox for every attempt, so that all iterations cost the same.  full: all lanes, known to the
 * compiler, as most callers will have it. */
template <int group, bool full>
__global__ void __launch_bounds__(THREADS)
    surrogate(uint64_t threshold, int lanes, uint64_t rounds, uint64_t seed, sums *out)
{
    const uint64_t warps = (uint64_t)gridDim.x * (THREADS / 32);
    const uint32_t lane = threadIdx.x % 32, samples = (uint32_t)lanes / group;
    const uint32_t mask = full ? 0xffffffffu : (uint32_t)((1ull << lanes) - 1);
    sums mine = {0, 0, 0};

    if (lane >= (uint32_t)lanes) {
        return;
    }
    for (uint64_t r = (uint64_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32; r < rounds;
         r += warps) {
        const uint64_t sample = r * samples + lane / group;
        auto result = alias_reject<group>(
            mask,
            [&](uint32_t attempt) {
                philox_block b = philox_at(seed, sample, attempt, PURPOSE);

                return b.v[0] | (uint64_t)b.v[1] << 32;
            },
            [&](uint64_t bits) { return bits >> 11 < threshold; });

        mine.iterations += result.iterations;
        mine.squares += (uint64_t)result.iterations * result.iterations;
        mine.values ^= result.value;
    }
    if (lane == 0) {
        atomicAdd(&out->iterations, mine.iterations);
        atomicAdd(&out->squares, mine.squares);
    }
    atomicXor(&out->values, mine.values); /* so that the samples are made */
}

using kernel = void (*)(uint64_t, int, uint64_t, uint64_t, sums *);

template <bool full> kernel kernel_of(int group)
{
    switch (group) {
    case 1:
        return surrogate<1, full>;
    case 2:
        return surrogate<2, full>;
    case 4:
        return surrogate<4, full>;
    case 8:
        return surrogate<8, full>;
    case 16:
        return surrogate<16, full>;
    default:
        return surrogate<32, full>;
    }
}

struct state {
    kernel run;
    int blocks, lanes, group, repeats;
    uint64_t rounds;
    sums *device;
    cudaEvent_t begin, end;
};

cudaError_t measure(const state &s, double rho, bench_rejection_point *point)
{
    const uint64_t threshold = (uint64_t)((1 - rho) * 0x1p53);
    const double rounds = (double)s.rounds, samples = rounds * (s.lanes / s.group);
    std::vector<float> times;
    sums host;

    for (int i = -1; i < s.repeats; i++) { /* the first one only warms up */
        float ms;
        cudaError_t error = cudaMemset(s.device, 0, sizeof(sums));

        if (error == cudaSuccess) {
            error = cudaEventRecord(s.begin);
        }
        if (error == cudaSuccess) {
            s.run<<<s.blocks, THREADS>>>(threshold, s.lanes, s.rounds, 1, s.device);
            error = cudaGetLastError();
        }
        if (error == cudaSuccess) {
            error = cudaEventRecord(s.end);
        }
        if (error == cudaSuccess) {
            error = cudaMemcpy(&host, s.device, sizeof(host), cudaMemcpyDeviceToHost);
        }
        if (error == cudaSuccess) {
            error = cudaEventElapsedTime(&ms, s.begin, s.end);
        }
        if (error != cudaSuccess) {
            return error;
        }
        if (i >= 0) {
            times.push_back(ms);
        }
    }
    std::sort(times.begin(), times.end());
    point->iterations = (double)host.iterations / rounds;
    point->iterations_squared = (double)host.squares / rounds;
    point->samples_per_iteration = samples / (double)host.iterations;
    point->samples_per_second = samples / (1e-3 * times[times.size() / 2]);
    return cudaSuccess;
}

} // namespace

int bench_rejection(const double *rho, int count, int lanes, int group, uint64_t samples,
                    int repeats, bench_rejection_point *points)
{
    kernel run = lanes == 32 ? kernel_of<true>(group) : kernel_of<false>(group);
    state s = {run, 0, lanes, group, std::max(repeats, 1), 0, NULL, NULL, NULL};
    int device, multiprocessors, blocks;
    cudaError_t error = cudaGetDevice(&device);

    s.rounds = samples / (uint64_t)(lanes / group) + 1;
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s.run, THREADS, 0);
    }
    if (error == cudaSuccess) {
        s.blocks = multiprocessors * blocks;
        error = cudaMalloc(&s.device, sizeof(*s.device));
    }
    if (error == cudaSuccess) {
        error = cudaEventCreate(&s.begin);
    }
    if (error == cudaSuccess) {
        error = cudaEventCreate(&s.end);
    }
    for (int i = 0; error == cudaSuccess && i < count; i++) {
        error = measure(s, rho[i], &points[i]);
    }
    if (s.begin != NULL) {
        (void)cudaEventDestroy(s.begin);
    }
    if (s.end != NULL) {
        (void)cudaEventDestroy(s.end);
    }
    (void)cudaFree(s.device);
    return (int)error;
}
