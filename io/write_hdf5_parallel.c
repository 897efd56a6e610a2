/*
 * write_hdf5_parallel.c - one file that several processes write through parallel HDF5.
 *
 * Independent: every process writes when it likes.  Collective: all write at once, in rounds.
 * Before each round the processes tell each other whether they have edges and whether one failed;
 * who has none takes part with an empty selection, and when nobody has any, all have drained.  So a
 * failure stops everybody before the next H5Dwrite().
 *
 * Open MPI's own MPI-IO (OMPIO, of 4.1) calls a collective write a success though an aggregator's
 * disk refused it, so its other one, ROMIO, is taken unless the user chose (OMPI_MCA_io).
 *
 * A collective H5Dwrite() that fails here may leave other processes inside theirs, where nothing
 * can reach them.  The process that failed waits for them for a while, and then has the job ended.
 */
#include "io/edgefile_impl.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PATIENCE_MS = 3000, PAUSE_US = 100 };

typedef struct {
    MPI_Comm comm; /* of our own: rounds and HDF5 do not meet the application's messages */
    hid_t transfer;
    pthread_mutex_t lock; /* one thread of a process at a time in a round */
    int over;             /* no more rounds: all drained, or one failed */
} parallel;

int edgefile_parallel_usable(const edgefile_group *group)
{
    return group != NULL && group->communicator != NULL;
}

static int open_parallel(edgefile_writer *w, edgefile_part *p)
{
    parallel *c = calloc(1, sizeof *c);
    hid_t access;
    int st;

    if (c == NULL)
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", p->path);
    setenv("OMPI_MCA_io", "^ompio", 0); /* counts until the first file is opened */
    w->parallel = c;
    pthread_mutex_init(&c->lock, NULL);
    MPI_Comm_dup(*(const MPI_Comm *)w->group->communicator, &c->comm);
    edgefile_hdf5_begin();
    c->transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(c->transfer, w->path == EDGEFILE_PATH_COLLECTIVE ? H5FD_MPIO_COLLECTIVE
                                                                      : H5FD_MPIO_INDEPENDENT);
    access = edgefile_hdf5_access(1);
    if (H5Pset_fapl_mpio(access, c->comm, MPI_INFO_NULL) < 0 ||
        H5Pset_all_coll_metadata_ops(access, 1) < 0)
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "opening the file");
    else
        st = edgefile_hdf5_open(p, access);
    H5Pclose(access);
    edgefile_hdf5_end();
    return st;
}

/* Everybody's flags summed.  Sleeps between looks: this thread shares its core with others.
 * Negative after so many milliseconds, if they are not 0. */
static int reduce(parallel *c, const int mine[2], int all[2], long patience_ms)
{
    MPI_Request request;
    int done = 0;

    MPI_Iallreduce(mine, all, 2, MPI_INT, MPI_SUM, c->comm, &request);
    for (long us = 0;; us += PAUSE_US) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return 0;
        if (patience_ms > 0 && us > 1000 * patience_ms)
            return -1;
        nanosleep(&(struct timespec){0, 1000L * PAUSE_US}, NULL);
    }
}

/* Tells the others that this process failed, if they can hear it. */
static void announce_failure(edgefile_writer *w, parallel *c, long patience_ms)
{
    int all[2];

    c->over = 1;
    if (reduce(c, (int[]){0, 1}, all, patience_ms) != 0 && w->group->abandon != NULL)
        w->group->abandon(w->group->state, edgefile_detail());
}

/* One round, with these edges or without any.  *more: there will be another. */
static int take_part(edgefile_writer *w, edgefile_part *p, uint64_t first, uint64_t count,
                     const void *const data[EDGEFILE_N_DATASETS], int *more)
{
    parallel *c = w->parallel;
    const int mine[2] = {count > 0, 0};
    int all[2], st = EDGEFILE_OK;

    *more = 0;
    if (!c->over)
        reduce(c, mine, all, 0);
    if (c->over || all[1] > 0) {
        c->over = 1;
        return edgefile_fail(EDGEFILE_ERR_PEER, "%s: another process failed", p->path);
    }
    if (all[0] == 0) {
        c->over = 1;
        return EDGEFILE_OK;
    }
    *more = 1;
    edgefile_hdf5_begin();
    /* After a failure in the first others may still be in it, and nobody would leave the second. */
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++)
        if (edgefile_hdf5_put(p->h5_dataset[i], w->id_bytes, first, count, c->transfer, data[i]) <
            0)
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "writing edges");
    edgefile_hdf5_end();
    if (st != EDGEFILE_OK)
        announce_failure(w, c, PATIENCE_MS);
    return st;
}

static int write_collective(edgefile_writer *w, edgefile_part *p, uint64_t first, uint64_t count,
                            const void *const data[EDGEFILE_N_DATASETS])
{
    parallel *c = w->parallel;
    uint64_t width = (uint64_t)w->id_bytes, most = EDGEFILE_MAX_CALL / width;
    int more, st = EDGEFILE_OK;

    pthread_mutex_lock(&c->lock);
    for (uint64_t done = 0; done < count && st == EDGEFILE_OK; done += most) {
        const void *from[EDGEFILE_N_DATASETS];
        for (int i = 0; i < EDGEFILE_N_DATASETS; i++)
            from[i] = (const char *)data[i] + done * width;
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

static int drain_parallel(edgefile_writer *w, int failed)
{
    static const char nothing[8];
    const void *const data[EDGEFILE_N_DATASETS] = {nothing, nothing};
    parallel *c = w->parallel;
    int st = EDGEFILE_OK;

    if (w->path != EDGEFILE_PATH_COLLECTIVE || c == NULL)
        return EDGEFILE_OK;
    pthread_mutex_lock(&c->lock);
    if (failed && !c->over)
        announce_failure(w, c, 0);
    for (int more = !c->over; more && st == EDGEFILE_OK;)
        st = take_part(w, &w->parts[0], 0, 0, data, &more);
    pthread_mutex_unlock(&c->lock);
    return st;
}

static int close_parallel(edgefile_writer *w, edgefile_part *p)
{
    parallel *c = w->parallel;
    int st;

    if (c == NULL)
        return EDGEFILE_OK;
    edgefile_hdf5_begin();
    st = edgefile_hdf5_close(p);
    H5Pclose(c->transfer);
    edgefile_hdf5_end();
    MPI_Comm_free(&c->comm);
    pthread_mutex_destroy(&c->lock);
    free(c);
    w->parallel = NULL;
    return st;
}

const edgefile_write_ops edgefile_parallel_ops = {open_parallel, write_parallel, drain_parallel,
                                                  close_parallel};
