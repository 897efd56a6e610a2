/* Several ranks: collective operations, shared work, stop requests.  What fails on one rank ends
 * all: abort().  A rank that hangs says where, before the test's time is over. */
#include "mpi/dist.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern size_t dist_mpi_piece; /* bytes per MPI call */

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "rank %d of %d: line %d: %s\n", dist_rank(), dist_size(), __LINE__,    \
                    #condition);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void wait_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *must_allocate(size_t bytes)
{
    void *memory = calloc(1, bytes + 1);

    MUST(memory != NULL);
    return memory;
}

static unsigned char pattern(size_t i, int rank)
{
    return (unsigned char)(i * 2654435761u >> 13 ^ (unsigned)rank * 77);
}

static void test_broadcast(size_t bytes)
{
    unsigned char *data = must_allocate(bytes);

    for (size_t i = 0; i < bytes; i++) {
        data[i] = pattern(i, dist_rank());
    }
    dist_broadcast(data, bytes);
    for (size_t i = 0; i < bytes; i++) {
        MUST(data[i] == pattern(i, 0));
    }
    free(data);
}

static void test_gather(size_t bytes)
{
    size_t size = (size_t)dist_size();
    unsigned char *mine = must_allocate(bytes), *all = must_allocate(bytes * size);

    for (size_t i = 0; i < bytes; i++) {
        mine[i] = pattern(i, dist_rank());
    }
    dist_gather(mine, bytes, all);
    for (size_t r = 0; r < size; r++) {
        for (size_t i = 0; i < bytes; i++) {
            MUST(all[r * bytes + i] == pattern(i, (int)r));
        }
    }
    free(mine);
    free(all);
}

static void test_sum(size_t count)
{
    uint64_t *values = must_allocate(count * sizeof *values);
    uint64_t size = (uint64_t)dist_size(), ranks = size * (size - 1) / 2;

    for (size_t i = 0; i < count; i++) {
        values[i] = (UINT64_MAX / 8) * (uint64_t)dist_rank() + i;
    }
    dist_sum(values, count);
    for (size_t i = 0; i < count; i++) {
        MUST(values[i] == (UINT64_MAX / 8) * ranks + i * size);
    }
    free(values);
}

static int collectives(void *unused)
{
    static const size_t sizes[] = {0, 1, 7, 4096, 100003};
    size_t piece = dist_mpi_piece;

    (void)unused;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int cut = 0; cut < 2; cut++) {
            dist_mpi_piece = cut ? 1000 : piece;
            test_broadcast(sizes[i]);
            test_gather(sizes[i]);
            test_sum(sizes[i]);
        }
    }
    dist_mpi_piece = piece;
    return 7 + dist_rank();
}

static int agreement(void *unused)
{
    int size = dist_size();

    (void)unused;
    for (int bad = 0; bad < 1 << size; bad++) { /* every set of failing ranks */
        char text[40] = "untouched", expected[40];
        int mine = bad >> dist_rank() & 1, first = 0, failed = -1, status;

        if (mine) {
            snprintf(text, sizeof text, "rank %d of set %d", dist_rank(), bad);
        }
        status = dist_agree(mine ? -100 - dist_rank() : 0, text, sizeof text, &failed);
        if (bad == 0) {
            MUST(status == 0 && failed == -1 && strcmp(text, "untouched") == 0);
            continue;
        }
        while ((bad >> first & 1) == 0) {
            first++;
        }
        MUST(status == -100 - first && failed == first);
        snprintf(expected, sizeof expected, "rank %d of set %d", first, bad);
        MUST(strcmp(text, expected) == 0);
    }
    return 0;
}

/* --- work --- */

typedef struct {
    uint64_t first, total, unit;
    int help;
    int skewed;            /* all of it is the last rank's own */
    long us[4];            /* per item, by rank */
    uint64_t most_on_slow; /* 0, or the most that rank 1 may have done */
} job;

static const job jobs[] = {
    {0, 1000, 1, 1, 0, {0, 0, 0, 0}, 0},
    {17, 1003, 10, 1, 0, {0, 0, 0, 0}, 0},
    {5, 3, 1, 1, 0, {0, 0, 0, 0}, 0},
    {5, 0, 1, 1, 0, {0, 0, 0, 0}, 0},
    {0, 2, 100, 0, 0, {0, 0, 0, 0}, 0},
    {0, 1001, 8, 0, 1, {0, 0, 0, 0}, 0},
    {3, 4001, 4, 1, 1, {300, 300, 300, 300}, 0},
    {0, 4000, 2, 1, 0, {200, 4000, 200, 200}, 600},
};

static void ranges(const job *j, uint64_t *starts)
{
    uint64_t size = (uint64_t)dist_size();

    for (uint64_t r = 0; r <= size; r++) {
        starts[r] = j->first + (j->skewed ? (r == size ? j->total : 0) : j->total * r / size);
    }
}

/* A span begins and ends at a range's end or a multiple of the unit from its start. */
static void check_span(const job *j, const uint64_t *starts, uint64_t first, uint64_t count)
{
    int r = 0;

    MUST(count > 0);
    while (starts[r + 1] <= first) {
        r++;
    }
    MUST(first >= starts[r] && first + count <= starts[r + 1]);
    MUST((first - starts[r]) % j->unit == 0);
    MUST(first + count == starts[r + 1] || (first + count - starts[r]) % j->unit == 0);
    MUST(j->help || r == dist_rank());
}

