/*
 * dist_mpi.c - all calls of MPI: its start and end, the places of the ranks, collective operations
 * and small messages.
 *
 * MPI starts only under a launcher, because a lone MPI_Init() costs time and fails on some
 * clusters' login nodes.  Several threads call MPI, one at a time (MPI_THREAD_SERIALIZED), under a
 * lock.  No thread holds the lock while it waits.  A call that fails ends the job
 * (MPI_ERRORS_ARE_FATAL).
 */
#include "mpi/dist_job.h"
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for calls of MPI */
static MPI_Comm ranks = MPI_COMM_NULL;                   /* all of the job */

enum { MESSAGE, ENDING };        /* tags */
enum { LAST_WORDS = 300000000 }; /* nanoseconds */

/* A bit for each processor; none if they are unknown.  The kernel refuses a mask that is smaller
 * than its own: Linux numbers up to 8192 processors. */
enum { MASK = 8192 / 8 };

/* Counts the processors.  Each rank of this host sends the set of processors that it may use. */
static int count_processors(MPI_Comm local)
{
    unsigned char mine[MASK], *all;
    int here, rank, count = 1, ready, everywhere;

    MPI_Comm_size(local, &here);
    MPI_Comm_rank(local, &rank);
    memset(mine, 0, sizeof mine);
    (void)sched_getaffinity(0, sizeof mine, (cpu_set_t *)(void *)mine);
    all = malloc((size_t)here * MASK);
    ready = all != NULL;
    MPI_Allreduce(&ready, &everywhere, 1, MPI_INT, MPI_MIN, local);
    if (everywhere) {
        MPI_Allgather(mine, MASK, MPI_BYTE, all, MASK, MPI_BYTE, local);
        count = dist_processor_share(all, MASK, here, rank);
    }
    free(all);
    return count;
}

static void find_place(void)
{
    MPI_Comm local;
    int first;

    MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &dist_here.local_rank);
    MPI_Comm_size(local, &dist_here.local_size);
    first = dist_here.local_rank == 0;
    MPI_Allreduce(&first, &dist_here.hosts, 1, MPI_INT, MPI_SUM, ranks);
    dist_here.processors = count_processors(local);
    MPI_Comm_free(&local);
}

static int start(void)
{
    int provided, size;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
        return DIST_ERR_MPI;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < dist_here.size) {
        return DIST_ERR_LAUNCHER;
    }
    dist_here.size = size;
    MPI_Comm_rank(MPI_COMM_WORLD, &dist_here.rank);
    if (provided < MPI_THREAD_SERIALIZED) {
        return DIST_ERR_MPI;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks);
    find_place();
    return DIST_OK;
}

static void stop(void)
{
    int initialized;

    if (ranks != MPI_COMM_NULL) {
        MPI_Comm_free(&ranks);
    }
    MPI_Initialized(&initialized);
    if (initialized) {
        MPI_Finalize();
    }
}

/* Informs rank 0 first.  The launcher may kill all ranks before it has passed on this rank's last
 * output, so the function waits a moment. */
static void abort_job(int status)
{
    MPI_Request request;

    pthread_mutex_lock(&lock);
    if (dist_here.rank > 0) {
        MPI_Isend(NULL, 0, MPI_BYTE, 0, ENDING, ranks, &request);
    }
    nanosleep(&(struct timespec){0, LAST_WORDS}, NULL);
    MPI_Abort(MPI_COMM_WORLD, status);
}

static int is_ending(void)
{
    int come = 0;

    pthread_mutex_lock(&lock);
    for (int attempt = 0; attempt < 2 && !come; attempt++) { /* as in receive_message() */
        MPI_Iprobe(MPI_ANY_SOURCE, ENDING, ranks, &come, MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&lock);
    return come;
}

static void wait_for(MPI_Request *request)
{
    double pause = DIST_SHORTEST_PAUSE;
    int complete;

    for (;;) {
        pthread_mutex_lock(&lock);
        MPI_Test(request, &complete, MPI_STATUS_IGNORE);
        pthread_mutex_unlock(&lock);
        if (complete) {
            return;
        }
        dist_poll();
        dist_pause(&pause, DIST_LONGEST_PAUSE);
    }
}

static void broadcast(void *data, size_t bytes, int root)
{
    MPI_Request request;

    pthread_mutex_lock(&lock);
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, root, ranks, &request);
    pthread_mutex_unlock(&lock);
    wait_for(&request);
}

static void reduce(uint64_t *values, size_t count, int least)
{
    MPI_Request request;

    pthread_mutex_lock(&lock);
    MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_UINT64_T, least ? MPI_MIN : MPI_SUM, ranks,
                   &request);
    pthread_mutex_unlock(&lock);
    wait_for(&request);
}

static void gather(const void *mine, size_t bytes, void *all)
{
    MPI_Request request;

    pthread_mutex_lock(&lock);
    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, ranks, &request);
    pthread_mutex_unlock(&lock);
    wait_for(&request);
}

/* Does not wait: MPI accepts a small message immediately. */
static void send_message(int rank, const void *message, size_t bytes)
{
    pthread_mutex_lock(&lock);
    MPI_Send(message, (int)bytes, MPI_BYTE, rank, MESSAGE, ranks);
    pthread_mutex_unlock(&lock);
}

/* A probe that finds nothing makes progress, and may let in the message that the next probe
 * finds. */
static int receive_message(void *message, size_t bytes)
{
    MPI_Status status = {.MPI_SOURCE = -1};
    int come = 0;

    pthread_mutex_lock(&lock);
    for (int attempt = 0; attempt < 2 && !come; attempt++) {
        MPI_Iprobe(MPI_ANY_SOURCE, MESSAGE, ranks, &come, &status);
    }
    if (come) {
        MPI_Recv(message, (int)bytes, MPI_BYTE, status.MPI_SOURCE, MESSAGE, ranks,
                 MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&lock);
    return come ? status.MPI_SOURCE : -1;
}

/* "Open MPI v4.1.4, package: ...": up to the comma. */
static const char *library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) {
        return "unknown";
    }
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

const dist_transport dist_mpi = {.start = start,
                                 .stop = stop,
                                 .abort = abort_job,
                                 .is_ending = is_ending,
                                 .broadcast = broadcast,
                                 .reduce = reduce,
                                 .gather = gather,
                                 .send = send_message,
                                 .receive = receive_message,
                                 .library = library};
