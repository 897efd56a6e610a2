/*
 * A run of several ranks: the body in a thread, and here, in the main thread, everything that
 * calls MPI.
 *
 * MPI's waiting calls keep a core busy, so the agent never waits in MPI: it tries what may have
 * come, and sleeps between tries, the longer the less there is to do, unless the body wakes it.
 */
#include "mpi/dist.h"
#include "mpi/dist_star.h"
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define BEAT_SECONDS   0.1
#define MOST_BEATS     10000.0 /* per second, at rank 0 */
#define SHORTEST_PAUSE 50e-6
#define LONGEST_PAUSE  4e-3
#define LONGEST_DURING 1e-3 /* an operation */
#define LONGEST_TURN   1.0  /* a longer one: this process was suspended */
#define LAST_WORDS     0.5

enum { STACK_BYTES = 8 << 20, LOST_TEXT = 256, MANY = 4096 };

static struct {
    int (*body)(void *argument);
    void *argument;
    int status; /* what the body returned */
    bool threadless;
    atomic_bool ended;

    double interval, timeout;
    void (*lost)(const char *text);
    double stop_known; /* since when, or < 0 */

    pthread_cond_t wake;
    bool woken;
    dist_op *posted, *under_way;
} agent;

double dist_interval(void)
{
    return agent.interval;
}

double dist_timeout(void)
{
    return agent.timeout;
}

bool dist_ended(void)
{
    return atomic_load(&agent.ended);
}

static void say_lost(const char *format, va_list arguments)
{
    char text[LOST_TEXT];

    vsnprintf(text, sizeof text, format, arguments);
    if (agent.lost != NULL) { /* a run has begun */
        agent.lost(text);
    }
    /* The launcher may kill all ranks before it has passed on what the last one printed. */
    nanosleep(&(struct timespec){0, (long)(1e9 * LAST_WORDS)}, NULL);
}

void dist_say_lost(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_lost(format, arguments);
    va_end(arguments);
}

void dist_lose(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    say_lost(format, arguments);
    va_end(arguments);
    MPI_Abort(dist_mpi.star, 1);
}

