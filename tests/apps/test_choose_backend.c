/* The backend that --backend auto chooses. */
#include "apps/engine/job.h"
#include "tests/support/run_suite.h"

static rmat_backend choose(uint64_t edges, int id_bytes, int threads, rmat_isa isa)
{
    const engine_plan list = {.graph_edges = edges,
                              .job = {.id_bytes = id_bytes, .threads = threads}};

    return choose_backend(&list, isa);
}

START_TEST(test_small_graphs_stay_on_the_cpu)
{
    for (int threads = 1; threads <= 1024; threads *= 2) {
        for (uint64_t edges = 0; edges <= (uint64_t)16 << 20; edges = 2 * edges + 1) {
            for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
                ck_assert_int_eq(choose(edges, id_bytes, threads, RMAT_ISA_GENERIC),
                                 RMAT_BACKEND_CPU);
            }
        }
    }
}

static const uint64_t large = (uint64_t)1 << 36;

/* Few threads are slower than the disk.  Where that holds both back, nothing is gained by starting
 * a GPU; but it waits until the edges of a sorted graph are sorted. */
START_TEST(test_large_graphs)
{
    engine_plan sorted = {
        .way = ENGINE_SORTED, .graph_edges = 1 << 24, .job = {.id_bytes = 4, .threads = 16}};

    ck_assert_int_eq(choose(large, 8, 1, RMAT_ISA_AVX512), RMAT_BACKEND_GPU);
    ck_assert_int_eq(choose(large, 4, 2, RMAT_ISA_AVX512), RMAT_BACKEND_GPU);
    ck_assert_int_eq(choose(large, 4, 8, RMAT_ISA_GENERIC), RMAT_BACKEND_GPU);
    ck_assert_int_eq(choose(large, 8, 4, RMAT_ISA_AVX2), RMAT_BACKEND_CPU);
    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        for (uint64_t edges = 1; edges < RMAT_MAX_EDGES; edges *= 2) {
            ck_assert_int_eq(choose(edges, id_bytes, 16, RMAT_ISA_AVX512), RMAT_BACKEND_CPU);
        }
    }
    ck_assert_int_eq(choose_backend(&sorted, RMAT_ISA_AVX512), RMAT_BACKEND_CPU);
    sorted.graph_edges = (uint64_t)1 << 32;
    ck_assert_int_eq(choose_backend(&sorted, RMAT_ISA_AVX512), RMAT_BACKEND_GPU);
}

/* More threads and better instructions never speak for the GPU, more edges never against it. */
START_TEST(test_monotonous)
{
    for (int i = 0; i < 2 * 2 * 31; i++) {
        int id_bytes = 4 << (i & 1), threads = 1 + i / 4;
        rmat_isa isa = (rmat_isa)(RMAT_ISA_GENERIC + i / 2 % 2);

        for (uint64_t edges = 1; edges < RMAT_MAX_EDGES; edges *= 2) {
            if (choose(edges, id_bytes, threads, isa) == RMAT_BACKEND_GPU) {
                ck_assert_int_eq(choose(2 * edges, id_bytes, threads, isa), RMAT_BACKEND_GPU);
            } else {
                ck_assert_int_eq(choose(edges, id_bytes, threads + 1, isa), RMAT_BACKEND_CPU);
                ck_assert_int_eq(choose(edges, id_bytes, threads, isa + 1), RMAT_BACKEND_CPU);
            }
        }
    }
}

TEST_CASES(choose_backend, 0, ONCE(test_small_graphs_stay_on_the_cpu), ONCE(test_large_graphs),
           ONCE(test_monotonous))
