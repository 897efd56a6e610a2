/*
 * guard.c - calls HDF5 from any thread, and quietly.
 *
 * HDF5 is often built without thread safety, so all calls of this library go through one lock.  It
 * cannot cover HDF5 calls that the application makes on its own.  While the lock is held, HDF5's
 * printing of errors is replaced by keeping the first message, because later calls, even those that
 * clean up, clear HDF5's own stack of errors.
 */
#include "io/private.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static H5E_auto2_t saved_print;
static void *saved_data;
static char first_error[512];
static int first_status; /* what it was for, where HDF5 says: memory, or the disk; else 0 */

static herr_t keep_innermost(unsigned depth, const H5E_error2_t *error, void *data)
{
    (void)depth;
    (void)data;
    if (error->maj_num == H5E_RESOURCE || strstr(error->desc, "memory allocation failed") != NULL) {
        first_status = EDGEFILE_ERR_NOMEM;
    } else if (error->maj_num == H5E_IO && error->min_num == H5E_READERROR) {
        first_status = EDGEFILE_ERR_IO;
    }
    snprintf(first_error, sizeof first_error, "%s", error->desc);
    return 1; /* stop: from the innermost upward, the first is the cause */
}

static herr_t keep_first(hid_t stack, void *data)
{
    if (first_error[0] == '\0') {
        H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, data);
    }
    return 0;
}

/* A parallel HDF5 that is opened after MPI_Init() also closes everything in MPI_Finalize(). */
int edgefile_no_exit_handler(void)
{
    if (H5dont_atexit() < 0 || H5open() < 0) {
        return edgefile_fail(EDGEFILE_ERR_HDF5, "HDF5 could not start, perhaps for lack of memory");
    }
    return EDGEFILE_OK;
}

void edgefile_hdf5_begin(void)
{
    pthread_mutex_lock(&guard);
    first_error[0] = '\0';
    first_status = 0;
    H5Eget_auto2(H5E_DEFAULT, &saved_print, &saved_data);
    H5Eset_auto2(H5E_DEFAULT, keep_first, NULL);
}

void edgefile_hdf5_end(void)
{
    H5Eset_auto2(H5E_DEFAULT, saved_print, saved_data);
    pthread_mutex_unlock(&guard);
}

int edgefile_hdf5_fail(int status, const char *path, const char *what)
{
    /* Without a reason, HDF5 could not even begin. */
    if (first_status == 0 && first_error[0] == '\0' && status == EDGEFILE_ERR_FORMAT) {
        first_status = EDGEFILE_ERR_IO;
    }
    return edgefile_fail(first_status != 0 ? first_status : status, "%s: %s: %s", path, what,
                         first_error[0] == '\0' ? "HDF5 gives no reason" : first_error);
}

/* Superblock 2 and object headers with checksums, which HDF5 1.8 and later read, are written. */
hid_t edgefile_hdf5_access(bool writing)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    if (access >= 0 && (H5Pset_fapl_sec2(access) < 0 ||
                        H5Pset_libver_bounds(access, H5F_LIBVER_V18,
                                             writing ? H5F_LIBVER_V18 : H5F_LIBVER_LATEST) < 0 ||
                        H5Pset_file_locking(access, !writing, 1) < 0)) {
        H5Pclose(access);
        return -1;
    }
    return access;
}
