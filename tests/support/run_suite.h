/* The end of every Check test's main(). */
#ifndef TESTS_SUPPORT_RUN_SUITE_H
#define TESTS_SUPPORT_RUN_SUITE_H

#include <check.h>
#include <stdlib.h>

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
