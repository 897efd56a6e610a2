/*
 * The program of a module's tests.  `test_MODULE NAME` runs the test that test_NAME.c defines by
 * TEST_CASES(NAME).  `test_MODULE --list` prints the names of all.  CMake defines TESTS as
 * TEST(NAME) TEST(NAME) ...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST(name) int test_##name(void);
TESTS
#undef TEST

#define TEST(name) {#name, test_##name},
static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {TESTS};

int main(int argc, char **argv)
{
    setenv("CK_DEFAULT_TIMEOUT", "100", 0); /* Check's own 4 s are few on a busy machine */
    for (size_t i = 0; argc == 2 && i < sizeof(tests) / sizeof(tests[0]); i++) {
        if (strcmp(argv[1], "--list") == 0) {
            printf("%s\n", tests[i].name);
        } else if (strcmp(argv[1], tests[i].name) == 0) {
            return tests[i].run();
        }
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "usage: %s NAME, one of those that --list prints\n", argv[0]);
    return EXIT_FAILURE;
}
