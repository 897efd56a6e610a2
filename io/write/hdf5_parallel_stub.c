/* hdf5_parallel_stub.c - replaces hdf5_parallel.c if HDF5 or the build is serial. */
#include "io/output.h"

bool edgefile_parallel_usable(const edgefile_group *group)
{
    (void)group;
    return false;
}

const edgefile_write_ops edgefile_parallel_ops = {.open = NULL}; /* never used */
