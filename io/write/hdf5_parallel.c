/*
 * hdf5_parallel.c - the write paths through parallel HDF5: one file that several processes write.
 *
 * Independent: every process writes whenever it likes.  Collective: all processes write at once, in
 * rounds.  Before each round the processes tell each other whether they have edges and whether one
 * of them failed.  A process without edges takes part with an empty selection; when no process has
 * edges, all have drained.  A failure thus stops everybody before the next H5Dwrite().
 *
 * Open MPI's own implementation of MPI-IO (OMPIO, of version 4.1) reports success for a collective
 * write that the disk of an aggregator refused.  Its other implementation, ROMIO, is used instead,
 * unless the user has chosen one (OMPI_MCA_io).
 *
 * A collective call that fails in one process may leave others inside theirs, where nothing can
 * reach them, or may itself wait for others.  All collective calls therefore have a deadline, after
 * which the job is ended.
 */
#include "io/private.h"
#include "io/write/watchdog.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PAUSE_NS = 100000 };

static const double FAILURE_SECONDS = 3; /* for the others, where a call failed here */

typedef struct {
    MPI_Comm comm; /* a duplicate, so that our messages and the application's do not mix */
    hid_t transfer;
    pthread_mutex_t lock;   /* held by the thread that is in a round */
    bool over;              /* no more rounds: all have drained, or one failed */
    edgefile_watchdog *dog; /* watches collective calls: opening and closing always are */
} parallel;

bool edgefile_parallel_usable(const edgefile_group *group)
{
    return group != NULL && group->communicator != NULL;
}

/* Sets the deadline for a call that all processes are about to make. */
static void begin_collective(const edgefile_writer *w, const char *what)
{
    const parallel *c = w->parallel;
    double seconds = w->group->patience;
    char text[1024];

    snprintf(text, sizeof text,
             "%.900s: a collective %s has not ended within %g s: another process may have failed "
             "in it",
             w->partial, what, seconds);
    edgefile_watchdog_set(c->dog, seconds, text);
}

static void end_collective(const edgefile_writer *w)
{
    edgefile_watchdog_set(((const parallel *)w->parallel)->dog, 0, "");
}

static int open_parallel(edgefile_writer *w, edgefile_part *p)
{
    parallel *c = calloc(1, sizeof *c);
    hid_t access;
    int st = EDGEFILE_OK;

    if (c == NULL) {
        st = edgefile_no_memory(p->path);
    } else {
        st = edgefile_watchdog_start(&c->dog, w->group);
    }
    st = edgefile_group_agree(w->group, st);
    if (st != EDGEFILE_OK) {
        if (c != NULL) {
            edgefile_watchdog_stop(c->dog);
        }
        free(c);
        return st;
    }
    setenv("OMPI_MCA_io", "^ompio", 0); /* has no effect once MPI has opened a file */
    w->parallel = c;
    pthread_mutex_init(&c->lock, NULL);
    begin_collective(w, "open");
    MPI_Comm_dup(*(const MPI_Comm *)w->group->communicator, &c->comm);
    edgefile_hdf5_begin();
    c->transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(c->transfer, w->path == EDGEFILE_PATH_COLLECTIVE ? H5FD_MPIO_COLLECTIVE
                                                                      : H5FD_MPIO_INDEPENDENT);
    access = edgefile_hdf5_access(true, false);
    if (H5Pset_fapl_mpio(access, c->comm, MPI_INFO_NULL) < 0 ||
        H5Pset_all_coll_metadata_ops(access, 1) < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "opening the file");
    } else {
        st = edgefile_hdf5_open(w, p, access);
    }
    H5Pclose(access);
    edgefile_hdf5_end();
    end_collective(w);
    return st;
}

/* Sums the flags of all processes.  Sleeps while it waits, as other threads need the core. */
static void reduce(parallel *c, const int mine[2], int all[2])
{
    MPI_Request request;
    int done = 0;

    MPI_Iallreduce(mine, all, 2, MPI_INT, MPI_SUM, c->comm, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) {
            return;
        }
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    }
}

/* Tells the others that this process failed. */
static void announce_failure(parallel *c)
{
    int all[2];

    c->over = true;
    reduce(c, (int[]){0, 1}, all);
}

