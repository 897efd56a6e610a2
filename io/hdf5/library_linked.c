/* library_linked.c - in place of library.c where HDF5 is linked: it is always there. */
#include "io/hdf5_layout.h"

#include <stdio.h>

int edgefile_hdf5_load(const char *name)
{
    (void)name;
    return EDGEFILE_OK;
}

bool edgefile_hdf5_is_loaded(void)
{
    return true;
}

/* A parallel HDF5 that is opened after MPI_Init() also closes everything in MPI_Finalize(). */
int edgefile_no_exit_handler(void)
{
    if (H5dont_atexit() < 0 || H5open() < 0) {
        return edgefile_fail(EDGEFILE_ERR_HDF5, "HDF5 could not start, perhaps for lack of memory");
    }
    return EDGEFILE_OK;
}

int edgefile_hdf5_describe(char version[EDGEFILE_HDF5_VERSION], char *path, size_t size)
{
    unsigned major = 0, minor = 0, release = 0;

    edgefile_hdf5_begin();
    H5get_libversion(&major, &minor, &release);
    edgefile_hdf5_end();
    snprintf(version, EDGEFILE_HDF5_VERSION, "%u.%u.%u", major, minor, release);
    if (path != NULL) {
        snprintf(path, size, "%s", "");
    }
    return EDGEFILE_OK;
}
