/* The monotonic clock, in seconds since some fixed time. */
#ifndef APPS_COMMON_CLOCK_H
#define APPS_COMMON_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
