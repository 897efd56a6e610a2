/* What --backend auto comes to. */
#include "apps/choose_backend.h"
#include <check.h>
#include <stdlib.h>

/* Edges, id bytes, threads, path, GPU present. */
static rmat_backend faster(uint64_t edges, int id_bytes, int threads, edgefile_path path, bool gpu)
{
    backend_job job = {edges, id_bytes, threads, path, gpu};

    return faster_backend(&job);
}

START_TEST(test_small_graphs_stay_on_the_cpu)
{
    for (int threads = 1; threads <= 1024; threads *= 2) {
        for (uint64_t edges = 0; edges <= (uint64_t)16 << 20; edges = 2 * edges + 1) {
            ck_assert_int_eq(faster(edges, 4, threads, EDGEFILE_PATH_AUTO, true), RMAT_BACKEND_CPU);
            ck_assert_int_eq(faster(edges, 8, threads, EDGEFILE_PATH_AUTO, true), RMAT_BACKEND_CPU);
        }
    }
}
END_TEST

START_TEST(test_one_thread_is_slower_than_the_disk)
{
    uint64_t large = (uint64_t)1 << 36;

    ck_assert_int_eq(faster(large, 8, 1, EDGEFILE_PATH_DIRECT, true), RMAT_BACKEND_GPU);
    ck_assert_int_eq(faster(large, 4, 1, EDGEFILE_PATH_AUTO, true), RMAT_BACKEND_GPU);
    ck_assert_int_eq(faster(large, 8, 1, EDGEFILE_PATH_DIRECT, false), RMAT_BACKEND_CPU);
    /* Where the disk holds both back, nothing is gained by starting a GPU. */
    ck_assert_int_eq(faster(large, 8, 64, EDGEFILE_PATH_DIRECT, true), RMAT_BACKEND_CPU);
    ck_assert_int_eq(faster(large, 8, 1, EDGEFILE_PATH_HDF5, true), RMAT_BACKEND_CPU);
}
END_TEST

/* More threads never speak for the GPU, more edges never against it. */
START_TEST(test_monotonous)
{
    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        for (int path = EDGEFILE_PATH_AUTO; path <= EDGEFILE_PATH_HDF5; path++) {
            for (int threads = 1; threads < 32; threads++) {
                for (uint64_t edges = 1; edges < RMAT_MAX_EDGES; edges *= 2) {
                    bool gpu = faster(edges, id_bytes, threads, (edgefile_path)path, true) ==
                               RMAT_BACKEND_GPU;

                    if (gpu) {
                        ck_assert_int_eq(
                            faster(2 * edges, id_bytes, threads, (edgefile_path)path, true),
                            RMAT_BACKEND_GPU);
                    } else {
                        ck_assert_int_eq(
                            faster(edges, id_bytes, threads + 1, (edgefile_path)path, true),
                            RMAT_BACKEND_CPU);
                    }
                }
            }
        }
    }
}
END_TEST

/* What auto may choose is either the faster one or the CPU. */
START_TEST(test_auto)
{
    for (uint64_t edges = 1; edges < RMAT_MAX_EDGES; edges *= 2) {
        backend_job job = {edges, 8, 1, EDGEFILE_PATH_AUTO, true};
        rmat_backend chosen = choose_backend(&job);

        ck_assert(chosen == RMAT_BACKEND_CPU || chosen == faster_backend(&job));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("choose_backend");
    TCase *tests = tcase_create("choose_backend");
    SRunner *runner;
    int failed;

    tcase_add_test(tests, test_small_graphs_stay_on_the_cpu);
    tcase_add_test(tests, test_one_thread_is_slower_than_the_disk);
    tcase_add_test(tests, test_monotonous);
    tcase_add_test(tests, test_auto);
    suite_add_tcase(suite, tests);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
