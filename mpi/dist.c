/*
 * dist.c - the functions of dist.h, with or without MPI: this process's place, the start and the
 * end, collective operations, and the work that rank 0 distributes.  A lone process agrees with
 * itself: its collective operations return immediately.
 */
#include "mpi/dist_job.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The launchers' variables.  A batch script outside srun has SLURM_PROCID but no
 * SLURM_STEP_NUM_TASKS, and is not a rank. */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI's mpirun */
    {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI, srun --mpi=pmi2 */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},         /* srun, for all values of --mpi */
};

void dist_launched(int *rank, int *size)
{
    *rank = 0;
    *size = 1;
    for (unsigned i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *r = getenv(launchers[i].rank), *s = getenv(launchers[i].size);

        if (r != NULL && s != NULL && atoi(s) >= 1) {
            *rank = atoi(r);
            *size = atoi(s);
            return;
        }
    }
}

int dist_processor_share(const unsigned char *masks, size_t bytes, int ranks, int mine)
{
    double share = 0;

    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        size_t byte = bit / 8;
        int users = 0;

        if ((masks[(size_t)mine * bytes + byte] >> bit % 8 & 1) == 0) {
            continue;
        }
        for (int r = 0; r < ranks; r++) {
            users += masks[(size_t)r * bytes + byte] >> bit % 8 & 1;
        }
        share += 1.0 / users;
    }
    return share < 1 ? 1 : (int)(share + 0.5);
}

/* NULL in a build without MPI. */
static const dist_transport *mpi_transport(void)
{
#ifdef RMAT_HAVE_MPI
    extern const dist_transport dist_mpi;

    return &dist_mpi;
#else
    return NULL;
#endif
}

struct dist_place dist_here = {.size = 1, .local_size = 1, .hosts = 1, .processors = 1};

static const dist_transport *transport; /* NULL: this process is alone */

int dist_start(void)
{
    if (transport != NULL) {
        return DIST_OK; /* already started */
    }
    dist_launched(&dist_here.rank, &dist_here.size);
    if (dist_here.size == 1) {
        return DIST_OK;
    }
    transport = mpi_transport();
    return transport != NULL ? transport->start() : DIST_ERR_NO_MPI;
}

void dist_stop(void)
{
    if (transport != NULL) {
        transport->stop();
    }
    transport = NULL;
}

void dist_abort(int status)
{
    if (transport != NULL) {
        transport->abort(status);
    }
    _exit(status);
}

int dist_is_ending(void)
{
    return transport != NULL && transport->is_ending();
}

const char *dist_library(void)
{
    return mpi_transport() != NULL ? mpi_transport()->library() : "";
}

static void (*poll_function)(void);
static int poll_held;

void dist_set_poll(void (*poll)(void))
{
    poll_function = poll;
    poll_held = 0;
}

void dist_hold_poll(int held)
{
    poll_held = held;
}

void dist_poll(void)
{
    if (poll_function != NULL && !poll_held) {
        poll_function();
    }
}

static void sleep_for(double seconds)
{
    const time_t whole = (time_t)seconds;

    nanosleep(&(struct timespec){whole, (long)(1e9 * (seconds - (double)whole))}, NULL);
}

void dist_pause(double *seconds, double longest)
{
    sleep_for(*seconds);
    *seconds = 2 * *seconds < longest ? 2 * *seconds : longest;
}

const char *dist_strerror(int status)
{
    switch (status) {
    case DIST_OK:
        return "no error";
    case DIST_ERR_MPI:
        return "MPI did not start, or started without support for threads";
    case DIST_ERR_LAUNCHER:
        return "a launcher started several ranks, but this program's MPI sees one; use the "
               "launcher of the MPI that it was built with";
    case DIST_ERR_NOMEM:
        return "out of memory or threads";
    case DIST_ERR_NO_MPI:
        return "a launcher started several ranks, but this program was built without MPI: install "
               "libopenmpi-dev and build it again";
    default:
        return "unknown error";
    }
}

void dist_broadcast(void *data, size_t bytes)
{
    if (transport != NULL && bytes > 0) {
        transport->broadcast(data, bytes, 0);
    }
}

void dist_sum(uint64_t *values, size_t count)
{
    if (transport != NULL && count > 0) {
        transport->reduce(values, count, 0);
    }
}

void dist_gather(const void *mine, size_t bytes, void *all)
{
    if (transport != NULL && bytes > 0) {
        transport->gather(mine, bytes, all);
    } else if (bytes > 0) {
        memcpy(all, mine, bytes);
    }
}

int dist_agree(int status, char *text, size_t size)
{
    uint64_t lowest = (uint64_t)(status != 0 ? dist_here.rank : dist_here.size);

    if (transport == NULL) {
        return status;
    }
    transport->reduce(&lowest, 1, 1);
    if (lowest == (uint64_t)dist_here.size) {
        return 0;
    }
    transport->broadcast(&status, sizeof status, (int)lowest);
    transport->broadcast(text, size, (int)lowest);
    return status;
}

/*
 * Work.  Rank 0 uses its table directly.  A thread of rank 0, which lives as long as work is
 * distributed, answers the other ranks.  A rank asks for a span when it needs one.  From time to
 * time it also reports how much it has done; this message has no answer.  The last message of a
 * rank says that it is done.
 *
 * The thread ends after the last message of every rank.  No message of the next distribution
 * arrives earlier: a rank sends none before dist_work_begin() has returned, and rank 0 enters that
 * function only after the thread's end.
 */

