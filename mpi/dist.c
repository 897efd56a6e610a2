/*
 * dist.c - the functions of dist.h, with or without MPI: who this process is, the start and the
 * end, collective operations, and work as the body sees it.  One process alone agrees with itself:
 * its collective operations return at once, and its work needs no transport.
 */
#include "mpi/dist.h"
#include "mpi/dist_job.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The launchers' variables.  A batch script outside any srun has SLURM_PROCID, but no
 * SLURM_STEP_NUM_TASKS: it is not a rank of anything. */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI's mpirun */
    {"PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI, srun --mpi=pmi2 */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},         /* srun, whatever --mpi says */
};

int dist_launched(int *rank, int *size)
{
    *rank = 0;
    *size = 1;
    for (unsigned i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const char *r = getenv(launchers[i].rank), *s = getenv(launchers[i].size);

        if (r != NULL && s != NULL && atoi(s) >= 1) {
            *rank = atoi(r);
            *size = atoi(s);
            return 1;
        }
    }
    return 0;
}

/*
 * The processors that a rank should keep busy: each counts 1 / (ranks of the host that may use
 * it).
 */
enum { FIRST_MASK = 128, LARGEST_MASK = 1 << 16 }; /* bytes: 1024 and half a million processors */

/* The kernel refuses a mask that is smaller than its own. */
unsigned char *dist_processor_mask(size_t *bytes)
{
    for (size_t size = FIRST_MASK; size <= LARGEST_MASK; size *= 2) {
        unsigned char *mask = calloc(1, size);

        if (mask != NULL && sched_getaffinity(0, size, (cpu_set_t *)(void *)mask) == 0) {
            *bytes = size;
            return mask;
        }
        free(mask);
    }
    *bytes = 0;
    return NULL;
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

int dist_processors_alone(void)
{
    size_t bytes;
    unsigned char *mask = dist_processor_mask(&bytes);
    int share = dist_processor_share(mask, bytes, 1, 0);

    free(mask);
    return share;
}

/* NULL in a build without MPI. */
static const dist_transport *mpi_transport(void)
{
#ifdef RMAT_HAVE_MPI
    extern const dist_transport dist_agent;

    return &dist_agent;
#else
    return NULL;
#endif
}

struct dist_job dist_job = {
    .size = 1, .local_size = 1, .hosts = 1, .processors = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

int dist_start(void)
{
    struct dist_job *job = &dist_job;

    if (job->table != NULL) {
        return DIST_OK; /* it has begun */
    }
    dist_create_condition(&job->to_body);
    dist_launched(&job->rank, &job->size);
    if (job->size > 1) {
        return mpi_transport() != NULL ? mpi_transport()->start() : DIST_ERR_NO_MPI;
    }
    job->processors = dist_processors_alone();
    job->table = dist_table_create(1);
    return job->table != NULL ? DIST_OK : DIST_ERR_NOMEM;
}

void dist_stop(void)
{
    if (dist_job.transport != NULL) {
        dist_job.transport->stop();
        dist_job.transport = NULL;
    }
    dist_table_destroy(dist_job.table);
    dist_job.table = NULL;
}

int dist_rank(void)
{
    return dist_job.rank;
}

int dist_size(void)
{
    return dist_job.size;
}

int dist_local_rank(void)
{
    return dist_job.local_rank;
}

int dist_local_size(void)
{
    return dist_job.local_size;
}

int dist_host_count(void)
{
    return dist_job.hosts;
}

int dist_processors(void)
{
    return dist_job.processors;
}

int dist_run(int (*body)(void *argument), void *argument, double timeout_seconds,
             void (*lost)(const char *text))
{
    atomic_store(&dist_job.asked, 0);
    atomic_store(&dist_job.stop, 0);
    dist_job.sharing = false;
    return dist_job.transport == NULL
               ? body(argument)
               : dist_job.transport->run(body, argument, timeout_seconds, lost);
}

const char *dist_library(void)
{
    return mpi_transport() != NULL ? mpi_transport()->library() : "";
}

double dist_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void dist_create_condition(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void dist_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double seconds)
{
    double until = dist_now() + seconds;
    struct timespec at = {.tv_sec = (time_t)until};

    at.tv_nsec = (long)(1e9 * (until - (double)at.tv_sec));
    pthread_cond_timedwait(condition, lock, &at);
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

/* Collective operations of the bodies, on the few kinds that the transport knows. */
void dist_collective(dist_op op)
{
    if (dist_job.transport != NULL) {
        dist_job.transport->collective(&op);
    } else if (op.kind == DIST_GATHER && op.count > 0) {
        memcpy(op.data, op.mine, op.count);
    }
}

void dist_broadcast(void *data, size_t bytes)
{
    dist_collective((dist_op){.kind = DIST_BROADCAST, .data = data, .count = bytes});
}

void dist_sum(uint64_t *values, size_t count)
{
    dist_collective((dist_op){.kind = DIST_SUM, .data = values, .count = count});
}

void dist_gather(const void *mine, size_t bytes, void *all)
{
    dist_collective((dist_op){.kind = DIST_GATHER, .data = all, .mine = mine, .count = bytes});
}

static void wake_transport(void)
{
    if (dist_job.transport != NULL) {
        dist_job.transport->wake();
    }
}

int dist_agree(int status, char *text, size_t size, int *failed)
{
    uint64_t lowest = (uint64_t)(status != 0 ? dist_job.rank : dist_job.size);
    int root;

    dist_collective((dist_op){.kind = DIST_MIN, .data = &lowest, .count = 1});
    if (lowest == (uint64_t)dist_job.size) {
        return 0;
    }
    root = (int)lowest;
    dist_collective(
        (dist_op){.kind = DIST_BROADCAST, .data = &status, .count = sizeof status, .root = root});
    dist_collective((dist_op){.kind = DIST_BROADCAST, .data = text, .count = size, .root = root});
    if (failed != NULL) {
        *failed = root;
    }
    return status;
}

/*
 * Work, as the body sees it.  Rank 0 asks its table itself; for the others the transport asks, and
 * one span is asked for ahead, so that nobody waits for an answer with nothing to do.
 */

#define SHORT_WAIT 0.02 /* seconds */
static void settle_transport(void)
{
    if (dist_job.transport != NULL) {
        dist_job.transport->settle();
    }
}

void dist_work_begin(const uint64_t *starts, uint64_t unit, int help)
{
    struct dist_job *job = &dist_job;
    uint64_t ready = 0;

    pthread_mutex_lock(&job->lock);
    job->have = false;
    job->no_more = false;
    atomic_store(&job->done, 0);
    pthread_mutex_unlock(&job->lock);
    /* What any rank said of the work before must have arrived when rank 0 begins, which it must
     * have done when the first asks. */
    settle_transport();
    dist_collective((dist_op){.kind = DIST_MIN, .data = &ready, .count = 1});
    if (job->rank == 0) {
        pthread_mutex_lock(&job->lock);
        dist_table_begin(job->table, starts, unit, help);
        pthread_mutex_unlock(&job->lock);
    }
    dist_collective((dist_op){.kind = DIST_MIN, .data = &ready, .count = 1});
    pthread_mutex_lock(&job->lock);
    job->sharing = true;
    pthread_mutex_unlock(&job->lock);
    wake_transport();
}

void dist_work_end(void)
{
    struct dist_job *job = &dist_job;
    uint64_t through = 0;
    int reason;

    pthread_mutex_lock(&job->lock);
    job->sharing = false;
    pthread_mutex_unlock(&job->lock);
    settle_transport();
    dist_collective((dist_op){.kind = DIST_MIN, .data = &through, .count = 1});
    reason = atomic_load(&job->stop);
    dist_broadcast(&reason, sizeof reason);
    atomic_store(&job->stop, reason);
}

/* Rank 0, with the lock held. */
static int take_own_span(uint64_t *first, uint64_t *count)
{
    double now = dist_now();

    dist_table_report(dist_job.table, 0, atomic_load(&dist_job.done), now);
    return dist_table_take(dist_job.table, 0, now, first, count);
}

/* Other ranks, with the lock held. */
static int take_given_span(uint64_t *first, uint64_t *count)
{
    if (!dist_job.have) {
        return dist_job.no_more ? 0 : -1;
    }
    *first = dist_job.first;
    *count = dist_job.count;
    dist_job.have = false;
    return 1;
}

int dist_work_next(uint64_t *first, uint64_t *count)
{
    struct dist_job *job = &dist_job;
    int status = 0;

    pthread_mutex_lock(&job->lock);
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!job->sharing || dist_stopping() != 0) {
            status = 0;
            break;
        }
        status = job->rank == 0 ? take_own_span(first, count) : take_given_span(first, count);
        if (status != -1) {
            break;
        }
        if (attempt == 0) {
            dist_wait(&job->to_body, &job->lock, SHORT_WAIT);
        }
    }
    pthread_mutex_unlock(&job->lock);
    if (status == 1 && job->rank != 0) {
        wake_transport(); /* to ask ahead */
    }
    return status;
}

void dist_work_report(uint64_t done)
{
    atomic_store(&dist_job.done, done);
}

uint64_t dist_work_done(void)
{
    struct dist_job *job = &dist_job;
    uint64_t done;

    pthread_mutex_lock(&job->lock);
    if (job->rank == 0) {
        dist_table_report(job->table, 0, atomic_load(&job->done), dist_now());
        done = dist_table_done(job->table);
    } else {
        done = atomic_load(&job->done);
    }
    pthread_mutex_unlock(&job->lock);
    return done;
}

void dist_request_stop(int reason)
{
    struct dist_job *job = &dist_job;
    int none = 0;

    pthread_mutex_lock(&job->lock);
    if (atomic_load(&job->stop) == 0) {
        atomic_compare_exchange_strong(&job->asked, &none, reason);
        if (job->rank == 0) {
            atomic_store(&job->stop, atomic_load(&job->asked));
        }
    }
    pthread_cond_broadcast(&job->to_body);
    pthread_mutex_unlock(&job->lock);
    wake_transport();
}

int dist_stopping(void)
{
    int reason = atomic_load(&dist_job.stop);

    return reason != 0 ? reason : atomic_load(&dist_job.asked);
}
