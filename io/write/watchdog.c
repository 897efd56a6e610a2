/* watchdog.c - a thread that waits for a deadline, or for another deadline to be set. */
#include "io/write/watchdog.h"
#include "io/status.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct edgefile_watchdog {
    const edgefile_group *group;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool armed, over;
    struct timespec deadline;
    char detail[1024];
};

static bool passed(const struct timespec *deadline)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

static void *watch(void *argument)
{
    edgefile_watchdog *dog = argument;

    pthread_mutex_lock(&dog->lock);
    while (!dog->over && !(dog->armed && passed(&dog->deadline))) {
        if (dog->armed) {
            pthread_cond_timedwait(&dog->changed, &dog->lock, &dog->deadline);
        } else {
            pthread_cond_wait(&dog->changed, &dog->lock);
        }
    }
    if (!dog->over) {
        dog->group->abandon(dog->group->state, dog->detail);
    }
    pthread_mutex_unlock(&dog->lock);
    return NULL;
}

static void destroy(edgefile_watchdog *dog)
{
    pthread_cond_destroy(&dog->changed);
    pthread_mutex_destroy(&dog->lock);
    free(dog);
}

int edgefile_watchdog_start(edgefile_watchdog **out, const edgefile_group *group)
{
    edgefile_watchdog *dog;
    pthread_condattr_t monotonic;
    sigset_t all, before;
    int rc;

    *out = NULL;
    if (group->abandon == NULL) {
        return EDGEFILE_OK;
    }
    dog = calloc(1, sizeof *dog);
    if (dog == NULL) {
        return edgefile_no_memory(NULL);
    }
    dog->group = group;
    pthread_mutex_init(&dog->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&dog->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals go to the application's threads */
    rc = pthread_create(&dog->thread, NULL, watch, dog);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        destroy(dog);
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "starting a thread: %s", strerror(rc));
    }
    *out = dog;
    return EDGEFILE_OK;
}

void edgefile_watchdog_stop(edgefile_watchdog *dog)
{
    if (dog == NULL) {
        return;
    }
    pthread_mutex_lock(&dog->lock);
    dog->over = true;
    pthread_cond_signal(&dog->changed);
    pthread_mutex_unlock(&dog->lock);
    pthread_join(dog->thread, NULL);
    destroy(dog);
}

void edgefile_watchdog_set(edgefile_watchdog *dog, double seconds, const char *detail)
{
    if (dog == NULL) {
        return;
    }
    pthread_mutex_lock(&dog->lock);
    dog->armed = seconds > 0;
    if (dog->armed) {
        clock_gettime(CLOCK_MONOTONIC, &dog->deadline);
        dog->deadline.tv_sec += (time_t)seconds + (seconds > (double)(time_t)seconds);
        snprintf(dog->detail, sizeof dog->detail, "%s", detail);
        pthread_cond_signal(&dog->changed);
    }
    pthread_mutex_unlock(&dog->lock);
}
