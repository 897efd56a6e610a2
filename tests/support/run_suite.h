/* The end of every Check test's main(), and the main() of one that shares a program (runner.c) with
 * its module's. */
#ifndef TESTS_SUPPORT_RUN_SUITE_H
#define TESTS_SUPPORT_RUN_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Begins the function that runs the test `name` and returns the exit code. */
#define TEST_MAIN(name)                                                                            \
    int test_##name(void);                                                                         \
    int test_##name(void)

/* Runs and frees the suite; what main() has to return. */
static inline int run_suite(Suite *suite)
{
    SRunner *runner = srunner_create(suite);
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* The same of one case alone, each of whose tests may take two minutes. */
static inline int run_case(const char *name, TCase *tc)
{
    Suite *suite = suite_create(name);

    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}

#endif
