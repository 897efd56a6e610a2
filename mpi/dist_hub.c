/* Rank 0: answers the others' beats and notices who is silent. */
#include "mpi/dist.h"
#include "mpi/dist_star.h"
#include <stdlib.h>

typedef struct {
    dist_reply reply;
    MPI_Request sent;
    double heard;
    bool ended;    /* its body has returned */
    bool held;     /* its beat waits for a reply */
    bool released; /* it was told that all is over */
} peer;

static struct {
    peer *peers; /* by rank; [0] is not used */
    int ended, released;
    bool over;    /* all bodies have returned */
    double check; /* when to look at all peers next */
} hub;

int dist_hub_create(int ranks)
{
    hub.peers = calloc((size_t)ranks, sizeof hub.peers[0]);
    return hub.peers != NULL ? 0 : -1;
}

void dist_hub_destroy(void)
{
    free(hub.peers);
    hub.peers = NULL;
}

void dist_hub_begin(double now)
{
    for (int r = 1; r < dist_job.size; r++) {
        hub.peers[r] = (peer){.sent = MPI_REQUEST_NULL, .heard = now};
    }
    hub.ended = hub.released = 0;
    hub.over = false;
    hub.check = now;
}

/* The reply before has arrived, or there would not be a beat to answer: no real wait. */
static void answer(int rank)
{
    peer *p = &hub.peers[rank];

    MPI_Wait(&p->sent, MPI_STATUS_IGNORE);
    p->reply.stop = atomic_load(&dist_job.stop);
    p->reply.over = hub.over;
    p->held = false;
    if (hub.over) {
        p->released = true;
        hub.released++;
    }
    MPI_Isend(&p->reply, sizeof p->reply, MPI_BYTE, rank, dist_mpi.tag, dist_mpi.star, &p->sent);
}

static void take_in(int rank, const dist_beat *beat, dist_reply *reply)
{
    struct dist_job *job = &dist_job;
    double now = dist_now();

    pthread_mutex_lock(&job->lock);
    if (atomic_load(&job->stop) == 0) {
        atomic_store(&job->stop, beat->stop);
    }
    dist_table_report(job->table, rank, beat->done, now);
    if (beat->wants && atomic_load(&job->stop) == 0) {
        reply->work = dist_table_take(job->table, rank, now, &reply->first, &reply->count);
    } else {
        reply->work = 0;
    }
    pthread_mutex_unlock(&job->lock);
}

static bool receive(double now)
{
    dist_beat beat;
    int rank = dist_receive(&beat, sizeof beat, MPI_ANY_SOURCE);
    peer *p;

    if (rank < 0) {
        return false;
    }
    p = &hub.peers[rank];
    p->heard = now;
    take_in(rank, &beat, &p->reply);
    if (beat.ended && !p->ended) {
        p->ended = true;
        hub.ended++;
    }
    p->held = true;
    if (!beat.ended || hub.over) {
        answer(rank);
    }
    return true;
}

static void check_all(double now)
{
    for (int r = 1; r < dist_job.size; r++) {
        peer *p = &hub.peers[r];

        if (p->held) {
            answer(r);
        } else if (!p->released && now - p->heard > dist_timeout()) {
            dist_lose("rank %d on host %s has not been heard of for %.0f s", r, dist_mpi.hosts[r],
                      now - p->heard);
        }
    }
}

bool dist_hub_turn(double now, bool *over)
{
    bool busy = false;

    while (receive(now)) {
        busy = true;
    }
    if (!hub.over && hub.ended == dist_job.size - 1 && dist_ended()) {
        hub.over = true;
        hub.check = now; /* release those that are held */
    }
    if (now >= hub.check) {
        check_all(now);
        hub.check = now + dist_interval();
    }
    *over = hub.released == dist_job.size - 1;
    if (*over) {
        for (int r = 1; r < dist_job.size; r++) {
            MPI_Wait(&hub.peers[r].sent, MPI_STATUS_IGNORE);
        }
    }
    return busy;
}
