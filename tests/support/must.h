/* must.h - short assertions, and memory that is freed at the end of its block. */
#ifndef TESTS_SUPPORT_MUST_H
#define TESTS_SUPPORT_MUST_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Whether the test runs under a sanitizer, which takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* How many elements an array has. */
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Like ck_assert_msg(), for frequent checks: that one writes to a file even if the check holds. */
#define must(condition, ...)                                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ck_abort_msg(__VA_ARGS__);                                                             \
        }                                                                                          \
    } while (0)

/* The call returns this status. */
#define gives(status, call)                                                                        \
    do {                                                                                           \
        const int must_status = (call);                                                            \
        must(must_status == (status), "%s: status %d, not %d", #call, must_status, (status));      \
    } while (0)

/* The call succeeds, which is 0 in every library. */
#define ok(call) gives(0, call)

/* `scoped(free) double *w = must_alloc(n, sizeof *w);` is freed at the end of its block.  This
 * works for every variable of the declaration, and for every function that SCOPED() names. */
#define scoped(release) __attribute__((cleanup(scoped_##release)))
#define SCOPED(release, type)                                                                      \
    static inline void scoped_##release(type *variable)                                            \
    {                                                                                              \
        release(*variable);                                                                        \
    }

/* A function that releases memory of any type. */
#define SCOPED_MEMORY(release)                                                                     \
    static inline void scoped_##release(void *variable)                                            \
    {                                                                                              \
        void *memory;                                                                              \
                                                                                                   \
        memcpy(&memory, variable, sizeof memory);                                                  \
        release(memory);                                                                           \
    }
SCOPED_MEMORY(free)

#endif
