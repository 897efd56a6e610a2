/* io/write/hdf5_parallel_stub.c - in place of io/write/hdf5_parallel.c where HDF5 or the build is
 * serial.
 */
#include "io/private.h"

int edgefile_parallel_usable(const edgefile_group *group)
{
    (void)group;
    return 0;
}

const edgefile_write_ops edgefile_parallel_ops = {NULL, NULL, NULL, NULL}; /* never used */
