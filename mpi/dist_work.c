/*
 * Work, as the body sees it.  Rank 0 asks its table itself; for the others the transport asks, and
 * one span is asked for ahead, so that nobody waits for an answer with nothing to do.
 */
#include "mpi/dist.h"
#include "mpi/dist_job.h"

#define SHORT_WAIT 0.02 /* seconds */

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
    job->transport->settle();
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
    job->transport->wake();
}

void dist_work_end(void)
{
    struct dist_job *job = &dist_job;
    uint64_t through = 0;
    int reason;

    pthread_mutex_lock(&job->lock);
    job->sharing = false;
    pthread_mutex_unlock(&job->lock);
    job->transport->settle();
    dist_collective((dist_op){.kind = DIST_MIN, .data = &through, .count = 1});
    reason = atomic_load(&job->stop);
    dist_broadcast(&reason, sizeof reason);
    atomic_store(&job->stop, reason);
}

/* Rank 0, with the lock held. */
static int take(uint64_t *first, uint64_t *count)
{
    double now = dist_now();

    dist_table_report(dist_job.table, 0, atomic_load(&dist_job.done), now);
    return dist_table_take(dist_job.table, 0, now, first, count);
}

/* Other ranks, with the lock held. */
static int take_given(uint64_t *first, uint64_t *count)
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
        status = job->rank == 0 ? take(first, count) : take_given(first, count);
        if (status != -1) {
            break;
        }
        if (attempt == 0) {
            dist_wait(&job->to_body, SHORT_WAIT);
        }
    }
    pthread_mutex_unlock(&job->lock);
    if (status == 1 && job->rank != 0) {
        job->transport->wake(); /* to ask ahead */
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
    job->transport->wake();
}

int dist_stopping(void)
{
    int reason = atomic_load(&dist_job.stop);

    return reason != 0 ? reason : atomic_load(&dist_job.asked);
}
