/* One process that no launcher started: it does not wait.  The
 * values that launchers set; and processors.  test_dist_mpi.c tests that its collective operations
 * are those of ranks. */
#include "mpi/dist.h"
#include "mpi/dist_job.h"
#include "tests/support/run_suite.h"
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void never(void)
{
    ck_abort_msg("nobody is waited for");
}

START_TEST(test_alone)
{
    uint64_t one = 1;

    ck_assert_int_eq(dist_start(), DIST_OK);
    ck_assert_int_eq(dist_start(), DIST_OK);
    ck_assert(dist_rank() == 0 && dist_size() == 1 && dist_is_ending() == 0);
    dist_set_poll(never);
    dist_sum(&one, 1);
    ck_assert_uint_eq(one, 1);
    dist_stop();
    dist_set_poll(NULL);
}

START_TEST(test_abort)
{
    const pid_t child = fork();
    int status;

    if (child == 0) {
        ck_assert_int_eq(dist_start(), DIST_OK);
        dist_abort(7);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

START_TEST(test_stop_without_start)
{
    dist_stop();
    ck_assert_int_eq(dist_size(), 1);
}

static const struct {
    int ranks, mine, share;
    unsigned char masks[4][2];
} hosts[] = {
    {1, 0, 16, {{0xff, 0xff}}},
    {4, 2, 4, {{0xff, 0xff}, {0xff, 0xff}, {0xff, 0xff}, {0xff, 0xff}}}, /* not bound */
    {2, 1, 8, {{0xff, 0}, {0, 0xff}}},                                   /* bound */
    {3, 0, 5, {{0xff, 0xff}, {0xff, 0xff}, {0xff, 0xff}}},
    {3, 2, 1, {{1, 0}, {1, 0}, {1, 0}}},          /* a third */
    {2, 0, 10, {{0xff, 0xff}, {0xff, 0x0f}}},     /* 6 and 4 */
    {2, 1, 6, {{0xff, 0xff}, {0xff, 0x0f}}},      /* 12 halves */
    {3, 1, 3, {{0x0f, 0}, {0x3f, 0}, {0x0f, 0}}}, /* 2 and 4 thirds */
    {2, 0, 1, {{0, 0}, {0xff, 0}}},               /* not known */
};

START_TEST(test_processor_share)
{
    ck_assert_int_eq(dist_processor_share(hosts[_i].masks[0], 2, hosts[_i].ranks, hosts[_i].mine),
                     hosts[_i].share);
}

static const struct {
    const char *set[4]; /* names and values */
    int rank, size;
} launches[] = {
    {{NULL}, 0, 1},
    {{"OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "5"}, 2, 5},
    {{"PMI_RANK", "0", "PMI_SIZE", "3"}, 0, 3},
    {{"SLURM_PROCID", "1", "SLURM_STEP_NUM_TASKS", "2"}, 1, 2},
    {{"SLURM_PROCID", "1", "SLURM_NTASKS", "2"}, 0, 1}, /* a batch script */
    {{"PMI_RANK", "0", "PMI_SIZE", "?"}, 0, 1},
};

START_TEST(test_launchers)
{
    const char *const *set = launches[_i].set;
    int rank, size;

    for (int i = 0; i < 4 && set[i] != NULL; i += 2) {
        setenv(set[i], set[i + 1], 1);
    }
    dist_launched(&rank, &size);
    ck_assert(rank == launches[_i].rank && size == launches[_i].size);
}

START_TEST(test_texts)
{
    const int statuses[] = {DIST_OK, DIST_ERR_MPI, DIST_ERR_LAUNCHER, DIST_ERR_NOMEM,
                            DIST_ERR_NO_MPI};

    for (unsigned i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        ck_assert_str_ne(dist_strerror(statuses[i]), dist_strerror(-1));
    }
}

TEST_CASES(dist_alone, 120, ONCE(test_alone), ONCE(test_abort), ONCE(test_stop_without_start),
           LOOP(test_processor_share, 0, COUNT(hosts)), LOOP(test_launchers, 0, COUNT(launches)),
           ONCE(test_texts))
