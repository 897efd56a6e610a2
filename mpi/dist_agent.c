/*
 * dist_agent.c - a run of several ranks: the body in a thread, and here, in the main thread,
 * everything that calls MPI: collective operations, the beats of the star (below), and the
 * loop over both.
 *
 * MPI's waiting calls keep a core busy, so the agent never waits in MPI: it tries what may have
 * come, and sleeps between tries, the longer the less there is to do, unless the body wakes it.
 */
#include "mpi/dist.h"
#include "mpi/dist_mpi.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BEAT_SECONDS   0.1
#define MOST_BEATS     10000.0 /* per second, at rank 0 */
#define SHORTEST_PAUSE 50e-6
#define LONGEST_PAUSE  4e-3
#define LONGEST_DURING 1e-3 /* an operation */
#define LONGEST_TURN   1.0  /* a longer one: this process was suspended */
#define LAST_WORDS     0.5

enum { STACK_BYTES = 8 << 20, LOST_TEXT = 256, MANY = 4096 };

/*
 * Ranks keep in touch in a star around rank 0.
 *
 * A rank sends a beat to rank 0, every interval seconds and whenever it has something to say, and
 * rank 0 replies to each: so either side hears of the other.  A rank has one beat under way at
 * most, and rank 0 hence one reply to it.  When its body has returned, a rank's beats are held by
 * rank 0 for an interval, or until all bodies have: that reply says `over`, and ends the run there.
 *
 * A rank that knows so may begin the next run before rank 0 has told all others.  Messages of one
 * run and of the next hence have different tags: what is early waits.
 */
typedef struct {
    uint64_t done;
    int32_t wants; /* a span */
    int32_t stop;  /* the reason that this rank asks for, or 0 */
    int32_t ended; /* the body has returned */
} dist_beat;

typedef struct {
    uint64_t first, count;
    int32_t work; /* as dist_table_take() returns */
    int32_t stop; /* the job's reason, or 0 */
    int32_t over;
} dist_reply;

static struct {
    int (*body)(void *argument);
    void *argument;
    int status; /* what the body returned */
    bool threadless;
    atomic_bool ended;

    double interval;
    void (*lost)(const char *text);
    double stop_known; /* since when, or < 0 */

    pthread_cond_t wake;
    bool woken;
    dist_op *posted, *under_way;
} agent;

void dist_say_lost(const char *format, ...)
{
    char text[LOST_TEXT];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (agent.lost != NULL) { /* a run has begun */
        agent.lost(text);
    }
    /* The launcher may kill all ranks before it has passed on what the last one printed. */
    nanosleep(&(struct timespec){0, (long)(1e9 * LAST_WORDS)}, NULL);
}

