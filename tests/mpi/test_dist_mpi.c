/* Several ranks: collective operations, shared work, and the wait of a rank.  A failure on one rank
 * ends all ranks: abort(). A rank that hangs reports its place before the test's time is over.
 * With the argument "abort" the last rank ends the job while the others wait for it:
 * test_mpi_failures.py. */
#include "mpi/dist.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
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

/* All see the bytes of all, and then those of rank 0. */
static void test_bytes(size_t bytes)
{
    size_t size = (size_t)dist_size();
    unsigned char *mine = must_allocate(bytes), *all = must_allocate(bytes * size);

    for (size_t i = 0; i < bytes; i++) {
        mine[i] = pattern(i, dist_rank());
    }
    dist_gather(mine, bytes, all);
    dist_broadcast(mine, bytes);
    for (size_t i = 0; i < bytes; i++) {
        for (size_t r = 0; r < size; r++) {
            MUST(all[r * bytes + i] == pattern(i, (int)r));
        }
        MUST(mine[i] == pattern(i, 0));
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

static void collectives(void)
{
    static const size_t sizes[] = {0, 1, 7, 4096, 100003, 3000001};

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        test_bytes(sizes[i]);
        test_sum(sizes[i]);
    }
}

static void agreement(void)
{
    int size = dist_size();

    for (int bad = 0; bad < 1 << size; bad++) { /* every set of failing ranks */
        char text[40] = "untouched", expected[40];
        int mine = bad >> dist_rank() & 1, first = 0, status;

        if (mine) {
            snprintf(text, sizeof text, "rank %d of set %d", dist_rank(), bad);
        }
        status = dist_agree(mine ? -100 - dist_rank() : 0, text, sizeof text);
        if (bad == 0) {
            MUST(status == 0 && strcmp(text, "untouched") == 0);
            continue;
        }
        while ((bad >> first & 1) == 0) {
            first++;
        }
        MUST(status == -100 - first);
        snprintf(expected, sizeof expected, "rank %d of set %d", first, bad);
        MUST(strcmp(text, expected) == 0);
    }
}

/* --- work --- */

typedef struct {
    uint64_t first, total, unit;
    int skewed; /* all of it is the last rank's own */
    long us[4]; /* per item, by rank */
} job;

static const job jobs[] = {
    {0, 1000, 1, 0, {0, 0, 0, 0}},
    {17, 1003, 10, 0, {0, 0, 0, 0}},
    {5, 3, 1, 0, {0, 0, 0, 0}},
    {5, 0, 1, 0, {0, 0, 0, 0}},
    {0, 2, 100, 0, {0, 0, 0, 0}},
    {0, 1001, 8, 1, {0, 0, 0, 0}},
    {3, 4001, 4, 1, {300, 300, 300, 300}},
    {0, 4000, 2, 0, {200, 4000, 200, 200}},
};

enum { COUNT = sizeof jobs / sizeof jobs[0] };

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
}

static void share_out(const job *j)
{
    uint64_t starts[5], first, count, done = 0;
    uint64_t *times = must_allocate(j->total * sizeof *times);
    int more;

    ranges(j, starts);
    MUST(dist_work_begin(starts, j->unit) == DIST_OK);
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
    dist_sum(times, j->total);
    for (uint64_t i = 0; i < j->total; i++) {
        MUST(times[i] == 1);
    }
    free(times);
}

/* One after the other, at once: what a rank asks of the next must not reach the one before.  How
 * much a slow rank does is tested by test_dist_race.c, without a clock. */
static void work(void)
{
    for (int i = 0; i < 100; i++) {
        share_out(&jobs[i < COUNT ? i : i % 6]);
    }
}

/* Rank 0 knows what the others have done before they are through. */
static void progress(void)
{
    const job one_each = {.total = 4 * (uint64_t)dist_size()};
    uint64_t starts[5], first, count, done = 0;
    const double begun = seconds(CLOCK_MONOTONIC);
    int more;

    ranges(&one_each, starts);
    MUST(dist_work_begin(starts, 4) == DIST_OK);
    while ((more = dist_work_next(&first, &count)) != 0) {
        done += more == 1 ? count : 0;
    }
    if (dist_rank() > 0) {
        wait_ms(150); /* it reports at most ten times a second */
    }
    dist_work_report(done);
    while (dist_rank() == 0 && dist_work_done() < one_each.total) {
        MUST(seconds(CLOCK_MONOTONIC) - begun < 20);
        wait_ms(1);
    }
    dist_sum(&done, 1); /* rank 0 has seen it, and only now they are through */
    dist_work_end();
}

/* A rank that waits is asked now and then whether to go on, and sleeps. */
static int polls;

static void count_poll(void)
{
    polls++;
}

static void waiting(void)
{
    enum { MS = 1500 };
    const bool waits = dist_rank() < dist_size() - 1;
    uint64_t one = 1;

    for (int held = 0; held < 2; held++) {
        const double before = seconds(CLOCK_PROCESS_CPUTIME_ID);

        polls = 0;
        dist_set_poll(count_poll);
        dist_hold_poll(held);
        if (!waits) {
            wait_ms(MS);
        }
        dist_sum(&one, 1);
        if (waits) {
            MUST(held ? polls == 0 : polls > MS / 100);
            MUST(seconds(CLOCK_PROCESS_CPUTIME_ID) - before < 0.5e-3 * MS);
        }
    }
    dist_hold_poll(0);
    dist_set_poll(NULL);
}

static void end_job(void)
{
    uint64_t one = 1;

    if (dist_rank() == dist_size() - 1) {
        wait_ms(300);
        dist_abort(42);
    }
    dist_sum(&one, 1);
    MUST(!"this is reached");
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

static void run(const char *name, void (*body)(void))
{
    step = name;
    body();
}

int main(int argc, char **argv)
{
    signal(SIGALRM, hung);
    alarm(PATIENCE);
    MUST(dist_start() == DIST_OK);
    MUST(dist_local_size() == dist_size() && dist_local_rank() == dist_rank());
    MUST(dist_host_count() == 1 && dist_processors() >= 1);
    if (argc > 1 && strcmp(argv[1], "abort") == 0) {
        run("abort", end_job);
    }
    run("collectives", collectives);
    run("agreement", agreement);
    if (dist_size() > 1) {
        run("work", work);
        run("progress", progress);
    }
    run("waiting", waiting);
    step = "end";
    dist_stop();
    return 0;
}
