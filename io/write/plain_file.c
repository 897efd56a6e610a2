/*
 * plain_file.c - a file of bytes, called NAME.partial until it is complete; or standard output.
 *
 * Whole pages are written with O_DIRECT if the file system accepts it and the memory is aligned
 * alike, as in positional.c: the rate then stays that of the disk when the page cache is full.
 *
 * A pipe is opened a second time in non-blocking mode: its reader may be idle for hours, and the
 * writer must still notice that it was cancelled.
 */
#include "io/formats/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POLL_MS = 100, PIPE_BYTES = 1 << 20 };

static int open_stdout(graphfile_plain *f)
{
    struct stat st;

    if (fstat(STDOUT_FILENO, &st) == 0 && S_ISFIFO(st.st_mode)) {
        f->fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (f->fd >= 0) {
            fcntl(f->fd, F_SETPIPE_SZ, PIPE_BYTES); /* if the system permits it */
        }
    }
    if (f->fd < 0) {
        f->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    }
    return f->fd >= 0 ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_OPEN, "standard output: %m");
}

int graphfile_plain_create(graphfile_plain *f, const char *name, bool replace)
{
    bool stale;

    memset(f, 0, sizeof *f);
    f->fd = f->direct_fd = -1;
    f->replace = replace;
    if (strcmp(name, "-") == 0) {
        return open_stdout(f);
    }
    EDGEFILE_TRY(edgefile_partial_names(name, false, replace, &f->name, &f->partial));
    EDGEFILE_TRY(edgefile_partial_lock(f->partial, &f->fd, &stale));
    if (ftruncate(f->fd, 0) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", f->partial);
    }
    f->direct_fd = edgefile_open_direct(f->partial, 0);
    return EDGEFILE_OK;
}

int graphfile_plain_expect(const graphfile_plain *f, uint64_t bytes)
{
    return f->name == NULL ? EDGEFILE_OK : edgefile_partial_room(f->fd, f->name, bytes);
}

void graphfile_plain_reserve(graphfile_plain *f, uint64_t bytes)
{
    if (f->name != NULL && bytes <= INT64_MAX && fallocate(f->fd, 0, 0, (off_t)bytes) == 0) {
        f->reserved = bytes;
    } else {
        f->reserved = INT64_MAX; /* do not try again; a write will report what is wrong */
    }
}

/* Returns the number of bytes written, which is smaller after an error. */
static size_t write_stdout(graphfile_plain *f, const char *data, size_t bytes)
{
    size_t done = 0;

    while (done < bytes && !atomic_load(&f->cancelled)) {
        size_t most = bytes - done < EDGEFILE_MAX_CALL ? bytes - done : EDGEFILE_MAX_CALL;
        ssize_t n = write(f->fd, data + done, most);

        if (n >= 0) {
            done += (size_t)n;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){f->fd, POLLOUT, 0}, 1, POLL_MS);
        } else if (errno != EINTR) {
            break;
        }
    }
    return done;
}

static int write_failed(const graphfile_plain *f)
{
    if (f->name != NULL) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", f->partial);
    }
    if (atomic_load(&f->cancelled)) {
        return edgefile_fail(EDGEFILE_ERR_PEER, "cancelled");
    }
    return edgefile_fail(errno == EPIPE ? EDGEFILE_ERR_PEER
                                        : edgefile_errno_status(EDGEFILE_ERR_IO),
                         "standard output: %m");
}

int graphfile_plain_write(graphfile_plain *f, uint64_t offset, const void *data, size_t bytes)
{
    const uint64_t done = f->name != NULL ? edgefile_put(f->fd, f->direct_fd, offset, bytes, data)
                                          : write_stdout(f, data, bytes);
    uint64_t end = atomic_load(&f->end);

    if (done < bytes) {
        return write_failed(f);
    }
    while (bytes > 0 && end < offset + bytes &&
           !atomic_compare_exchange_weak(&f->end, &end, offset + bytes)) {
    }
    return EDGEFILE_OK;
}

int graphfile_plain_publish(graphfile_plain *f)
{
    const uint64_t end = atomic_load(&f->end);

    if (f->name == NULL) {
        return EDGEFILE_OK;
    }
    if ((f->reserved > end && ftruncate(f->fd, (off_t)end) != 0) || fsync(f->fd) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", f->partial);
    }
    EDGEFILE_TRY(edgefile_publish_file(f->partial, f->name, f->replace));
    free(f->partial);
    f->partial = NULL;
    return edgefile_sync_folder_of(f->name);
}

/* The file is removed before the lock is released, or a new writer could lose its own file. */
void graphfile_plain_close(graphfile_plain *f)
{
    if (f->fd >= 0 && f->partial != NULL) {
        unlink(f->partial);
    }
    if (f->direct_fd >= 0) {
        close(f->direct_fd);
    }
    if (f->fd >= 0) {
        close(f->fd);
    }
    f->fd = f->direct_fd = -1;
    free(f->name);
    free(f->partial);
    f->name = f->partial = NULL;
}