/* A probe that finds nothing makes progress, and may so have let in what the next one finds. */
static int receive_message(void *message, size_t size, int source)
{
    MPI_Status status;
    int come = 0;

    for (int attempt = 0; attempt < 2 && !come; attempt++) {
        MPI_Iprobe(source, dist_mpi.tag, dist_mpi.star, &come, &status);
    }
    if (!come) {
        return -1;
    }
    MPI_Recv(message, (int)size, MPI_BYTE, status.MPI_SOURCE, dist_mpi.tag, dist_mpi.star,
             MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

size_t dist_mpi_piece = (size_t)1 << 30;

/* A collective operation of any size, in pieces, since MPI's counts are ints. */
static struct {
    size_t at, piece; /* of dist_op.count: done, and under way */
    MPI_Request request;
    MPI_Datatype whole, strided; /* of DIST_GATHER: a piece, and one of each rank's */
} piecewise = {.request = MPI_REQUEST_NULL};

static size_t element_bytes(const dist_op *op)
{
    return op->kind == DIST_SUM || op->kind == DIST_MIN ? sizeof(uint64_t) : 1;
}

static void begin_piece(const dist_op *op)
{
    MPI_Comm comm = dist_mpi.collectives;
    char *data = op->data;
    size_t rest = op->count - piecewise.at, most = dist_mpi_piece / element_bytes(op);
    int count;

    piecewise.piece = rest < most ? rest : most;
    count = (int)piecewise.piece;
    data += piecewise.at * element_bytes(op);
    switch (op->kind) {
    case DIST_BROADCAST:
        MPI_Ibcast(data, count, MPI_BYTE, op->root, comm, &piecewise.request);
        break;
    case DIST_SUM:
    case DIST_MIN:
        MPI_Iallreduce(MPI_IN_PLACE, data, count, MPI_UINT64_T,
                       op->kind == DIST_SUM ? MPI_SUM : MPI_MIN, comm, &piecewise.request);
        break;
    case DIST_GATHER:
        MPI_Type_contiguous(count, MPI_BYTE, &piecewise.whole);
        MPI_Type_create_resized(piecewise.whole, 0, (MPI_Aint)op->count, &piecewise.strided);
        MPI_Type_commit(&piecewise.strided);
        MPI_Iallgather((const char *)op->mine + piecewise.at, count, MPI_BYTE, data, 1,
                       piecewise.strided, comm, &piecewise.request);
        break;
    }
}

static bool turn_operation(const dist_op *op)
{
    int complete;

    if (op->count == 0) {
        return true;
    }
    MPI_Test(&piecewise.request, &complete, MPI_STATUS_IGNORE);
    if (!complete) {
        return false;
    }
    if (op->kind == DIST_GATHER) {
        MPI_Type_free(&piecewise.strided);
        MPI_Type_free(&piecewise.whole);
    }
    piecewise.at += piecewise.piece;
    if (piecewise.at == op->count) {
        return true;
    }
    begin_piece(op);
    return false;
}

/* A rank other than 0: its beats and what comes back. */
static struct {
    dist_beat beat;
    MPI_Request sent;
    bool under_way;
    double next, heard; /* the next beat is due; the last reply came */
    double ask_again;
    uint64_t ticket; /* what the beat under way settles */
} spoke;

static void begin_spoke(double now)
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
                             .ended = atomic_load(&agent.ended)};
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
    spoke.next = now + agent.interval;
    return true;
}

static void take_in_reply(const dist_reply *reply, double now)
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
            spoke.ask_again = now + agent.interval / 2;
        }
    }
    pthread_cond_broadcast(&job->to_body);
    pthread_mutex_unlock(&job->lock);
}

static bool turn_spoke(double now, bool *over)
{
    dist_reply reply;
    /* Rank 1 first: one rank's word is enough, and a job takes a second or two to be aborted. */
    double stagger = 2.0 * (dist_job.rank - 1), most = dist_mpi.timeout / 4;

    *over = false;
    if (!spoke.under_way && send_beat(now)) {
        return true;
    }
    if (spoke.under_way && receive_message(&reply, sizeof reply, 0) == 0) {
        MPI_Wait(&spoke.sent, MPI_STATUS_IGNORE);
        spoke.under_way = false;
        spoke.heard = now;
        take_in_reply(&reply, now);
        *over = reply.over;
        return true;
    }
    if (now - spoke.heard > dist_mpi.timeout + (stagger < most ? stagger : most)) {
        dist_lose("rank 0 on host %s has not been heard of for %.0f s", dist_mpi.host,
                  now - spoke.heard);
    }
    return false;
}

/* Rank 0: answers the others' beats and notices who is silent. */
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

static void begin_hub(double now)
{
    for (int r = 1; r < dist_job.size; r++) {
        hub.peers[r] = (peer){.sent = MPI_REQUEST_NULL, .heard = now};
    }
    hub.ended = hub.released = 0;
    hub.over = false;
    hub.check = now;
}

/* The reply before has arrived, or there would not be a beat to answer: no real wait. */
static void answer_beat(int rank)
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

static void take_in_beat(int rank, const dist_beat *beat, dist_reply *reply)
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

