/* Start, stop, and one process alone. */
#include "mpi/dist.h"
#include "mpi/dist_job.h"
#include "mpi/dist_launch.h"
#include "mpi/dist_processors.h"
#include <string.h>
#include <time.h>

static int run_alone(int (*body)(void *), void *argument, double timeout_seconds,
                     void (*lost)(const char *))
{
    (void)timeout_seconds;
    (void)lost;
    return body(argument);
}

static void collective_alone(dist_op *op)
{
    if (op->kind == DIST_GATHER && op->count > 0) {
        memcpy(op->data, op->mine, op->count);
    }
}

static void nothing(void)
{
}

static const dist_transport alone = {run_alone, collective_alone, nothing, nothing, nothing};

struct dist_job dist_job = {.size = 1,
                            .local_size = 1,
                            .hosts = 1,
                            .processors = 1,
                            .transport = &alone,
                            .lock = PTHREAD_MUTEX_INITIALIZER};

int dist_start(void)
{
    struct dist_job *job = &dist_job;
    pthread_condattr_t monotonic;

    if (job->table != NULL) {
        return DIST_OK; /* it has begun */
    }
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&job->to_body, &monotonic);
    pthread_condattr_destroy(&monotonic);

    dist_launched(&job->rank, &job->size);
    if (job->size > 1) {
        return dist_mpi_start();
    }
    job->processors = dist_processors_alone();
    job->table = dist_table_create(1);
    return job->table != NULL ? DIST_OK : DIST_ERR_NOMEM;
}

void dist_stop(void)
{
    dist_job.transport->stop();
    dist_job.transport = &alone;
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
    return dist_job.transport->run(body, argument, timeout_seconds, lost);
}

double dist_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void dist_wait(pthread_cond_t *condition, double seconds)
{
    double until = dist_now() + seconds;
    struct timespec at = {.tv_sec = (time_t)until};

    at.tv_nsec = (long)(1e9 * (until - (double)at.tv_sec));
    pthread_cond_timedwait(condition, &dist_job.lock, &at);
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
