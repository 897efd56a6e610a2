/*
 * part.c - a part: one HDF5 file under construction, which is the file of the whole graph or a
 * shard.  One process creates it; others open it later, at the latest for their first write to it.
 */
#include "io/resume/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char *part_path(const edgefile_output *w, int k)
{
    return w->layout == EDGEFILE_LAYOUT_SHARDED ? edgefile_shard_path(w->partial, k)
                                                : strdup(w->partial);
}

int edgefile_own_part(const edgefile_output *w)
{
    return w->layout == EDGEFILE_LAYOUT_SHARDED ? w->rank : 0;
}

/* The last part that does not begin behind the edge; empty shards are last. */
int edgefile_part_of(const edgefile_output *w, uint64_t edge)
{
    int low = 0, high = w->n_parts - 1;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (w->parts[middle].start <= edge) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

int edgefile_part_of_pointer(const edgefile_output *w, uint64_t pointer)
{
    int low = 0, high = w->n_parts - 1;

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (w->parts[middle].first_row + w->parts[middle].rows >= pointer) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static int reserve(const edgefile_part *p)
{
    struct stat st;

    if (fstat(p->fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", p->path);
    }
    errno = edgefile_set_aside(p->fd, 0, (uint64_t)st.st_size);
    if (errno != 0 && errno != EOPNOTSUPP) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: reserving %lld bytes: %m",
                             p->path, (long long)st.st_size);
    }
    return EDGEFILE_OK;
}

static int open_fd(edgefile_output *w, int k)
{
    edgefile_part *p = &w->parts[k];

    if (p->path == NULL) {
        p->path = part_path(w, k);
    }
    if (p->path == NULL) {
        return edgefile_no_memory(w->partial);
    }
    p->fd = open(p->path, O_RDWR | O_CLOEXEC);
    if (p->fd < 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", p->path);
    }
    return EDGEFILE_OK;
}

/* HDF5 crashes at the end of the program if it could not make a file as long as it should be.
 * Process 0 has tried whether the file system permits that length, but each process has a limit of
 * its own. */
static int check_limit(const char *path, uint64_t bytes)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        bytes > limit.rlim_cur) {
        return edgefile_fail(EDGEFILE_ERR_SPACE, "%s: length of %llu bytes: %s", path,
                             (unsigned long long)bytes, strerror(EFBIG));
    }
    return EDGEFILE_OK;
}

int edgefile_part_create(edgefile_output *w, int k, const graphfile_spec *spec)
{
    edgefile_part *p = &w->parts[k];
    const bool alone = w->shards > 0;
    const uint64_t shard = (uint64_t)(alone ? w->shard : k);
    const uint64_t shards = (uint64_t)(alone ? w->shards : w->n_parts);
    const edgefile_attr place[] = {{"first_edge", EDGEFILE_U64, 1, &p->start},
                                   {"shard", EDGEFILE_U64, 1, &shard},
                                   {"shards", EDGEFILE_U64, 1, &shards},
                                   {"first_row", EDGEFILE_U64, 1, &p->first_row}};
    const size_t n_place = spec->format == GRAPHFILE_CSR ? 4 : 3;
    const bool sharded = alone || w->layout == EDGEFILE_LAYOUT_SHARDED;
    graphfile_spec own = *spec;

    p->path = part_path(w, k);
    if (p->path == NULL) {
        return edgefile_no_memory(w->partial);
    }
    own.graph.rows = p->rows;
    EDGEFILE_TRY(check_limit(p->path, edgefile_spec_bytes(spec, p->rows, p->edges)));
    if (w->resumed) {
        EDGEFILE_TRY(open_fd(w, k));
        EDGEFILE_TRY(edgefile_resume_part(w, k, &own, place, sharded ? n_place : 0));
    } else {
        EDGEFILE_TRY(edgefile_layout_create(p, &own, place, sharded ? n_place : 0));
        EDGEFILE_TRY(open_fd(w, k));
    }
    EDGEFILE_TRY(reserve(p));
    if (w->size > 1 && fsync(p->fd) != 0) { /* so that other hosts see it */
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", p->path);
    }
    return EDGEFILE_OK;
}

int edgefile_part_attach(edgefile_output *w, int k, const uint64_t *offset)
{
    edgefile_part *p = &w->parts[k];

    EDGEFILE_TRY(open_fd(w, k));
    if (offset == NULL) {
        edgefile_schema own = w->schema;

        own.rows = p->rows;
        return edgefile_layout_find(p, &own);
    }
    memcpy(p->offset, offset, sizeof p->offset);
    return EDGEFILE_OK;
}

int edgefile_part_begin(edgefile_output *w, int k)
{
    EDGEFILE_TRY(w->ops->open(w, &w->parts[k]));
    atomic_store(&w->parts[k].ready, true);
    return EDGEFILE_OK;
}

static int sync_data(const edgefile_part *p)
{
    return fdatasync(p->fd) == 0
               ? EDGEFILE_OK
               : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", p->path);
}

/* Syncs before closing too: on NFS the close would send all the data, and a collective close has a
 * deadline. */
int edgefile_part_sync(edgefile_output *w, edgefile_part *p)
{
    int st = w->ops->finish != NULL ? w->ops->finish(w, p) : EDGEFILE_OK, closed;

    if (st == EDGEFILE_OK) {
        st = sync_data(p);
    }
    closed = w->ops->close(w, p);

    if (st == EDGEFILE_OK) {
        st = closed == EDGEFILE_OK ? sync_data(p) : closed;
    }
    return st;
}

int edgefile_part_complete(const edgefile_output *w, edgefile_part *p, uint64_t fingerprint)
{
    EDGEFILE_TRY(edgefile_layout_complete(w, p->path, fingerprint));
    if (fsync(p->fd) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", p->path);
    }
    return EDGEFILE_OK;
}

void edgefile_part_close(edgefile_output *w, edgefile_part *p)
{
    if (w->ops != NULL) {
        w->ops->close(w, p);
    }
    if (p->fd >= 0) {
        close(p->fd);
    }
    p->fd = -1;
    free(p->path);
    p->path = NULL;
    p->ready = false;
}
