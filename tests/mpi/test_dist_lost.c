/*
 * Ranks that are lost, and ranks that only seem so.  The test starts itself under mpirun, once per
 * case; what each rank then does is in the table of cases.
 */
#include "mpi/dist.h"
#include "tests/support/run_suite.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT 1.5 /* seconds, of dist_run(), */
#define LONGER  4.0 /* where the abort must not be taken for another loss */

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_for(double s)
{
    double end = seconds() + s;

    while (seconds() < end) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

/* --- what ranks do; 0: their part is done --- */

/* More work than the time that a test has. */
static void work(void)
{
    uint64_t starts[] = {0, 1u << 20, 2u << 20, 3u << 20}, first, count;
    int more;

    dist_work_begin(starts, 1, 1);
    while ((more = dist_work_next(&first, &count)) != 0) {
        sleep_for(0.01);
    }
    dist_work_end();
}

static int suspended_0(void)
{
    if (dist_rank() == 0) {
        sleep_for(0.3);
        raise(SIGSTOP);
    }
    work();
    return 0;
}

static int suspended_2(void)
{
    if (dist_rank() == 2) {
        sleep_for(0.3);
        raise(SIGSTOP);
    }
    work();
    return 0;
}

static int leaves(void)
{
    if (dist_rank() == 1) {
        sleep_for(0.3);
        _exit(0);
    }
    work();
    return 0;
}

static int killed(void)
{
    if (dist_rank() == 1) {
        sleep_for(0.3);
        raise(SIGKILL);
    }
    work();
    return 0;
}

/* It would wait forever for one that failed. */
static int does_not_stop(void)
{
    if (dist_rank() == 2) {
        sleep_for(1000);
    }
    if (dist_rank() == 1) {
        dist_request_stop(1);
    }
    work();
    return 0;
}

static int slow(void)
{
    uint64_t ranks = 1;

    sleep_for(dist_rank() == 1 ? 2 * TIMEOUT : 0);
    dist_sum(&ranks, 1);
    sleep_for(dist_rank() == 2 ? 2 * TIMEOUT : 0);
    return ranks == 3 ? 0 : 1;
}

static int two_runs(void)
{
    static int runs;
    uint64_t ranks = 1;

    sleep_for(dist_rank() == runs ? 0.3 : 0);
    dist_sum(&ranks, 1);
    return ranks == 3 && ++runs < 3 ? two_runs() : 0;
}

static const struct {
    const char *name;
    int (*body)(void);
    bool fails;
    const char *says;       /* once, to lost(); NULL: it is not called */
    bool or_killed;         /* mpirun notices, too: who is faster? */
    double timeout, within; /* seconds */
} cases[] = {
    {"suspended_0", suspended_0, true, "lost: rank 0 on host ", false, LONGER, 10},
    {"suspended_2", suspended_2, true, "lost: rank 2 on host ", false, LONGER, 10},
    {"leaves", leaves, true, "lost: rank 1 on host ", true, LONGER, 10},
    {"killed", killed, true, "lost: rank 1 on host ", true, LONGER, 10},
    {"does_not_stop", does_not_stop, true, "lost: not all ranks have stopped within ", false,
     LONGER, 10},
    {"slow", slow, false, NULL, false, TIMEOUT, 12},
    {"all_suspended", slow, false, NULL, false, TIMEOUT, 16},
    {"two_runs", two_runs, false, NULL, false, TIMEOUT, 8},
    {"no_thread", slow, false, NULL, false, TIMEOUT, 8},
};

enum { CASES = sizeof cases / sizeof cases[0] };

/* --- as a rank --- */

static int run_case(void *argument)
{
    return cases[*(int *)argument].body();
}

static void lost(const char *text)
{
    fprintf(stderr, "lost: %s\n", text);
}

/* Of this process, by one of its own, for longer than the time-out. */
static void suspend_soon(void)
{
    pid_t parent = getpid();

    if (fork() == 0) {
        sleep_for(2);
        kill(parent, SIGSTOP);
        sleep_for(2 * TIMEOUT);
        kill(parent, SIGCONT);
        _exit(0);
    }
}

static void forbid_memory(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");

    if (f != NULL && fscanf(f, "%lu", &pages) == 1) {
        rlim_t bytes = pages * (rlim_t)sysconf(_SC_PAGESIZE) + (4 << 20);

        setrlimit(RLIMIT_AS, &(struct rlimit){bytes, RLIM_INFINITY});
    }
    if (f != NULL) {
        fclose(f);
    }
}

static int be_a_rank(int which)
{
    int status, expected = 0;

    if (strcmp(cases[which].name, "all_suspended") == 0) {
        suspend_soon();
    }
    status = dist_start();
    if (status != DIST_OK) {
        return 2;
    }
    if (strcmp(cases[which].name, "no_thread") == 0) {
        expected = DIST_ERR_NOMEM;
        if (dist_rank() == 1) {
            forbid_memory();
        }
    }
    status = dist_run(run_case, &which, cases[which].timeout, lost);
    dist_stop();
    return status == expected ? 0 : 3;
}

/* --- as the test --- */

static const char *program;

START_TEST(test_case)
{
    char command[1024], output[65536], *found;
    double begun = seconds(), took;
    size_t length;
    FILE *f;
    int status;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (strcmp(cases[_i].name, "no_thread") == 0) {
        return; /* sanitizers need more memory */
    }
#endif
    snprintf(command, sizeof command, "timeout 40 %s %s %d 2>&1", MPIEXEC, program, _i);
    f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    length = fread(output, 1, sizeof output - 1, f);
    output[length] = '\0';
    status = pclose(f);
    took = seconds() - begun;
    ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) != 0) == cases[_i].fails,
                  "%s: status %d\n%.3000s", cases[_i].name, status, output);
    found = strstr(output, "lost: ");
    if (cases[_i].says == NULL) {
        ck_assert_msg(found == NULL, "%s:\n%.3000s", cases[_i].name, output);
    } else if (found != NULL || !cases[_i].or_killed) {
        ck_assert_msg(found != NULL && strncmp(found, cases[_i].says, strlen(cases[_i].says)) == 0,
                      "%s:\n%.3000s", cases[_i].name, output);
        ck_assert_msg(strstr(found + 1, "lost: ") == NULL, "%s:\n%.3000s", cases[_i].name, output);
    }
    ck_assert_msg(took < cases[_i].within, "%s: %.1f s", cases[_i].name, took);
}
END_TEST

int main(int argc, char **argv)
{
    Suite *suite;
    TCase *tests;

    if (argc > 1) {
        return be_a_rank(atoi(argv[1]));
    }
    program = argv[0];
    suite = suite_create("dist_lost");
    tests = tcase_create("dist_lost");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, test_case, 0, CASES);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
