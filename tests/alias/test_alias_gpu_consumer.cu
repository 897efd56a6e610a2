/*
 * Consumers of the caller's own in the samplers' kernels (alias/alias_device.cuh): every draw of a
 * batch is passed on once, with its number, and each thread calls begin() and end() once.  Exits
 * with 77 (skipped) without a GPU.
 */
#include "alias/alias_device.cuh"

#include "tests/support/try_cuda.cuh"

#include <vector>

#define MUST(call) TRY((call) == ALIAS_OK ? cudaSuccess : cudaErrorUnknown)

/* A consumer without four(), which receives one draw at a time. */
struct recorder {
    struct state {
        uint32_t draws;
    };
    uint64_t first;
    uint32_t *items, *times; /* of draw first + i */
    unsigned long long *begun, *ended, *draws;

    __device__ void begin(state &s) const
    {
        s.draws = 0;
        atomicAdd(begun, 1ull);
    }
    __device__ void operator()(state &s, uint64_t t, uint64_t item) const
    {
        s.draws++;
        items[t - first] = (uint32_t)item;
        atomicAdd(&times[t - first], 1u);
    }
    __device__ void end(state &s) const
    {
        atomicAdd(ended, 1ull);
        atomicAdd(draws, (unsigned long long)s.draws);
    }
};

/* Single draws in the caller's own kernel. */
static __global__ void single_draws(alias_rows<false, false> rows, uint64_t first, uint32_t *out,
                                    uint32_t count)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        out[i] = rows.draw(alias_draw_bits(5, first + i));
    }
}

/* Are draws copied from the device those expected? */
static bool same(const char *what, const uint32_t *device, const std::vector<uint32_t> &expected)
{
    std::vector<uint32_t> got(expected.size());

    TRY(cudaMemcpy(got.data(), device, 4 * got.size(), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < got.size(); i++) {
        if (got[i] != expected[i]) {
            printf("%s: %zu is %u, not %u\n", what, i, got[i], expected[i]);
            return false;
        }
    }
    return true;
}

static int test(const alias_table *cpu, const alias_table *gpu, alias_sampler sampler,
                uint64_t first, uint32_t count)
{
    const char *name = alias_sampler_name(sampler);
    std::vector<uint32_t> expected(count), sum(1);
    unsigned long long *counters, host[3];
    uint32_t *device;

    MUST(sampler == ALIAS_SAMPLER_BASELINE
             ? alias_sample32(cpu, 5, first, count, expected.data())
             : alias_sample_sections32(cpu, 5, first, count, expected.data()));
    TRY(cudaMalloc(&device, 2 * sizeof(uint32_t) * count + 4));
    TRY(cudaMalloc(&counters, sizeof(host)));
    TRY(cudaMemset(device, 0, 2 * sizeof(uint32_t) * count + 4));
    TRY(cudaMemset(counters, 0, sizeof(host)));
    recorder record = {first, device, device + count, counters, counters + 1, counters + 2};
    MUST(alias_for_each_draw(gpu, sampler, 5, first, count, record, 0));
    MUST(alias_for_each_draw(gpu, sampler, 5, first, count, alias_sum{device + 2 * count}, 0));
    TRY(cudaMemcpy(host, counters, sizeof(host), cudaMemcpyDeviceToHost));
    TRY(cudaFree(counters));
    for (uint32_t item : expected) {
        sum[0] += item;
    }
    if (!same(name, device, expected) ||
        !same("times of a draw", device + count, std::vector<uint32_t>(count, 1)) ||
        !same("sum", device + 2 * count, sum)) {
        return 1;
    }
    if (host[0] != host[1] || host[2] != count) {
        printf("%s: %llu threads begin and %llu end, with %llu draws\n", name, host[0], host[1],
               host[2]);
        return 1;
    }
    if (sampler == ALIAS_SAMPLER_BASELINE) {
        alias_view view;

        MUST(alias_get_view(gpu, &view));
        single_draws<<<(count + 255) / 256, 256>>>({view}, first, device, count);
        if (!same("single draws", device, expected)) {
            return 1;
        }
    }
    TRY(cudaFree(device));
    return 0;
}

int main(void)
{
    const uint64_t n = 12345, firsts[] = {0, 3, ((uint64_t)1 << 34) - 4001};
    std::vector<double> w(n);
    alias_config config;
    alias_table *cpu, *gpu;
    int failed = 0;

    need_gpu();
    for (uint64_t i = 0; i < n; i++) {
        w[i] = 1.0 / (double)(1 + i * 7919 % n);
    }
    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.section_rows = 1000;
    MUST(alias_create(&cpu, &config, w.data(), n, NULL));
    MUST(alias_copy_to_device(&gpu, cpu, 0));
    for (int s = ALIAS_SAMPLER_BASELINE; s <= ALIAS_SAMPLER_SHARED; s++) {
        for (uint64_t first : firsts) {
            failed += test(cpu, gpu, (alias_sampler)s, first, 1);
            failed += test(cpu, gpu, (alias_sampler)s, first, 20011);
        }
    }
    alias_destroy(cpu);
    alias_destroy(gpu);
    TRY(cudaDeviceReset());
    printf("%d failed\n", failed);
    return failed != 0;
}
