/*
 * A caller's consumers in the samplers' kernels (alias/alias_device.cuh) receive every draw of a
 * batch once, with its number, and each thread calls begin() and end() once.
 */
#include "alias/alias_device.cuh"

#include "tests/support/device_array.cuh"

/* A consumer without four(), which receives one draw at a time. */
struct recorder : call_counter {
    uint64_t first;
    uint32_t *items, *times; /* of draw first + i */

    __device__ void operator()(state &s, uint64_t t, uint64_t item) const
    {
        s.calls++;
        items[t - first] = (uint32_t)item;
        atomicAdd(&times[t - first], 1u);
    }
};

/* Single draws in the caller's own kernel. */
static __global__ void single_draws(alias_rows<false> rows, uint64_t first, uint32_t *out,
                                    uint32_t count)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        out[i] = rows.draw(alias_draw_bits(5, first + i));
    }
}

static void check(const alias_table *cpu, const alias_table *gpu, alias_sampler sampler,
                  uint64_t first, uint32_t count)
{
    const char *name = alias_sampler_name(sampler);
    std::vector<uint32_t> expected(count), sum(1);
    device_array<uint32_t> items(count), times(count), device_sum(1);
    device_array<unsigned long long> counters(3);

    ok(sampler == ALIAS_SAMPLER_BASELINE
           ? alias_sample32(cpu, 5, first, count, expected.data())
           : alias_sample_sections32(cpu, 5, first, count, expected.data()));
    for (uint32_t item : expected) {
        sum[0] += item;
    }
    recorder record = {{counters.data}, first, items.data, times.data};
    ok(alias_for_each_draw(gpu, sampler, 5, first, count, record, 0));
    ok(alias_for_each_draw(gpu, sampler, 5, first, count, alias_sum{device_sum.data}, 0));
    check_array(name, items, expected);
    check_array("times of a draw", times, std::vector<uint32_t>(count, 1));
    check_array("sum", device_sum, sum);
    check_calls(name, counters, count);
    if (sampler == ALIAS_SAMPLER_BASELINE) {
        device_array<uint32_t> alone(count);
        alias_view view;

        ok(alias_get_view(gpu, &view));
        single_draws<<<(count + 255) / 256, 256>>>({view}, first, alone.data, count);
        check_array("single draws", alone, expected);
    }
}

START_TEST(draws)
{
    const uint64_t n = 12345, firsts[] = {0, 3, ((uint64_t)1 << 34) - 4001};
    std::vector<double> w(n);
    alias_config config;
    alias_table *cpu, *gpu;

    for (uint64_t i = 0; i < n; i++) {
        w[i] = 1.0 / (double)(1 + i * 7919 % n);
    }
    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_CPU;
    config.section_rows = 1000;
    ok(alias_create(&cpu, &config, w.data(), n, NULL));
    config.backend = ALIAS_BACKEND_GPU;
    ok(alias_create(&gpu, &config, w.data(), n, NULL));
    for (int s = ALIAS_SAMPLER_BASELINE; s <= ALIAS_SAMPLER_SHARED; s++) {
        for (uint64_t first : firsts) {
            check(cpu, gpu, (alias_sampler)s, first, 1);
            check(cpu, gpu, (alias_sampler)s, first, 20011);
        }
    }
    alias_destroy(cpu);
    alias_destroy(gpu);
}

TEST_CASES(alias_gpu_consumer, 0, ONCE(draws))
