/*
 * measure.c - how long a file will be, found out by laying it out in memory, where its data are
 * holes and take no space.
 */
#include "io/private.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int edgefile_measure(const graphfile_spec *spec, uint64_t *bytes)
{
    char path[] = "/dev/shm/edgefile-XXXXXX";
    edgefile_part part = {.path = path};
    struct stat file;
    int fd, st;

    EDGEFILE_TRY(edgefile_spec_check(spec));
    EDGEFILE_TRY(edgefile_hdf5_need(path));
    fd = mkstemp(path);
    if (fd < 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", path);
    }
    part.edges = spec->graph.edges;
    st = edgefile_layout_create(&part, spec, NULL, 0);
    if (st == EDGEFILE_OK && fstat(fd, &file) != 0) {
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
    }
    if (st == EDGEFILE_OK) {
        *bytes = (uint64_t)file.st_size;
    }
    close(fd);
    unlink(path);
    return st;
}
