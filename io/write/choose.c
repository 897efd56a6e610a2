/* choose.c - chooses the layout and the write path for several processes, on process 0. */
#include "io/private.h"
#include "io/resume/record.h"

#include <errno.h>

bool edgefile_is_parallel(edgefile_path path)
{
    return path == EDGEFILE_PATH_INDEPENDENT || path == EDGEFILE_PATH_COLLECTIVE;
}

/* A single file, except on file systems that handle several writing hosts badly, if a serial HDF5
 * is to write, or if a single file may not be that long. */
edgefile_layout edgefile_choose_layout(edgefile_writer *w, const edgefile_spec *spec)
{
    if (w->layout != EDGEFILE_LAYOUT_AUTO) {
        return w->layout;
    }
    if (w->resumed) {
        return w->prior->n_parts > 1 ? EDGEFILE_LAYOUT_SHARDED : EDGEFILE_LAYOUT_SINGLE;
    }
    if (w->size == 1 || edgefile_is_parallel(w->path) || w->schema.format == EDGEFILE_CSR ||
        w->schema.compressed) {
        return EDGEFILE_LAYOUT_SINGLE;
    }
    if (w->path == EDGEFILE_PATH_HDF5 && !edgefile_parallel_usable(w->group)) {
        return EDGEFILE_LAYOUT_SHARDED;
    }
    if (w->group->hosts > 1 && edgefile_filesystem_traits(w->partial) & EDGEFILE_FS_OWN_FILES) {
        return EDGEFILE_LAYOUT_SHARDED;
    }
    if (edgefile_partial_fits(w, 0, edgefile_bytes(spec)) != EDGEFILE_OK && errno == EFBIG) {
        return EDGEFILE_LAYOUT_SHARDED;
    }
    return EDGEFILE_LAYOUT_SINGLE;
}

/* If two hosts write parts of one page on a file system that caches pages on each host, the later
 * one overwrites the part of the other.  Chunks take whole pages. */
static int check_pages(const edgefile_writer *w)
{
    if (w->unaligned && !w->schema.compressed && w->group->hosts > 1 &&
        edgefile_filesystem_traits(w->partial) & EDGEFILE_FS_OWN_FILES) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "%s: %d hosts cannot write it on a file system of type %s: their "
                             "parts meet inside pages, where one would overwrite another's",
                             w->name, w->group->hosts, edgefile_filesystem(w->partial));
    }
    return EDGEFILE_OK;
}

int edgefile_choose_path(edgefile_writer *w)
{
    if (w->size == 1) {
        if (edgefile_is_parallel(w->path)) {
            w->path = EDGEFILE_PATH_HDF5;
        }
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(check_pages(w));
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        if (edgefile_is_parallel(w->path)) {
            return edgefile_fail(EDGEFILE_ERR_ARG, "%s: parallel HDF5 writes one file, not shards",
                                 w->name);
        }
        return EDGEFILE_OK;
    }
    if (w->path == EDGEFILE_PATH_HDF5 && w->schema.format == EDGEFILE_CSR) {
        w->path = EDGEFILE_PATH_INDEPENDENT;
    }
    if (w->path == EDGEFILE_PATH_HDF5) {
        w->path = edgefile_filesystem_traits(w->partial) & EDGEFILE_FS_COLLECTIVE
                      ? EDGEFILE_PATH_COLLECTIVE
                      : EDGEFILE_PATH_INDEPENDENT;
    }
    if (edgefile_is_parallel(w->path) && !edgefile_parallel_usable(w->group)) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "%s: several processes need parallel HDF5 (and an MPI that lets all "
                             "threads call it) to write one file through HDF5; it is not there",
                             w->name);
    }
    return EDGEFILE_OK;
}