static void share_out(const job *j)
{
    uint64_t starts[5], first, count, done = 0, slow;
    uint64_t *times = must_allocate(j->total * sizeof *times);
    int more;

    ranges(j, starts);
    dist_work_begin(starts, j->unit, j->help);
    MUST(dist_work_done() == 0 || dist_rank() == 0);
    while ((more = dist_work_next(&first, &count)) != 0) {
        if (more == -1) {
            continue;
        }
        check_span(j, starts, first, count);
        for (uint64_t i = first; i < first + count; i++) {
            times[i - j->first]++;
            done++;
            if (j->us[dist_rank()] > 0) {
                nanosleep(&(struct timespec){0, 1000 * j->us[dist_rank()]}, NULL);
            }
            dist_work_report(done);
        }
    }
    dist_work_end();
    MUST(dist_rank() != 0 || dist_work_done() == j->total);
    MUST(dist_stopping() == 0);
    dist_sum(times, j->total);
    for (uint64_t i = 0; i < j->total; i++) {
        MUST(times[i] == 1);
    }
    slow = dist_rank() == 1 ? done : 0;
    dist_sum(&slow, 1);
    MUST(j->most_on_slow == 0 || slow <= j->most_on_slow);
    free(times);
}

static int work(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < sizeof jobs / sizeof jobs[0]; i++) {
        double begun = seconds();

        share_out(&jobs[i]);
        if (dist_rank() == 0) {
            printf("work %u: %.3f s\n", i, seconds() - begun);
        }
    }
    return 0;
}

/* --- stop requests --- */

static void stop_here(int who)
{
    uint64_t first, count;

    if (who == dist_rank() || who == -1) {
        dist_request_stop(40 + dist_rank());
        MUST(dist_stopping() != 0 && dist_work_next(&first, &count) == 0);
    }
}

static int stop(void *argument)
{
    int who = *(int *)argument;
    uint64_t starts[5], first, count, done = 0;
    const job endless = {.total = UINT64_C(1) << 50};
    double begun = seconds();
    int more;

    ranges(&endless, starts);
    dist_work_begin(starts, 1024, 1);
    while ((more = dist_work_next(&first, &count)) != 0) {
        for (uint64_t i = 0; more == 1 && i < count && dist_stopping() == 0; i += 1024) {
            MUST(seconds() - begun < 20);
            wait_ms(1);
            dist_work_report(done += 1024);
            if (seconds() - begun > 0.2) {
                stop_here(who);
            }
        }
    }
    MUST(dist_stopping() != 0 && seconds() - begun < 5);
    dist_work_end();
    first = (uint64_t)dist_stopping();
    dist_broadcast(&first, sizeof first);
    MUST(first == (uint64_t)dist_stopping());
    MUST(who == -1 ? first >= 40 && first < 44 : first == 40 + (uint64_t)who);
    return 0;
}

/* A stop that one rank asks for when all work is done is known to all after dist_work_end(). */
static int late_stop(void *unused)
{
    uint64_t starts[5], first, count;

    (void)unused;
    ranges(&jobs[0], starts);
    dist_work_begin(starts, 1, 1);
    while (dist_work_next(&first, &count) != 0) {
    }
    if (dist_rank() == dist_size() - 1) {
        dist_request_stop(9);
    }
    dist_work_end();
    MUST(dist_stopping() == 9);
    return 0;
}

/* One run after the other: rank 0, whose body ends last, may tell one rank that a run is over,
 * which then begins the next, before it tells another.  The others are told to go on waiting every
 * tenth of a second, so that is when it may happen. */
static int wait_and_count(void *us)
{
    uint64_t ranks = 1;

    dist_sum(&ranks, 1);
    if (dist_rank() == 0) {
        nanosleep(&(struct timespec){0, 1000 * *(long *)us}, NULL);
    }
    return (int)ranks;
}

static void never(const char *text)
{
    fprintf(stderr, "lost: %s\n", text);
    abort();
}

enum { PATIENCE = 100 }; /* seconds */

static const char *volatile step = "start";

static void hung(int number)
{
    char text[80];
    int n =
        snprintf(text, sizeof text, "rank %d of %d hangs: %s\n", dist_rank(), dist_size(), step);

    (void)number;
    if (write(STDERR_FILENO, text, (size_t)n) < n) {
        _exit(2);
    }
    abort();
}

static void run(const char *name, int (*body)(void *), void *argument, int result)
{
    step = name;
    MUST(dist_run(body, argument, 10, never) == result);
}

int main(void)
{
    signal(SIGALRM, hung);
    alarm(PATIENCE);
    MUST(dist_start() == DIST_OK);
    MUST(dist_local_size() == dist_size() && dist_local_rank() == dist_rank());
    MUST(dist_host_count() == 1 && dist_processors() >= 1);
    run("collectives", collectives, NULL, 7 + dist_rank());
    run("agreement", agreement, NULL, 0);
    for (int who = -1; who < dist_size(); who++) {
        run("stop", stop, &who, 0);
    }
    run("late stop", late_stop, NULL, 0);
    for (long us = 99000; dist_size() > 2 && us < 106000; us += 300) {
        run("one after the other", wait_and_count, &us, dist_size());
    }
    run("work", work, NULL, 0);
    step = "end";
    dist_stop();
    return 0;
}
