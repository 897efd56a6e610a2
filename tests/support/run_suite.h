/*
 * run_suite.h - the tests of a file, by Check.  TEST_CASES() lists them, and is the main() of a
 * file that shares its program (runner.c) with the other tests of its module.  Each test begins
 * with START_TEST(). Since Check 0.13, whose types are used here, END_TEST means nothing.  This
 * header includes the C headers that most tests need.
 *
 * On a CPU each test has its own process.  In programs that are compiled with TEST_ON_GPU all tests
 * run in one process, because CUDA requires it, and are skipped without a GPU (device.h).
 */
#ifndef TESTS_SUPPORT_RUN_SUITE_H
#define TESTS_SUPPORT_RUN_SUITE_H

#include "tests/support/must.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#ifdef TEST_ON_GPU
#include "tests/support/device.h"
#endif

#ifdef __cplusplus
#define TEST_LINKAGE extern "C"
#else
#define TEST_LINKAGE
#endif

/* The function that runs the test `name` and returns the exit code: each case ONCE() or in a
 * LOOP(), between begin() and end() in its process, if they are not NULL.  seconds: the limit of
 * each case; 0: Check's default. */
#define TEST_CASES_BETWEEN(name, seconds, begin, end, ...)                                         \
    TEST_LINKAGE int test_##name(void);                                                            \
    TEST_LINKAGE int test_##name(void)                                                             \
    {                                                                                              \
        const test_case listed[] = {__VA_ARGS__};                                                  \
        return run_cases(#name, seconds, begin, end, listed, COUNT(listed));                       \
    }
#define TEST_CASES(name, seconds, ...) TEST_CASES_BETWEEN(name, seconds, NULL, NULL, __VA_ARGS__)

/* Runs body() in n threads at the same time, the last one first, and waits for them.  Each has its
 * own element of an array, or all have the same one if size is 0. */
static inline void in_threads(int n, void *(*body)(void *), void *elements, size_t size)
{
    pthread_t threads[64];

    ck_assert_int_le(n, COUNT(threads));
    for (int t = n; t-- > 0;) {
        ck_assert_int_eq(
            pthread_create(&threads[t], NULL, body, (char *)elements + (size_t)t * size), 0);
    }
    for (int t = 0; t < n; t++) {
        ck_assert_int_eq(pthread_join(threads[t], NULL), 0);
    }
}

/* A test of the list, which runs for each _i of [first, end); an empty range runs nothing. */
typedef struct {
    const TTest *test;
    int first, end;
} test_case;

#define ONCE(test)                                                                                 \
    {                                                                                              \
        test, 0, 1                                                                                 \
    }
#define LOOP(test, first, end)                                                                     \
    {                                                                                              \
        test, first, end                                                                           \
    }

/* Returns the value for main() to return, without a GPU that the tests need 77 (skipped).  CUDA
 * does not survive fork(). */
static inline int run_cases(const char *name, int seconds, SFun begin, SFun end,
                            const test_case *cases, int n)
{
    Suite *suite = suite_create(name);
    TCase *all = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, all);
    tcase_add_checked_fixture(all, begin, end);
    if (seconds > 0) {
        tcase_set_timeout(all, seconds);
    }
    for (int i = 0; i < n; i++) {
        tcase_add_loop_test(all, cases[i].test, cases[i].first, cases[i].end);
    }
#ifdef TEST_ON_GPU
    if (alias_gpu_count() == 0) {
        printf("skipped: no GPU\n");
        srunner_free(runner);
        return 77;
    }
    srunner_set_fork_status(runner, CK_NOFORK);
#endif
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
#ifdef TEST_ON_GPU
    (void)cudaDeviceReset(); /* the moment at which compute-sanitizer looks for leaks */
#endif
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
