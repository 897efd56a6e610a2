/*
 * Rejection on the GPU: the iterations of a warp follow Eq. 9 of the paper
 * (alias/core/rejection.h); every group size gives the same samples; binomial variates equal the
 * CPU's, bit for bit.
 */
#include "alias/gpu/device.h"
#include "alias/gpu/rejection.cuh"
#include "tests/support/device_array.cuh"

extern "C" {
#include "tests/support/stats.h"
}

enum { THREADS = 128, BINS = 2048, PURPOSE = 201 };

/* ---- The loop ---- */

struct sample {
    uint64_t bits;
    uint32_t attempt, iterations;
};

static __host__ __device__ uint64_t candidate(uint64_t index, uint32_t attempt)
{
    philox_block b = philox_at(5, index, attempt, PURPOSE);

    return b.v[0] | (uint64_t)b.v[1] << 32;
}

/* Warps with `lanes` active threads; samples beyond count are not wanted. */
template <int group>
static __global__ void loop(uint64_t threshold, int lanes, uint64_t count, sample *out)
{
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t warp = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / 32;
    const uint64_t i = warp * (uint32_t)(lanes / group) + lane / group;
    const uint32_t mask = (uint32_t)((1ull << lanes) - 1);
    auto propose = [&](uint32_t attempt) { return candidate(i, attempt); };
    auto accept = [&](uint64_t bits) { return bits >> 11 < threshold; };

    if (lane >= (uint32_t)lanes) {
        return;
    }
    const auto a = alias_reject<group>(mask, propose, accept, i < count);

    /* Written by the last lane, since all lanes of a group must have the sample. */
    if (i < count && lane % group == group - 1) {
        out[i] = {a.value, a.attempt, a.iterations};
    }
}

static std::vector<sample> run_loop(int group, double rho, int lanes, uint64_t count)
{
    static void (*const kernels[])(uint64_t, int, uint64_t, sample *) = {
        loop<1>, loop<2>, loop<4>, loop<8>, loop<16>, loop<32>};
    const uint64_t warps = (count - 1) / (uint64_t)(lanes / group) + 1;
    const unsigned grid = (unsigned)((warps * 32 - 1) / THREADS + 1);
    device_array<sample> out(count);
    int index = 0;

    while (1 << index < group) {
        index++;
    }
    kernels[index]<<<grid, THREADS>>>((uint64_t)((1 - rho) * 0x1p53), lanes, count, out.data);
    return out.host();
}

/* The lowest accepted attempt wins, for every group size, with all or some lanes. */
START_TEST(same_samples)
{
    static const double rhos[] = {0.02, 0.3, 0.5, 0.9, 0.99};
    const double rho = rhos[_i];
    const uint64_t count = small_run() ? 1003 : 30011, threshold = (uint64_t)((1 - rho) * 0x1p53);

    for (int lanes = 32; lanes >= 8; lanes -= 12) { /* 32, 20, 8 */
        for (int group = 1; group <= 32; group *= 2) {
            if (lanes % group != 0) {
                continue;
            }
            std::vector<sample> got = run_loop(group, rho, lanes, count);

            for (uint64_t i = 0; i < count; i++) {
                uint32_t a = 0;

                while (candidate(i, a) >> 11 >= threshold) {
                    a++;
                }
                must(got[i].attempt == a && got[i].bits == candidate(i, a) &&
                         got[i].iterations > a / (uint32_t)group,
                     "rho %g, %d lanes, groups of %d, sample %lu: attempt %u, not %u", rho, lanes,
                     group, i, got[i].attempt, a);
            }
        }
    }
}

static const struct {
    double rho;
    int lanes, group;
} points[] = {{0, 32, 1},    {0.02, 32, 1}, {0.1, 32, 1}, {0.5, 32, 1},  {0.9, 32, 1},
              {0.99, 32, 1}, {0.5, 1, 1},   {0.5, 2, 1},  {0.5, 7, 1},   {0.9, 16, 1},
              {0.3, 32, 2},  {0.6, 32, 4},  {0.8, 32, 8}, {0.9, 32, 16}, {0.99, 32, 32},
              {0.9, 24, 8},  {0.97, 12, 4}};

/* The probability that `threads` threads have a sample after at most n iterations. */
static double at_most(double rho, double threads, uint32_t n)
{
    return n == 0 ? 0 : exp(threads * log1p(-pow(rho, n)));
}