/* A probe that finds nothing makes progress, and may so have let in what the next one finds. */
int dist_receive(void *message, size_t size, int source)
{
    MPI_Status status;
    int come = 0;

    for (int attempt = 0; attempt < 2 && !come; attempt++) {
        MPI_Iprobe(source, dist_mpi.tag, dist_mpi.star, &come, &status);
    }
    if (!come) {
        return -1;
    }
    MPI_Recv(message, (int)size, MPI_BYTE, status.MPI_SOURCE, dist_mpi.tag, dist_mpi.star,
             MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

/* --- called from the body --- */

static void wake(void)
{
    pthread_mutex_lock(&dist_job.lock);
    agent.woken = true;
    pthread_cond_signal(&agent.wake);
    pthread_mutex_unlock(&dist_job.lock);
}

static void collective(dist_op *op)
{
    pthread_mutex_lock(&dist_job.lock);
    agent.posted = op;
    agent.woken = true;
    pthread_cond_signal(&agent.wake);
    while (!op->done) {
        pthread_cond_wait(&dist_job.to_body, &dist_job.lock);
    }
    pthread_mutex_unlock(&dist_job.lock);
}

static void settle(void)
{
    uint64_t ticket;

    if (dist_job.rank == 0) {
        return;
    }
    pthread_mutex_lock(&dist_job.lock);
    ticket = ++dist_job.tickets;
    agent.woken = true;
    pthread_cond_signal(&agent.wake);
    while (dist_job.settled < ticket) {
        pthread_cond_wait(&dist_job.to_body, &dist_job.lock);
    }
    pthread_mutex_unlock(&dist_job.lock);
}

/* No body runs anywhere unless there is a thread for it everywhere. */
static void *run_body(void *unused)
{
    uint64_t threads = 1;

    (void)unused;
    dist_collective((dist_op){.kind = DIST_MIN, .data = &threads, .count = 1});
    agent.status = threads == 1 ? agent.body(agent.argument) : DIST_ERR_NOMEM;
    atomic_store(&agent.ended, true);
    wake();
    return NULL;
}

/* --- the agent --- */

static bool turn_op(void)
{
    bool busy = false, complete;

    if (agent.under_way == NULL) {
        pthread_mutex_lock(&dist_job.lock);
        agent.under_way = agent.posted;
        agent.posted = NULL;
        pthread_mutex_unlock(&dist_job.lock);
        if (agent.under_way == NULL) {
            return false;
        }
        dist_mpi_op_begin(agent.under_way);
        busy = true;
    }
    complete = dist_mpi_op_turn();
    if (!complete) {
        return busy;
    }
    pthread_mutex_lock(&dist_job.lock);
    agent.under_way->done = true;
    agent.under_way = NULL;
    pthread_cond_broadcast(&dist_job.to_body);
    pthread_mutex_unlock(&dist_job.lock);
    if (agent.threadless) {
        atomic_store(&agent.ended, true);
    }
    return true;
}

/* Those who asked for the stop know why: they speak first. */
static void watch_stop(double now)
{
    double grace = atomic_load(&dist_job.asked) != 0 ? 0 : 2;

    if (dist_stopping() == 0) {
        return;
    }
    if (agent.stop_known < 0) {
        agent.stop_known = now;
    }
    if (now - agent.stop_known > agent.timeout + grace) {
        dist_lose("not all ranks have stopped within %.0f s", now - agent.stop_known);
    }
}

/* Much data moves on a little with each try. */
static double next_pause(double pause)
{
    double longest = agent.under_way == NULL         ? LONGEST_PAUSE
                     : agent.under_way->count > MANY ? SHORTEST_PAUSE
                                                     : LONGEST_DURING;

    return 2 * pause < longest ? 2 * pause : longest;
}

static void loop(void)
{
    double before = dist_now(), longest = agent.timeout / 4, pause = SHORTEST_PAUSE;
    double patience = 0; /* time that passed while this process ran */
    bool over = false;

    if (longest > LONGEST_TURN) {
        longest = LONGEST_TURN;
    }
    if (dist_job.rank == 0) {
        dist_hub_begin(patience);
    } else {
        dist_spoke_begin(patience);
    }
    while (!over) {
        double now = dist_now();
        bool busy;

        patience += now - before < longest ? now - before : longest;
        before = now;
        busy =
            dist_job.rank == 0 ? dist_hub_turn(patience, &over) : dist_spoke_turn(patience, &over);
        busy |= turn_op();
        watch_stop(patience);
        pause = next_pause(pause);
        pthread_mutex_lock(&dist_job.lock);
        if (!agent.woken && !busy && !over) {
            dist_wait(&agent.wake, pause);
        }
        if (agent.woken || busy) {
            pause = SHORTEST_PAUSE;
        }
        agent.woken = false;
        pthread_mutex_unlock(&dist_job.lock);
    }
}

static int start_thread(pthread_t *thread)
{
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);

    if (status == 0) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        status = pthread_create(thread, &attributes, run_body, NULL);
        pthread_attr_destroy(&attributes);
    }
    return status;
}

static int run(int (*body)(void *), void *argument, double timeout_seconds,
               void (*lost)(const char *))
{
    uint64_t threads = 0;
    dist_op none = {.kind = DIST_MIN, .data = &threads, .count = 1};
    pthread_condattr_t monotonic;
    pthread_t thread;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&agent.wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    agent.body = body;
    agent.argument = argument;
    agent.status = DIST_ERR_NOMEM;
    agent.lost = lost;
    agent.timeout = timeout_seconds;
    agent.interval = dist_job.size / MOST_BEATS;
    if (agent.interval < BEAT_SECONDS) {
        agent.interval = BEAT_SECONDS;
    }
    if (agent.interval > timeout_seconds / 4) {
        agent.interval = timeout_seconds / 4;
    }
    agent.stop_known = -1;
    dist_mpi.tag = !dist_mpi.tag;
    atomic_store(&agent.ended, false);
    agent.threadless = start_thread(&thread) != 0;
    if (agent.threadless) {
        agent.posted = &none;
    }
    loop();
    if (!agent.threadless) {
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&agent.wake);
    return agent.status;
}

const dist_transport dist_agent = {run, collective, settle, wake, dist_mpi_stop};
