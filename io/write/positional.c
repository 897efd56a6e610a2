/*
 * positional.c - writes edges with pwrite() straight into the extents of the datasets, while HDF5
 * has the file closed.
 *
 * Whole pages of the file are written with O_DIRECT if the caller's memory is aligned alike;
 * everything else goes through the page cache.  Two threads, or two processes of a host, whose
 * ranges meet inside a page both write their part of it through the page cache, and no page is ever
 * read, changed and written back here, so neither can undo the other's bytes.  A page that is
 * written with O_DIRECT belongs to one call entirely.  That is why the unit is the page and not the
 * disk's smaller sector: the kernel drops cached pages as a whole.
 */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* At least a page: parts of pages must not bypass the page cache, see above. */
size_t edgefile_alignment(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 4096 ? (size_t)page : 4096;
}

uint64_t edgefile_get(int fd, uint64_t offset, uint64_t bytes, void *to)
{
    uint64_t done = 0;

    errno = 0;
    while (done < bytes) {
        ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));

        if (n > 0) {
            done += (uint64_t)n;
        } else if (n == 0 || errno != EINTR) {
            break;
        } else {
            errno = 0;
        }
    }
    return done;
}

/* A file system may refuse O_DIRECT in open(), or only in the first transfer. */
int edgefile_open_direct(const char *path, uint64_t probe_at)
{
    size_t unit = edgefile_alignment();
    uint64_t page = (probe_at + unit - 1) / unit * unit;
    int fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    void *probe = aligned_alloc(unit, unit);

    if (fd >= 0 && (probe == NULL || pread(fd, probe, unit, (off_t)page) < 0)) {
        close(fd);
        fd = -1;
    }
    free(probe);
    return fd;
}

void edgefile_positional_open(edgefile_output *w)
{
    if (!w->buffered) { /* -1: the file system has no O_DIRECT */
        w->direct_fd = edgefile_open_direct(w->partial, w->offset[0]);
    }
}

/* Writes whole units (1 byte through the page cache) and returns the bytes written; on error fewer
 * than asked for, and errno says why. */
static uint64_t put_units(int fd, uint64_t unit, const char *data, uint64_t bytes, uint64_t offset)
{
    uint64_t done = 0;

    while (done < bytes) {
        uint64_t part = bytes - done < EDGEFILE_MAX_CALL ? bytes - done : EDGEFILE_MAX_CALL;
        ssize_t n = pwrite(fd, data + done, part, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            break;
        }
        if ((uint64_t)n < unit) {
            errno = EIO;
            break;
        }
        done += (uint64_t)n / unit * unit;
    }
    return done;
}

uint64_t edgefile_put(int fd, int direct_fd, uint64_t offset, uint64_t bytes, const char *from)
{
    uint64_t unit = edgefile_alignment();
    uint64_t head = (unit - offset % unit) % unit; /* before the first whole page */
    uint64_t done = 0;

    if (direct_fd >= 0 && head < bytes && ((uintptr_t)from + head) % unit == 0) {
        done = put_units(fd, 1, from, head, offset);
        if (done == head) {
            done += put_units(direct_fd, unit, from + head, (bytes - head) / unit * unit,
                              offset + head);
        }
    }
    /* The tail, and whatever O_DIRECT did not write, which either works now or reports its error.
     */
    return done + put_units(fd, 1, from + done, bytes - done, offset + done);
}

static int write_column(const edgefile_output *w, uint64_t offset, uint64_t bytes, const char *from)
{
    uint64_t done = edgefile_put(w->fd, w->direct_fd, offset, bytes, from);

    if (done < bytes) {
        return edgefile_fail(
            edgefile_errno_status(EDGEFILE_ERR_IO), "%s: writing %llu bytes at offset %llu: %m",
            w->partial, (unsigned long long)(bytes - done), (unsigned long long)(offset + done));
    }
    return EDGEFILE_OK;
}

int edgefile_positional_write(const edgefile_output *w, uint64_t first, uint64_t count,
                              const void *const data[EDGEFILE_N_DATASETS])
{
    int st = EDGEFILE_OK;

    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        uint64_t width = (uint64_t)edgefile_width(&w->schema, i);
        if (data[i] != NULL) {
            st = write_column(w, w->offset[i] + first * width, count * width, data[i]);
        }
    }
    return st;
}

void edgefile_positional_close(edgefile_output *w)
{
    if (w->direct_fd >= 0) {
        close(w->direct_fd);
    }
    w->direct_fd = -1;
}
