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

#endif
