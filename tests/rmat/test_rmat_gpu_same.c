/* The GPU makes the CPU's edges for every number of groups, in every width and layout, anywhere in
 * the stream, with any alignment. */
#include "tests/support/rmat_gpu_util.h"

START_TEST(same_as_cpu)
{
    const uint64_t count = small_run() ? 5003 : 60013;
    const uint64_t firsts[] = {0,
                               (UINT64_C(1) << 32) - count / 3,
                               (UINT64_C(1) << 31) - count / 2,
                               (UINT64_C(1) << 40) + 3,
                               (UINT64_C(1) << 61) - 1,
                               RMAT_MAX_EDGES - count};
    bench b = bench_create(&graphs[_i], count);

    for (int f = 0; f < (small_run() ? 2 : 6); f++) {
        bench_expect(&b, firsts[f], count);
        check_all_ways(&b, firsts[f], count);
    }
    bench_destroy(b);
}
END_TEST

START_TEST(few_edges)
{
    static const char *const names[] = {"20", "30", "36", "62, by level"};
    static const uint64_t counts[] = {1,  2,   3,   4,   5,   31,  32,  63,  64,  65,
                                      95, 127, 128, 129, 131, 255, 256, 257, 1000};
    bench b = bench_create(graph_named(names[_i]), 1000);

    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c += small_run() ? 5 : 1) {
        const uint64_t firsts[] = {UINT64_C(0x300000000) - counts[c] / 2, 77};

        for (int f = 0; f < 2; f++) {
            bench_expect(&b, firsts[f], counts[c]);
            check_all_ways(&b, firsts[f], counts[c]);
        }
    }
    ck_assert_int_eq(rmat_generate_device(b.gpu, 5, 0, NULL, NULL, NULL), RMAT_OK);
    bench_destroy(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu_same");
    TCase *tc = tcase_create("rmat_gpu_same");

    if (small_run() < 2) {
        tcase_add_loop_test(tc, same_as_cpu, 0, GRAPHS);
        tcase_add_loop_test(tc, few_edges, 0, 4);
    } else {
        tcase_add_loop_test(tc, same_as_cpu, GRAPHS - GRAPHS_BY_LEVEL, GRAPHS);
    }
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
