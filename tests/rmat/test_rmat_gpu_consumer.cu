/*
 * A consumer of rmat_device.cuh receives every edge exactly once, with its number, whether it ties
 * or not, and begins and ends once per thread.  Exits with 77 (skipped) if no GPU is found.
 */
#include "rmat/gpu/backend.h"
#include "rmat/rmat_device.cuh"
#include "tests/support/try_cuda.cuh"

#define MUST(call) TRY((call) == RMAT_OK ? cudaSuccess : cudaErrorUnknown)

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

static int test(int scale, bool by_level, int options, uint64_t first, uint64_t count,
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
    int failed = 0;
    char what[100];

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] = {0.4 + 0.004 * l, 0.3 - 0.004 * l, 0.2, 0.1};
    }
    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = scale;
    config.levels = by_level ? levels : NULL;
    set_options(&config, options);
    MUST(rmat_create(&cpu, &config));
    config.backend = RMAT_BACKEND_GPU;
    MUST(rmat_create(&gpu, &config));
    rmat_gpu_set_ties(gpu, room, limit);
    MUST(rmat_generate(cpu, first, count, src.data(), dst.data()));
    recorder record = {{counters.data}, first, from.data, to.data, times.data};
    MUST(rmat_for_each_edge(gpu, first, count, record, 0));
    snprintf(what, sizeof(what), "scale %d%s, options %d, edges from %lx, lists of %u, limit %x",
             scale, by_level ? " by level" : "", options, first, room, limit);
    failed += differ(what, from, src) + differ(what, to, dst);
    failed += differ("times of an edge", times, std::vector<uint32_t>(count, 1)) +
              miscounted(what, counters, count);
    MUST(rmat_get_device_view(gpu, &view));
    single_edges<<<(unsigned)((count + 255) / 256), 256>>>(view, first, count, from_alone.data,
                                                           to_alone.data);
    failed += differ("single edges", from_alone, src) + differ("single edges", to_alone, dst);
    rmat_destroy(cpu);
    rmat_destroy(gpu);
    return failed;
}

int main(void)
{
    const int scales[] = {1, 20, 24, 30, 31, 36, 42, 48, 62};
    const char *small = getenv("RMAT_TEST_SMALL");
    const uint64_t count = small != NULL ? 3001 : 200003;
    int failed = 0;

    need_gpu();
    for (int scale : scales) {
        for (int by_level = 0; by_level < 2; by_level++) {
            for (int options = 0; options < OPTIONS; options++) {
                const uint64_t first = ((uint64_t)1 << 33) - count / 3;
                const bool more = small == NULL || (scale == 30 && options % 3 == 0);

                failed += test(scale, by_level, options, first, count, 0, 0);
                failed += test(scale, by_level, options, first, 1, 0, 0);
                if (more) {
                    failed += test(scale, by_level, options, first, count, 1, UINT32_MAX);
                    failed += test(scale, by_level, options, first + 1, count, 100, 1u << 28);
                }
            }
        }
    }
    TRY(cudaDeviceReset());
    printf("%d failed\n", failed);
    return failed != 0;
}
