/* MPI's start and end, and who is where.  MPI starts only under a launcher: a lone MPI_Init() costs
 * time and, on some clusters' login nodes, fails. */
#include "mpi/dist_mpi.h"
#include "mpi/dist.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAVING_TURN 0.25 /* seconds */

struct dist_mpi dist_mpi = {.star = MPI_COMM_NULL, .collectives = MPI_COMM_NULL};

/* Each rank of this host says which processors it may use. */
static int count_processors(MPI_Comm local)
{
    size_t bytes;
    unsigned char *mine = dist_processor_mask(&bytes), *all = NULL;
    unsigned long least = bytes;
    int ranks, rank, count = 1, ready, everywhere;

    MPI_Comm_size(local, &ranks);
    MPI_Comm_rank(local, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UNSIGNED_LONG, MPI_MIN, local);
    if (least > 0) {
        all = malloc((size_t)ranks * least);
    }
    ready = all != NULL;
    MPI_Allreduce(&ready, &everywhere, 1, MPI_INT, MPI_MIN, local);
    if (everywhere) {
        MPI_Allgather(mine, (int)least, MPI_BYTE, all, (int)least, MPI_BYTE, local);
        count = dist_processor_share(all, least, ranks, rank);
    }
    free(all);
    free(mine);
    return count;
}

static void find_place(void)
{
    MPI_Comm local;
    int first;

    MPI_Comm_split_type(dist_mpi.star, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &dist_job.local_rank);
    MPI_Comm_size(local, &dist_job.local_size);
    first = dist_job.local_rank == 0;
    MPI_Allreduce(&first, &dist_job.hosts, 1, MPI_INT, MPI_SUM, dist_mpi.star);
    dist_job.processors = count_processors(local);
    MPI_Comm_free(&local);
}

/* Rank 0's name to all, all ranks' names to rank 0. */
static void name_hosts(void)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length;

    MPI_Get_processor_name(name, &length);
    snprintf(dist_mpi.host, sizeof dist_mpi.host, "%.*s", DIST_HOST_TEXT - 1, name);
    MPI_Gather(dist_mpi.host, DIST_HOST_TEXT, MPI_CHAR, dist_mpi.hosts, DIST_HOST_TEXT, MPI_CHAR, 0,
               dist_mpi.star);
    MPI_Bcast(dist_mpi.host, DIST_HOST_TEXT, MPI_CHAR, 0, dist_mpi.star);
}

/* What rank 0 keeps about all. */
static int allocate_for_ranks(void)
{
    size_t ranks = (size_t)dist_job.size;
    int ready = 1;

    if (dist_job.rank == 0) {
        dist_job.table = dist_table_create(dist_job.size);
        dist_mpi.hosts = calloc(ranks, sizeof dist_mpi.hosts[0]);
        ready =
            dist_hub_create(dist_job.size) == 0 && dist_job.table != NULL && dist_mpi.hosts != NULL;
    }
    MPI_Bcast(&ready, 1, MPI_INT, 0, dist_mpi.star);
    return ready ? DIST_OK : DIST_ERR_NOMEM;
}

/* MPI's own handler says so in lines of its own, and not what becomes of the output. */
static void call_failed(MPI_Comm *comm, int *code, ...)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", text[MPI_MAX_ERROR_STRING] = "";
    int length;

    (void)comm;
    MPI_Get_processor_name(name, &length);
    MPI_Error_string(*code, text, &length);
    dist_lose("rank %d on host %s: MPI failed: %s", dist_job.rank, name, text);
}

static void handle_errors(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(call_failed, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* for what has no communicator */
    MPI_Comm_set_errhandler(dist_mpi.star, handler);
    MPI_Comm_set_errhandler(dist_mpi.collectives, handler);
    MPI_Errhandler_free(&handler);
}

int dist_mpi_start(void)
{
    int provided, size, status;

    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        return DIST_ERR_MPI;
    }
    dist_job.transport = &dist_agent;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < dist_job.size) {
        return DIST_ERR_LAUNCHER;
    }
    dist_job.size = size;
    MPI_Comm_rank(MPI_COMM_WORLD, &dist_job.rank);
    if (provided < MPI_THREAD_FUNNELED) {
        return DIST_ERR_MPI;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &dist_mpi.star);
    MPI_Comm_dup(MPI_COMM_WORLD, &dist_mpi.collectives);
    status = allocate_for_ranks();
    if (status == DIST_OK) {
        name_hosts();
        find_place();
        handle_errors();
    }
    return status;
}

static void free_communicator(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL) {
        MPI_Comm_free(comm);
    }
}

/* While the ranks leave MPI, where each waits for all others: no beats are sent any more. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool left;
} leaving = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Ends this process, and so the job, when another rank does not leave in time.  Time counts while
 * this process runs: all may have been suspended. */
static void *watch_leaving(void *unused)
{
    const double stagger = 2.0 * dist_job.rank,
                 most = dist_mpi.timeout / 4; /* one rank's word will do */
    const double end = dist_mpi.timeout + (stagger < most ? stagger : most);
    double patience = 0, before = dist_now(), now;

    (void)unused;
    pthread_mutex_lock(&leaving.lock);
    while (!leaving.left && patience < end) {
        dist_wait(&leaving.changed, &leaving.lock, LEAVING_TURN);
        now = dist_now();
        patience += now - before < 2 * LEAVING_TURN ? now - before : 2 * LEAVING_TURN;
        before = now;
    }
    if (!leaving.left) {
        dist_say_lost("not all ranks have ended within %.0f s", patience);
        _exit(1); /* MPI_Abort() would wait in MPI like the main thread */
    }
    pthread_mutex_unlock(&leaving.lock);
    return NULL;
}

static bool start_watch(pthread_t *thread)
{
    if (dist_mpi.timeout <= 0) { /* nothing was run */
        return false;
    }
    dist_create_condition(&leaving.changed);
    return pthread_create(thread, NULL, watch_leaving, NULL) == 0;
}

static void end_watch(pthread_t thread)
{
    pthread_mutex_lock(&leaving.lock);
    leaving.left = true;
    pthread_cond_signal(&leaving.changed);
    pthread_mutex_unlock(&leaving.lock);
    pthread_join(thread, NULL);
}

void dist_mpi_stop(void)
{
    pthread_t watch;
    const bool watched = start_watch(&watch);

    free_communicator(&dist_mpi.star);
    free_communicator(&dist_mpi.collectives);
    dist_hub_destroy();
    free(dist_mpi.hosts);
    dist_mpi.hosts = NULL;
    MPI_Finalize();
    if (watched) {
        end_watch(watch);
    }
}

/* "Open MPI v4.1.4, package: ...": up to the comma. */
const char *dist_mpi_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) {
        return "unknown";
    }
    text[strcspn(text, ",\n")] = '\0';
    return text;
}