/* Eq. 9 with lanes / group samples of rejection probability rho^group. */
START_TEST(distribution)
{
    const double rho = points[_i].rho;
    const int lanes = points[_i].lanes, group = points[_i].group;
    const uint64_t per_warp = (uint64_t)(lanes / group), warps = small_run() ? 2000 : 200000;
    std::vector<sample> got = run_loop(group, rho, lanes, warps * per_warp);
    std::vector<uint64_t> seen(BINS);
    std::vector<double> expected(BINS);
    double before = 0, fit;

    for (uint64_t w = 0; w < warps; w++) {
        uint32_t n = got[w * per_warp].iterations, most = 0;

        for (uint64_t j = 0; j < per_warp; j++) {
            const sample &s = got[w * per_warp + j];

            most = s.attempt / (uint32_t)group + 1 > most ? s.attempt / (uint32_t)group + 1 : most;
            must(s.iterations == n, "warp %lu: %u and %u iterations", w, n, s.iterations);
        }
        must(n == most, "warp %lu: %u iterations, not %u", w, n, most);
        seen[n < BINS ? n : BINS - 1]++;
    }
    for (uint32_t n = 1; n < BINS - 1; n++) {
        const double sample_rho = pow(rho, group);

        expected[n] =
            at_most(sample_rho, (double)per_warp, n) - at_most(sample_rho, (double)per_warp, n - 1);
        before += expected[n];
    }
    expected[BINS - 1] = fmax(1 - before, 0);
    fit = stats_fit(seen.data(), expected.data(), BINS, warps);
    must(fit > STATS_ALPHA, "rho %g, %d lanes, groups of %d: p-value %g", rho, lanes, group, fit);
}

/* ---- Binomial variates ---- */

struct law {
    uint64_t n, num, den;
};

template <int group>
static __global__ void __launch_bounds__(THREADS)
    binomials(const law *laws, uint64_t count, uint64_t *out)
{
    const uint64_t i = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / group;
    const law l = laws[i < count ? i : 0];
    uint64_t k = group == 1 ? alias_binomial(9, i, (uint32_t)i % 7, l.n, l.num, l.den)
                            : alias_binomial_group<group>(0xffffffffu, 9, i, (uint32_t)i % 7, l.n,
                                                          l.num, l.den, i < count);

    if (i < count && threadIdx.x % group == group - 1) {
        out[i] = k;
    }
}

template <int group>
static void check_binomials(const std::vector<law> &laws, const std::vector<uint64_t> &expected)
{
    const uint64_t count = laws.size();
    device_array<law> device(laws);
    device_array<uint64_t> out(count);
    std::vector<uint64_t> got;

    binomials<group>
        <<<(unsigned)((count * group - 1) / THREADS + 1), THREADS>>>(device.data, count, out.data);
    got = out.host();
    for (uint64_t i = 0; i < count; i++) {
        must(got[i] == expected[i], "groups of %d, binomial(%lu, %lu / %lu), %lu: %lu, not %lu",
             group, laws[i].n, laws[i].num, laws[i].den, i, got[i], expected[i]);
    }
}

START_TEST(binomial_variates)
{
    const uint64_t count = small_run() ? 1001 : 100003;
    std::vector<law> laws;
    std::vector<uint64_t> expected;

    for (uint64_t i = 0; i < count; i++) {
        philox_block a = philox_at(1, i, 0, 202), b = philox_at(1, i, 1, 202);
        law l;

        l.n = ((uint64_t)a.v[0] << 32 | a.v[1]) >> (1 + a.v[2] % 63);
        l.den = 1 + (((uint64_t)b.v[0] << 32 | b.v[1]) >> (24 + a.v[3] % 40));
        /* Small, middle and large probabilities, 0 and 1 among them. */
        l.num = (((uint64_t)b.v[2] << 32 | b.v[3]) >> 24 >> a.v[2] / 64 % 40) % (l.den + 1);
        l.num = i % 3 == 0 ? l.den - l.num : i % 3 == 1 ? l.num : l.den / 2;
        laws.push_back(l);
        expected.push_back(alias_binomial(9, i, (uint32_t)i % 7, l.n, l.num, l.den));
    }
    check_binomials<1>(laws, expected);
    check_binomials<2>(laws, expected);
    check_binomials<8>(laws, expected);
    check_binomials<32>(laws, expected);
}

TEST_CASES(alias_gpu_rejection, 0, LOOP(same_samples, 0, 5), LOOP(distribution, 0, COUNT(points)),
           ONCE(binomial_variates))