/* Takes part in one round, perhaps without edges.  *more: there will be another round. */
static int take_part(edgefile_writer *w, edgefile_part *p, uint64_t first, uint64_t count,
                     const void *const data[EDGEFILE_N_DATASETS], bool *more)
{
    parallel *c = w->parallel;
    const int mine[2] = {count > 0, 0};
    int all[2], st = EDGEFILE_OK;

    *more = false;
    if (!c->over) {
        reduce(c, mine, all);
    }
    if (c->over || all[1] > 0) {
        c->over = true;
        return edgefile_fail(EDGEFILE_ERR_PEER, "%s: another process failed", p->path);
    }
    if (all[0] == 0) {
        c->over = true;
        return EDGEFILE_OK;
    }
    *more = true;
    begin_collective(w, "write");
    edgefile_hdf5_begin();
    /* After a failure stop at once: others may still be in this call, and would not come to the
     * next. */
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        hid_t type = edgefile_memory_type(&w->schema, i);
        if (edgefile_width(&w->schema, i) > 0 &&
            edgefile_hdf5_put(p->h5_dataset[i], type, first, count, c->transfer, data[i]) < 0) {
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "writing edges");
        }
    }
    edgefile_hdf5_end();
    if (st != EDGEFILE_OK) {
        edgefile_watchdog_set(c->dog, FAILURE_SECONDS, edgefile_detail());
        announce_failure(c);
    }
    end_collective(w);
    return st;
}

static int write_collective(edgefile_writer *w, edgefile_part *p, uint64_t first, uint64_t count,
                            const void *const data[EDGEFILE_N_DATASETS])
{
    parallel *c = w->parallel;
    uint64_t most = EDGEFILE_MAX_CALL / (uint64_t)w->schema.id_bytes;
    int st = EDGEFILE_OK;
    bool more;

    pthread_mutex_lock(&c->lock);
    for (uint64_t done = 0; done < count && st == EDGEFILE_OK; done += most) {
        const void *from[EDGEFILE_N_DATASETS];
        for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
            from[i] = data[i] == NULL
                          ? NULL
                          : (const char *)data[i] + done * (uint64_t)edgefile_width(&w->schema, i);
        }
        st = take_part(w, p, first + done, count - done < most ? count - done : most, from, &more);
    }
    pthread_mutex_unlock(&c->lock);
    return st;
}

static int write_parallel(edgefile_writer *w, edgefile_part *p, uint64_t first, uint64_t count,
                          const void *const data[EDGEFILE_N_DATASETS])
{
    const parallel *c = w->parallel;

    return w->path == EDGEFILE_PATH_COLLECTIVE
               ? write_collective(w, p, first, count, data)
               : edgefile_hdf5_write(w, p, first, count, data, c->transfer);
}

static int drain_parallel(edgefile_writer *w, bool failed)
{
    static const char nothing[8];
    const void *const data[EDGEFILE_N_DATASETS] = {nothing, nothing, nothing};
    parallel *c = w->parallel;
    int st = EDGEFILE_OK;

    if (w->path != EDGEFILE_PATH_COLLECTIVE || c == NULL) {
        return EDGEFILE_OK;
    }
    pthread_mutex_lock(&c->lock);
    if (failed && !c->over) {
        announce_failure(c);
    }
    for (bool more = !c->over; more && st == EDGEFILE_OK;) {
        st = take_part(w, &w->parts[0], 0, 0, data, &more);
    }
    pthread_mutex_unlock(&c->lock);
    return st;
}

/* A file that nobody will see stays open within HDF5: to close it, HDF5 writes to it once more, and
 * where that fails in one process, the others wait for it in there. */
static int close_parallel(edgefile_writer *w, edgefile_part *p)
{
    parallel *c = w->parallel;
    int all[2], st = EDGEFILE_OK;

    if (c == NULL) {
        return EDGEFILE_OK;
    }
    /* Without a deadline: another process may be in a long sync. */
    reduce(c, (int[]){0, w->given_up}, all);
    begin_collective(w, "close");
    edgefile_hdf5_begin();
    if (all[1] == 0) {
        st = edgefile_hdf5_close(p);
    }
    H5Pclose(c->transfer);
    edgefile_hdf5_end();
    MPI_Comm_free(&c->comm);
    edgefile_watchdog_stop(c->dog);
    pthread_mutex_destroy(&c->lock);
    free(c);
    w->parallel = NULL;
    return st;
}

const edgefile_write_ops edgefile_parallel_ops = {.open = open_parallel,
                                                  .write = write_parallel,
                                                  .drain = drain_parallel,
                                                  .close = close_parallel};