#define SHORT_WAIT    0.02 /* seconds */
#define ANSWER_PAUSE  2e-3 /* the longest pause of the thread that answers */
#define TELL_SECONDS  0.1
#define MOST_MESSAGES 10000.0 /* per second, at rank 0 */

typedef struct {
    uint64_t done;
    int32_t wants;   /* the sender wants a span: the only message with an answer */
    int32_t through; /* the sender is done; no message follows */
} request;

typedef struct {
    uint64_t first, count;
    int32_t more; /* as dist_table_take() returns */
} answer;

static struct {
    pthread_mutex_t lock; /* guards the table */
    dist_table *table;    /* of rank 0 */
    _Atomic uint64_t done;
    pthread_t thread; /* of rank 0: answers the others */
    atomic_bool all_through;
    bool sharing;
    double told; /* of another rank: the time of its last report to rank 0 */
} work = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double now_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time that a rank waits before it reports to rank 0. */
static double interval(double least)
{
    const double share = dist_here.size / MOST_MESSAGES;

    return share > least ? share : least;
}

/* On rank 0: records what a rank has done, and finds its next span if it wants one. */
static int consult(int rank, uint64_t done, bool wants, uint64_t *first, uint64_t *count)
{
    const double now = now_seconds();
    int more = 0;

    pthread_mutex_lock(&work.lock);
    dist_table_report(work.table, rank, done, now);
    if (wants) {
        more = dist_table_take(work.table, rank, now, first, count);
    }
    pthread_mutex_unlock(&work.lock);
    return more;
}

static void *answer_ranks(void *unused)
{
    double pause = DIST_SHORTEST_PAUSE;

    for (int through = 0; through < dist_here.size - 1;) {
        answer a = {0};
        request q;
        const int rank = transport->receive(&q, sizeof q);

        if (rank < 0) {
            dist_pause(&pause, ANSWER_PAUSE);
            continue;
        }
        pause = DIST_SHORTEST_PAUSE;
        a.more = consult(rank, q.done, q.wants, &a.first, &a.count);
        through += q.through;
        if (q.wants) {
            transport->send(rank, &a, sizeof a);
        }
    }
    atomic_store(&work.all_through, true);
    return unused;
}

int dist_work_begin(const uint64_t *starts, uint64_t unit)
{
    uint64_t failed = 0;
    sigset_t all, before;

    atomic_store(&work.done, 0);
    atomic_store(&work.all_through, false);
    work.told = now_seconds();
    if (dist_here.rank == 0) {
        dist_table_destroy(work.table);
        work.table = dist_table_create(dist_here.size, starts, unit);
        sigfillset(&all); /* signals stay with the main thread */
        pthread_sigmask(SIG_BLOCK, &all, &before);
        failed = work.table == NULL || pthread_create(&work.thread, NULL, answer_ranks, NULL) != 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    dist_sum(&failed, 1);
    work.sharing = failed == 0;
    return failed == 0 ? DIST_OK : DIST_ERR_NOMEM;
}

void dist_work_end(void)
{
    double pause = DIST_SHORTEST_PAUSE;

    if (!work.sharing) {
        return;
    }
    work.sharing = false;
    if (dist_here.rank > 0) {
        const request last = {.done = atomic_load(&work.done), .through = 1};

        transport->send(0, &last, sizeof last);
        return;
    }
    while (!atomic_load(&work.all_through)) {
        dist_poll();
        dist_pause(&pause, DIST_LONGEST_PAUSE);
    }
    pthread_join(work.thread, NULL);
}

/* Asks rank 0, on another rank. */
static int ask_for_span(uint64_t *first, uint64_t *count)
{
    const request q = {.done = atomic_load(&work.done), .wants = 1};
    double pause = DIST_SHORTEST_PAUSE;
    answer a;

    transport->send(0, &q, sizeof q);
    while (transport->receive(&a, sizeof a) < 0) {
        dist_pause(&pause, DIST_LONGEST_PAUSE);
    }
    *first = a.first;
    *count = a.count;
    return a.more;
}

int dist_work_next(uint64_t *first, uint64_t *count)
{
    const int more = dist_here.rank > 0 ? ask_for_span(first, count)
                                        : consult(0, atomic_load(&work.done), true, first, count);

    if (more == -1) {
        sleep_for(interval(SHORT_WAIT));
    }
    return more;
}

void dist_work_report(uint64_t done)
{
    const request told = {.done = done};
    const double now = now_seconds();

    atomic_store(&work.done, done);
    if (work.sharing && dist_here.rank > 0 && now - work.told >= interval(TELL_SECONDS)) {
        work.told = now;
        transport->send(0, &told, sizeof told);
    }
}

uint64_t dist_work_done(void)
{
    uint64_t done = 0;

    if (work.table != NULL) {
        pthread_mutex_lock(&work.lock);
        dist_table_report(work.table, 0, atomic_load(&work.done), now_seconds());
        done = dist_table_done(work.table);
        pthread_mutex_unlock(&work.lock);
    }
    return done;
}