static bool receive_beat(double now)
{
    dist_beat beat;
    int rank = receive_message(&beat, sizeof beat, MPI_ANY_SOURCE);
    peer *p;

    if (rank < 0) {
        return false;
    }
    p = &hub.peers[rank];
    p->heard = now;
    take_in_beat(rank, &beat, &p->reply);
    if (beat.ended && !p->ended) {
        p->ended = true;
        hub.ended++;
    }
    p->held = true;
    if (!beat.ended || hub.over) {
        answer_beat(rank);
    }
    return true;
}

static void check_peers(double now)
{
    for (int r = 1; r < dist_job.size; r++) {
        peer *p = &hub.peers[r];

        if (p->held) {
            answer_beat(r);
        } else if (!p->released && now - p->heard > dist_mpi.timeout) {
            dist_lose("rank %d on host %s has not been heard of for %.0f s", r, dist_mpi.hosts[r],
                      now - p->heard);
        }
    }
}

static bool turn_hub(double now, bool *over)
{
    bool busy = false;

    while (receive_beat(now)) {
        busy = true;
    }
    if (!hub.over && hub.ended == dist_job.size - 1 && atomic_load(&agent.ended)) {
        hub.over = true;
        hub.check = now; /* release those that are held */
    }
    if (now >= hub.check) {
        check_peers(now);
        hub.check = now + agent.interval;
    }
    *over = hub.released == dist_job.size - 1;
    if (*over) {
        for (int r = 1; r < dist_job.size; r++) {
            MPI_Wait(&hub.peers[r].sent, MPI_STATUS_IGNORE);
        }
    }
    return busy;
}

/* --- called from the body --- */
static void wake_agent(void)
{
    pthread_mutex_lock(&dist_job.lock);
    agent.woken = true;
    pthread_cond_signal(&agent.wake);
    pthread_mutex_unlock(&dist_job.lock);
}

static void post_collective(dist_op *op)
{
    pthread_mutex_lock(&dist_job.lock);
    agent.posted = op;
    agent.woken = true;
    pthread_cond_signal(&agent.wake);
    while (!op->done) {
        pthread_cond_wait(&dist_job.to_body, &dist_job.lock);
    }
    pthread_mutex_unlock(&dist_job.lock);
}

static void settle_with_rank_0(void)
{
    uint64_t ticket;

    if (dist_job.rank == 0) {
        return;
    }
    pthread_mutex_lock(&dist_job.lock);
    ticket = ++dist_job.tickets;
    agent.woken = true;
    pthread_cond_signal(&agent.wake);
    while (dist_job.settled < ticket) {
        pthread_cond_wait(&dist_job.to_body, &dist_job.lock);
    }
    pthread_mutex_unlock(&dist_job.lock);
}

/* No body runs anywhere unless there is a thread for it everywhere. */
static void *run_body(void *unused)
{
    uint64_t threads = 1;

    (void)unused;
    dist_collective((dist_op){.kind = DIST_MIN, .data = &threads, .count = 1});
    agent.status = threads == 1 ? agent.body(agent.argument) : DIST_ERR_NOMEM;
    atomic_store(&agent.ended, true);
    wake_agent();
    return NULL;
}

/* --- the agent --- */
static bool turn_op(void)
{
    bool busy = false, complete;

    if (agent.under_way == NULL) {
        pthread_mutex_lock(&dist_job.lock);
        agent.under_way = agent.posted;
        agent.posted = NULL;
        pthread_mutex_unlock(&dist_job.lock);
        if (agent.under_way == NULL) {
            return false;
        }
        piecewise.at = 0;
        if (agent.under_way->count > 0) {
            begin_piece(agent.under_way);
        }
        busy = true;
    }
    complete = turn_operation(agent.under_way);
    if (!complete) {
        return busy;
    }
    pthread_mutex_lock(&dist_job.lock);
    agent.under_way->done = true;
    agent.under_way = NULL;
    pthread_cond_broadcast(&dist_job.to_body);
    pthread_mutex_unlock(&dist_job.lock);
    if (agent.threadless) {
        atomic_store(&agent.ended, true);
    }
    return true;
}

