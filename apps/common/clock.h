/* The monotonic clock, in seconds since some fixed time; a short wait for other threads. */
#ifndef APPS_COMMON_CLOCK_H
#define APPS_COMMON_CLOCK_H

#include <pthread.h>
#include <time.h>

static inline double clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* With the lock held: until the condition is signalled, or for a tenth of a second, after which
 * whoever waits shows how far the work is and looks for signals. */
static inline void clock_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    struct timespec soon;

    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 100000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    pthread_cond_timedwait(condition, lock, &soon);
}

#endif
