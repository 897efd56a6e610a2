/* choose.c - chooses the layout for several processes, on process 0, and checks the write path. */
#include "io/private.h"
#include "io/resume/record.h"

#include <errno.h>

bool edgefile_is_parallel(const edgefile_output *w)
{
    return w->path == EDGEFILE_PATH_HDF5 && w->size > 1 && w->layout == EDGEFILE_LAYOUT_SINGLE;
}

/* A single file, except on file systems that handle several writing hosts badly, if a serial HDF5
 * is to write, or if a single file may not be that long. */
edgefile_layout edgefile_choose_layout(const edgefile_output *w, const graphfile_spec *spec)
{
    if (w->layout != EDGEFILE_LAYOUT_AUTO) {
        return w->layout;
    }
    if (w->resumed) {
        return w->prior->n_parts > 1 ? EDGEFILE_LAYOUT_SHARDED : EDGEFILE_LAYOUT_SINGLE;
    }
    if (w->size == 1 || w->schema.format == EDGEFILE_CSR || w->schema.compressed) {
        return EDGEFILE_LAYOUT_SINGLE;
    }
    if (w->path == EDGEFILE_PATH_HDF5 && !edgefile_parallel_usable(w->group)) {
        return EDGEFILE_LAYOUT_SHARDED;
    }
    if (w->group->hosts > 1 && edgefile_filesystem_traits(w->partial) & EDGEFILE_FS_OWN_FILES) {
        return EDGEFILE_LAYOUT_SHARDED;
    }
    if (edgefile_partial_fits(w->lock_fd, w->name, 0, graphfile_bytes(spec)) != EDGEFILE_OK &&
        errno == EFBIG) {
        return EDGEFILE_LAYOUT_SHARDED;
    }
    return EDGEFILE_LAYOUT_SINGLE;
}

/* If two hosts write parts of one page on a file system that caches pages on each host, the later
 * one overwrites the part of the other.  Chunks take whole pages. */
static int check_pages(const edgefile_output *w)
{
    if (w->unaligned && !w->schema.compressed && w->group->hosts > 1 &&
        edgefile_filesystem_traits(w->partial) & EDGEFILE_FS_OWN_FILES) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "%s: %d hosts cannot write it on a file system of type %s: their parts would meet "
            "inside pages of the file, where one host would overwrite the other's data",
            w->name, w->group->hosts, edgefile_filesystem(w->partial));
    }
    return EDGEFILE_OK;
}

int edgefile_check_path(const edgefile_output *w)
{
    if (w->size == 1) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(check_pages(w));
    if (edgefile_is_parallel(w) && !edgefile_parallel_usable(w->group)) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "%s: several processes need parallel HDF5 (and an MPI that lets all "
            "threads call it) to write one file through HDF5, which this program lacks",
            w->name);
    }
    return EDGEFILE_OK;
}