/* Those who asked for the stop know why: they speak first. */
static void watch_stop(double now)
{
    double grace = atomic_load(&dist_job.asked) != 0 ? 0 : 2;

    if (dist_stopping() == 0) {
        return;
    }
    if (agent.stop_known < 0) {
        agent.stop_known = now;
    }
    if (now - agent.stop_known > dist_mpi.timeout + grace) {
        dist_lose("not all ranks have stopped within %.0f s", now - agent.stop_known);
    }
}

/* Much data moves on a little with each try. */
static double next_pause(double pause)
{
    double longest = agent.under_way == NULL         ? LONGEST_PAUSE
                     : agent.under_way->count > MANY ? SHORTEST_PAUSE
                                                     : LONGEST_DURING;

    return 2 * pause < longest ? 2 * pause : longest;
}

static void agent_loop(void)
{
    double before = dist_now(), longest = dist_mpi.timeout / 4, pause = SHORTEST_PAUSE;
    double patience = 0; /* time that passed while this process ran */
    bool over = false;

    if (longest > LONGEST_TURN) {
        longest = LONGEST_TURN;
    }
    if (dist_job.rank == 0) {
        begin_hub(patience);
    } else {
        begin_spoke(patience);
    }
    while (!over) {
        double now = dist_now();
        bool busy;

        patience += now - before < longest ? now - before : longest;
        before = now;
        busy = dist_job.rank == 0 ? turn_hub(patience, &over) : turn_spoke(patience, &over);
        busy |= turn_op();
        watch_stop(patience);
        pause = next_pause(pause);
        pthread_mutex_lock(&dist_job.lock);
        if (!agent.woken && !busy && !over) {
            dist_wait(&agent.wake, &dist_job.lock, pause);
        }
        if (agent.woken || busy) {
            pause = SHORTEST_PAUSE;
        }
        agent.woken = false;
        pthread_mutex_unlock(&dist_job.lock);
    }
}

static int start_thread(pthread_t *thread)
{
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);

    if (status == 0) {
        pthread_attr_setstacksize(&attributes, STACK_BYTES);
        status = pthread_create(thread, &attributes, run_body, NULL);
        pthread_attr_destroy(&attributes);
    }
    return status;
}

static int run_with_agent(int (*body)(void *), void *argument, double timeout_seconds,
                          void (*lost)(const char *))
{
    uint64_t threads = 0;
    dist_op none = {.kind = DIST_MIN, .data = &threads, .count = 1};
    pthread_t thread;

    dist_create_condition(&agent.wake);
    agent.body = body;
    agent.argument = argument;
    agent.status = DIST_ERR_NOMEM;
    agent.lost = lost;
    dist_mpi.timeout = timeout_seconds;
    agent.interval = dist_job.size / MOST_BEATS;
    if (agent.interval < BEAT_SECONDS) {
        agent.interval = BEAT_SECONDS;
    }
    if (agent.interval > timeout_seconds / 4) {
        agent.interval = timeout_seconds / 4;
    }
    agent.stop_known = -1;
    dist_mpi.tag = !dist_mpi.tag;
    atomic_store(&agent.ended, false);
    agent.threadless = start_thread(&thread) != 0;
    if (agent.threadless) {
        agent.posted = &none;
    }
    agent_loop();
    if (!agent.threadless) {
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&agent.wake);
    return agent.status;
}

const dist_transport dist_agent = {.start = dist_mpi_start,
                                   .stop = dist_mpi_stop,
                                   .run = run_with_agent,
                                   .collective = post_collective,
                                   .settle = settle_with_rank_0,
                                   .wake = wake_agent,
                                   .library = dist_mpi_library};
