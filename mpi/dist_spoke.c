/* A rank other than 0: its beats and what comes back. */
#include "mpi/dist.h"
#include "mpi/dist_star.h"

static struct {
    dist_beat beat;
    MPI_Request sent;
    bool under_way;
    double next, heard; /* the next beat is due; the last reply came */
    double ask_again;
    uint64_t ticket; /* what the beat under way settles */
} spoke;

void dist_spoke_begin(double now)
{
    spoke.under_way = false;
    spoke.next = spoke.ask_again = now;
    spoke.heard = now;
}

/* With the lock held. */
static bool wants_span(double now)
{
    return dist_job.sharing && !dist_job.have && !dist_job.no_more && now >= spoke.ask_again &&
           atomic_load(&dist_job.stop) == 0;
}

static bool send_beat(double now)
{
    struct dist_job *job = &dist_job;
    bool due = now >= spoke.next;

    pthread_mutex_lock(&job->lock);
    spoke.beat = (dist_beat){.done = atomic_load(&job->done),
                             .wants = wants_span(now),
                             .stop = atomic_load(&job->asked),
                             .ended = dist_ended()};
    spoke.ticket = job->tickets;
    due |= spoke.beat.wants || spoke.beat.ended || spoke.ticket != job->settled ||
           (spoke.beat.stop != 0 && atomic_load(&job->stop) == 0);
    pthread_mutex_unlock(&job->lock);
    if (!due) {
        return false;
    }
    MPI_Isend(&spoke.beat, sizeof spoke.beat, MPI_BYTE, 0, dist_mpi.tag, dist_mpi.star,
              &spoke.sent);
    spoke.under_way = true;
    spoke.next = now + dist_interval();
    return true;
}

static void take_in(const dist_reply *reply, double now)
{
    struct dist_job *job = &dist_job;

    pthread_mutex_lock(&job->lock);
    job->settled = spoke.ticket;
    if (reply->stop != 0) {
        atomic_store(&job->stop, reply->stop);
    }
    if (spoke.beat.wants && job->sharing) {
        job->have = reply->work == 1;
        job->no_more = reply->work == 0;
        job->first = reply->first;
        job->count = reply->count;
        if (reply->work == -1) {
            spoke.ask_again = now + dist_interval() / 2;
        }
    }
    pthread_cond_broadcast(&job->to_body);
    pthread_mutex_unlock(&job->lock);
}

bool dist_spoke_turn(double now, bool *over)
{
    dist_reply reply;
    /* Rank 1 first: one rank's word is enough, and a job takes a second or two to be aborted. */
    double stagger = 2.0 * (dist_job.rank - 1), most = dist_timeout() / 4;

    *over = false;
    if (!spoke.under_way && send_beat(now)) {
        return true;
    }
    if (spoke.under_way && dist_receive(&reply, sizeof reply, 0) == 0) {
        MPI_Wait(&spoke.sent, MPI_STATUS_IGNORE);
        spoke.under_way = false;
        spoke.heard = now;
        take_in(&reply, now);
        *over = reply.over;
        return true;
    }
    if (now - spoke.heard > dist_timeout() + (stagger < most ? stagger : most)) {
        dist_lose("rank 0 on host %s has not been heard of for %.0f s", dist_mpi.host,
                  now - spoke.heard);
    }
    return false;
}
