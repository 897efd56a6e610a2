/*
 * hdf5_parallel.c - the write path through parallel HDF5: one file that several processes write,
 * each whenever it has edges.
 *
 * Open MPI's own implementation of MPI-IO (OMPIO, of version 4.1) reported success for writes that
 * the disk had refused.  Its other implementation, ROMIO, is used instead, unless the user has
 * chosen one (OMPI_MCA_io).
 *
 * Opening and closing are collective.  A collective call that fails in one process may leave others
 * inside theirs, where nothing can reach them, or may itself wait for others.  Both calls therefore
 * have a deadline, after which the job is ended.
 */
#include "io/output.h"
#include "io/write/watchdog.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PAUSE_NS = 100000 };

typedef struct {
    MPI_Comm comm; /* a duplicate, so that our messages and the application's do not mix */
    hid_t transfer;
    edgefile_watchdog *dog; /* watches collective calls */
} parallel;

bool edgefile_parallel_usable(const edgefile_group *group)
{
    return group != NULL && group->communicator != NULL;
}

/* Sets the deadline for a call that all processes are about to make. */
static void begin_collective(const edgefile_output *w, const char *what)
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

static void end_collective(const edgefile_output *w)
{
    edgefile_watchdog_set(((const parallel *)w->parallel)->dog, 0, "");
}

static int open_parallel(edgefile_output *w, edgefile_part *p)
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
    begin_collective(w, "open");
    MPI_Comm_dup(*(const MPI_Comm *)w->group->communicator, &c->comm);
    edgefile_hdf5_begin();
    c->transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(c->transfer, H5FD_MPIO_INDEPENDENT);
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

/* Is the flag set in any process?  Sleeps while it waits, as other threads need the core. */
static bool any(MPI_Comm comm, bool flag)
{
    const int mine = flag;
    MPI_Request request;
    int all, done = 0;

    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MAX, comm, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) {
            return all != 0;
        }
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    }
}

static int write_parallel(edgefile_output *w, edgefile_part *p, uint64_t first, uint64_t count,
                          const void *const data[EDGEFILE_N_DATASETS])
{
    return edgefile_hdf5_write(w, p, first, count, data, ((const parallel *)w->parallel)->transfer);
}

/* A file that nobody will see stays open within HDF5: to close it, HDF5 writes to it once more, and
 * where that fails in one process, the others wait for it in there. */
static int close_parallel(edgefile_output *w, edgefile_part *p)
{
    parallel *c = w->parallel;
    bool given_up;
    int st = EDGEFILE_OK;

    if (c == NULL) {
        return EDGEFILE_OK;
    }
    /* Without a deadline: another process may be in a long sync. */
    given_up = any(c->comm, w->given_up);
    begin_collective(w, "close");
    edgefile_hdf5_begin();
    if (!given_up) {
        st = edgefile_hdf5_close(p);
    }
    H5Pclose(c->transfer);
    edgefile_hdf5_end();
    MPI_Comm_free(&c->comm);
    edgefile_watchdog_stop(c->dog);
    free(c);
    w->parallel = NULL;
    return st;
}

const edgefile_write_ops edgefile_parallel_ops = {
    .open = open_parallel, .write = write_parallel, .close = close_parallel};
