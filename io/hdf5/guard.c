/*
 * guard.c - calls HDF5 from any thread, without its error messages on standard error.
 *
 * HDF5 is often built without thread safety, so all calls of this library go through one lock.  It
 * cannot cover HDF5 calls that the application makes.  While the lock is held, a callback replaces
 * HDF5's printing of errors and keeps the first message.  Later calls, even those that clean up,
 * clear HDF5's own stack of errors.
 */
#include "io/hdf5.h"

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static H5E_auto2_t saved_print;
static void *saved_data;
static char first_error[512];
static int first_status; /* EDGEFILE_OK unless the system failed, not the file */

/* The system failure behind HDF5's innermost error; EDGEFILE_OK: none.  The pairs of numbers are
 * the errors of HDF5's driver, of a file's name, of a file that is open already, and of its
 * allocations. */
static int status_of(const H5E_error2_t *error)
{
    const hid_t major = error->maj_num, minor = error->min_num;

    if (major == H5E_RESOURCE || minor == H5E_NOSPACE || minor == H5E_CANTALLOC) {
        return EDGEFILE_ERR_NOMEM;
    }
    if (major == H5E_IO && (minor == H5E_READERROR || minor == H5E_CANTCLOSEFILE)) {
        return EDGEFILE_ERR_IO;
    }
    if (minor == H5E_CANTLOCKFILE ||
        (major == H5E_FILE && (minor == H5E_CANTOPENFILE || minor == H5E_CANTGET ||
                               minor == H5E_BADFILE || minor == H5E_CANTINIT))) {
        return EDGEFILE_ERR_OPEN;
    }
    return EDGEFILE_OK;
}

static herr_t keep_innermost(unsigned depth, const H5E_error2_t *error, void *data)
{
    (void)depth;
    (void)data;
    first_status = status_of(error);
    snprintf(first_error, sizeof first_error, "%s", error->desc);
    return 1; /* stop: HDF5 walks from the innermost error upward, and the first is the cause */
}

static herr_t keep_first(hid_t stack, void *data)
{
    if (first_error[0] == '\0') {
        H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, data);
    }
    return 0;
}

void edgefile_hdf5_begin(void)
{
    pthread_mutex_lock(&guard);
    first_error[0] = '\0';
    first_status = EDGEFILE_OK;
    H5Eget_auto2(H5E_DEFAULT, &saved_print, &saved_data);
    H5Eset_auto2(H5E_DEFAULT, keep_first, NULL);
}

void edgefile_hdf5_end(void)
{
    H5Eset_auto2(H5E_DEFAULT, saved_print, saved_data);
    pthread_mutex_unlock(&guard);
}

/* A parallel HDF5 that is opened after MPI_Init() also closes everything in MPI_Finalize(). */
int edgefile_no_exit_handler(void)
{
    if (H5dont_atexit() < 0 || H5open() < 0) {
        return edgefile_fail(EDGEFILE_ERR_HDF5, "HDF5 could not start, perhaps for lack of memory");
    }
    return EDGEFILE_OK;
}

int edgefile_hdf5_version(char version[EDGEFILE_HDF5_VERSION])
{
    unsigned major = 0, minor = 0, release = 0;

    edgefile_hdf5_begin();
    H5get_libversion(&major, &minor, &release);
    edgefile_hdf5_end();
    snprintf(version, EDGEFILE_HDF5_VERSION, "%u.%u.%u", major, minor, release);
    return EDGEFILE_OK;
}

int edgefile_hdf5_fail(int status, const char *path, const char *what)
{
    /* Without a reason from HDF5: HDF5 failed before it could begin. */
    if (first_status == EDGEFILE_OK && first_error[0] == '\0' && status == EDGEFILE_ERR_FORMAT) {
        first_status = EDGEFILE_ERR_IO;
    }
    return edgefile_fail(first_status != EDGEFILE_OK ? first_status : status, "%s: %s: %s", path,
                         what, first_error[0] == '\0' ? "HDF5 gives no reason" : first_error);
}

/* Writes superblock 2 and object headers with checksums, which HDF5 1.8 and later read. */
hid_t edgefile_hdf5_access(bool writing, bool locking)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    if (access >= 0 && (H5Pset_fapl_sec2(access) < 0 ||
                        H5Pset_libver_bounds(access, H5F_LIBVER_V18,
                                             writing ? H5F_LIBVER_V18 : H5F_LIBVER_LATEST) < 0 ||
                        H5Pset_file_locking(access, locking, 1) < 0)) {
        H5Pclose(access);
        return -1;
    }
    return access;
}
