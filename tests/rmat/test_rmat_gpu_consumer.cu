/*
 * A consumer of rmat_device.cuh receives every edge exactly once, with its number, whether it ties
 * or not, and begins and ends once per thread.
 */
#include "rmat/gpu/backend.h"
#include "rmat/rmat_device.cuh"
#include "tests/support/device_array.cuh"

struct recorder : call_counter {
    uint64_t first;
    uint64_t *src, *dst; /* of edge first + i */
    uint32_t *times;

    __device__ void operator()(state &s, uint64_t e, uint64_t from, uint64_t to) const
    {
        s.calls++;
        src[e - first] = from;
        dst[e - first] = to;
        atomicAdd(&times[e - first], 1u);
    }
};

/* Single edges in a kernel of one's own. */
static __global__ void single_edges(rmat_view view, uint64_t first, uint64_t count, uint64_t *src,
                                    uint64_t *dst)
{
    uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        rmat_edge_at(&view, first + i, &src[i], &dst[i]);
    }
}

/* Options that a consumer sees: permuted; drawn again, and turned round; with reverse edges; all.
 */
enum { PLAIN, PERMUTED, REDRAWN, SYMMETRIC, ALL, OPTIONS };

static void set_options(rmat_config *c, int options)
{
    c->permute = options == PERMUTED || options == ALL;
    c->symmetrize = options == SYMMETRIC || options == ALL;
    if (options == REDRAWN || options == ALL) {
        c->rows = c->cols = ((uint64_t)1 << (c->rows_scale - 1)) + c->rows_scale / 2 + 1;
        c->direction = RMAT_UPPER;
        c->no_self_loops = 1;
    }
}

static void check(int scale, bool by_level, int options, uint64_t first, uint64_t count,
                  uint32_t room, uint32_t limit)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    std::vector<uint64_t> src(count), dst(count);
    device_array<uint64_t> from(count), to(count), from_alone(count), to_alone(count);
    device_array<uint32_t> times(count);
    device_array<unsigned long long> counters(3);
    rmat_config config;
    rmat_gen *cpu, *gpu;
    rmat_view view;
    char what[100];

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] = {0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};
    }
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.levels = by_level ? levels : NULL;
    set_options(&config, options);
    ok(rmat_create(&cpu, &config));
    config.backend = RMAT_BACKEND_GPU;
    ok(rmat_create(&gpu, &config));
    rmat_gpu_set_ties(gpu, room, limit);
    ok(rmat_generate(cpu, first, count, src.data(), dst.data()));
    recorder record = {{counters.data}, first, from.data, to.data, times.data};
    ok(rmat_for_each_edge(gpu, first, count, record, 0));
    snprintf(what, sizeof(what), "scale %d%s, options %d, edges from %lx, lists of %u, limit %x",
             scale, by_level ? " by level" : "", options, first, room, limit);
    check_array(what, from, src);
    check_array(what, to, dst);
    check_array("times of an edge", times, std::vector<uint32_t>(count, 1));
    check_calls(what, counters, count);
    ok(rmat_get_device_view(gpu, &view));
    single_edges<<<(unsigned)((count + 255) / 256), 256>>>(view, first, count, from_alone.data,
                                                           to_alone.data);
    check_array("single edges", from_alone, src);
    check_array("single edges", to_alone, dst);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
}

START_TEST(edges)
{
    const int scales[] = {1, 20, 24, 30, 31, 36, 42, 48, 62};
    const uint64_t count = small_run() ? 3001 : 200003;

    for (int scale : scales) {
        for (int by_level = 0; by_level < 2; by_level++) {
            for (int options = 0; options < OPTIONS; options++) {
                const uint64_t first = ((uint64_t)1 << 33) - count / 3;
                const bool more = !small_run() || (scale == 30 && options % 3 == 0);

                check(scale, by_level, options, first, count, 0, 0);
                check(scale, by_level, options, first, 1, 0, 0);
                if (more) {
                    check(scale, by_level, options, first, count, 1, UINT32_MAX);
                    check(scale, by_level, options, first + 1, count, 100, 1u << 28);
                }
            }
        }
    }
}

TEST_CASES(rmat_gpu_consumer, 0, ONCE(edges))
