/*
 * file.c - a file of any format, from NAME.partial to NAME; or standard output.
 *
 * Whole pages are written with O_DIRECT if the caller's memory is aligned alike.  The rate then
 * stays that of the disk when the page cache is full.  Everything else goes through the page cache.
 *
 * Two threads, or two processes of a host, may have ranges that meet inside a page.  Both then
 * write their part through the page cache.  This file never reads, changes and writes back a page,
 * so neither can undo the other's bytes.  A page written with O_DIRECT belongs to one call
 * entirely.  The unit is the page and not the disk's smaller sector, because the kernel drops
 * cached pages as a whole.
 *
 * Several processes write one file together: process 0 creates it, and the others open it.  Only
 * process 0 renames it, or removes it if all give up.
 *
 * A pipe is opened a second time in non-blocking mode.  Its reader may be idle for hours, and the
 * writer must still notice that it was canceled.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POLL_MS = 100, PIPE_BYTES = 1 << 20 };

/* At least a page: parts of pages must not bypass the page cache (see above). */
size_t edgefile_alignment(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 4096 ? (size_t)page : 4096;
}

/* Creating. */

static int open_stdout(io_file *f)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    struct stat st;

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "standard output: it is closed");
    }
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

static int set_length(const io_file *f, uint64_t bytes)
{
    return ftruncate(f->fd, (off_t)bytes) == 0
               ? EDGEFILE_OK
               : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", f->partial);
}

static int create_alone(io_file *f, const char *name)
{
    EDGEFILE_TRY(io_partial_names(name, f->group != NULL, f->replace, &f->name, &f->partial));
    EDGEFILE_TRY(io_partial_lock(f->partial, &f->fd));
    return set_length(f, 0);
}

/* The message from process 0 to the others. */
typedef struct {
    char partial[PATH_MAX];
    edgefile_token token;
} invitation;

static int invite_others(const io_file *f, invitation *to)
{
    if (strlen(f->partial) >= sizeof to->partial) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: the name is too long", f->partial);
    }
    strcpy(to->partial, f->partial);
    return edgefile_token_write(f->partial, &to->token);
}

/* On processes other than 0. */
static int attach_file(io_file *f, const invitation *to)
{
    f->partial = strdup(to->partial);
    f->name = strndup(to->partial, strlen(to->partial) - strlen(".partial"));
    if (f->partial == NULL || f->name == NULL) {
        return edgefile_no_memory(to->partial);
    }
    EDGEFILE_TRY(edgefile_token_check(f->group->rank, f->partial, &to->token));
    f->fd = open(f->partial, O_RDWR | O_CLOEXEC);
    return f->fd >= 0 ? io_held_add(f->fd, f->partial)
                      : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", f->partial);
}

/* All processes agree at the end of each step, so that none waits for one that failed. */
static int create_together(io_file *f, const char *name)
{
    const edgefile_group *group = f->group;
    invitation to;
    int st = EDGEFILE_OK;

    memset(&to, 0, sizeof to);
    if (!f->attached) {
        st = create_alone(f, name);
        st = st == EDGEFILE_OK ? invite_others(f, &to) : st;
    }
    EDGEFILE_TRY(edgefile_group_agree(group, st));
    edgefile_group_broadcast(group, &to, sizeof to);
    EDGEFILE_TRY(edgefile_group_agree(group, f->attached ? attach_file(f, &to) : EDGEFILE_OK));
    return edgefile_group_agree(group, f->attached ? EDGEFILE_OK : set_length(f, 0));
}

/* Returns -1 if the file system refuses O_DIRECT, in open() or only in the first transfer. */
static int open_direct(const char *path)
{
    const size_t unit = edgefile_alignment();
    int fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
    void *probe = aligned_alloc(unit, unit);

    if (fd >= 0 && (probe == NULL || pread(fd, probe, unit, 0) < 0)) {
        close(fd);
        fd = -1;
    }
    free(probe);
    return fd;
}

static void begin(io_file *f, bool replace, const edgefile_group *group)
{
    *f = (io_file){.group = group, .replace = replace, .fd = -1, .direct_fd = -1};
    f->attached = !edgefile_group_leads(group);
}

int io_file_create(io_file *f, const char *name, bool replace, bool buffered,
                   const edgefile_group *group)
{
    begin(f, replace, group);
    if (strcmp(name, "-") == 0) {
        return open_stdout(f);
    }
    EDGEFILE_TRY(group == NULL ? create_alone(f, name) : create_together(f, name));
    f->direct_fd = buffered ? -1 : open_direct(f->partial);
    return EDGEFILE_OK;
}

/* publish would remove a symbolic link of this name itself, not the file that it points to. */
static int find_absent(io_file *f, const char *name)
{
    char *full, *partial;
    const int st = io_partial_names(name, false, f->replace, &full, &partial);

    free(full);
    free(partial);
    EDGEFILE_TRY(st);
    f->name = strdup(name);
    return f->name != NULL ? EDGEFILE_OK : edgefile_no_memory(name);
}

int io_file_absent(io_file *f, const char *name, bool replace, const edgefile_group *group)
{
    begin(f, replace, group);
    return edgefile_group_agree(group, f->attached ? EDGEFILE_OK : find_absent(f, name));
}

int io_file_reserve(io_file *f, uint64_t bytes)
{
    if (f->attached || bytes == 0) {
        return EDGEFILE_OK;
    }
    errno = f->name == NULL || bytes > INT64_MAX ? EOPNOTSUPP : io_set_aside(f->fd, 0, bytes);
    f->reserved = errno == 0 ? bytes : INT64_MAX; /* INT64_MAX: do not ask again */
    return errno == 0 || errno == EOPNOTSUPP ? EDGEFILE_OK
                                             : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO),
                                                             "%s: reserving %llu bytes: %m",
                                                             f->partial, (unsigned long long)bytes);
}

/* The descriptor keeps its number, which edgefile_abandon() uses. */
int io_file_reopen(io_file *f)
{
    const int fd = open(f->partial, O_RDWR | O_CLOEXEC);
    const bool done = fd >= 0 && dup3(fd, f->fd, O_CLOEXEC) >= 0;
    const int st =
        done ? EDGEFILE_OK
             : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", f->partial);

    if (fd >= 0) {
        close(fd);
    }
    return st;
}

/* Writing.  These functions return the bytes written.  After an error they return fewer than
 * requested, and errno has the cause. */

static size_t write_stdout(io_file *f, const char *data, size_t bytes)
{
    size_t done = 0;

    while (done < bytes && !atomic_load(&f->cancelled)) {
        size_t most = bytes - done < IO_MAX_CALL ? bytes - done : IO_MAX_CALL;
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

/* Writes whole units: 1 byte through the page cache. */
static uint64_t put_units(int fd, uint64_t unit, const char *data, uint64_t bytes, uint64_t offset)
{
    uint64_t done = 0;

    while (done < bytes) {
        uint64_t part = bytes - done < IO_MAX_CALL ? bytes - done : IO_MAX_CALL;
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

static uint64_t put(const io_file *f, uint64_t offset, const char *data, uint64_t bytes)
{
    const uint64_t unit = edgefile_alignment();
    const uint64_t head = (unit - offset % unit) % unit; /* before the first whole page */
    uint64_t done = 0;

    if (f->direct_fd >= 0 && head < bytes && ((uintptr_t)data + head) % unit == 0) {
        done = put_units(f->fd, 1, data, head, offset);
        if (done == head) {
            done += put_units(f->direct_fd, unit, data + head, (bytes - head) / unit * unit,
                              offset + head);
        }
    }
    /* The tail, and the rest after O_DIRECT.  This call writes it or reports the error. */
    return done + put_units(f->fd, 1, data + done, bytes - done, offset + done);
}

static int write_failed(const io_file *f)
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

int io_file_write(io_file *f, uint64_t offset, const void *data, size_t bytes)
{
    const size_t done =
        f->name != NULL ? put(f, offset, data, bytes) : write_stdout(f, data, bytes);
    uint64_t end = atomic_load(&f->end);

    if (done < bytes) {
        return write_failed(f);
    }
    while (bytes > 0 && end < offset + bytes &&
           !atomic_compare_exchange_weak(&f->end, &end, offset + bytes)) {
    }
    return EDGEFILE_OK;
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

/* Completing. */

int io_file_sync(const io_file *f)
{
    const int st =
        f->name == NULL || fsync(f->fd) == 0
            ? EDGEFILE_OK
            : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", f->partial);

    return edgefile_group_agree(f->group, st);
}

/* The end of the last byte of all processes. */
static int find_end(io_file *f)
{
    uint64_t *ends = calloc((size_t)f->group->size, sizeof *ends), end = 0;
    int st = ends == NULL ? edgefile_no_memory(f->partial) : EDGEFILE_OK;

    st = edgefile_group_agree(f->group, st);
    if (st == EDGEFILE_OK) {
        edgefile_group_gather(f->group, atomic_load(&f->end), ends);
        for (int k = 0; k < f->group->size; k++) {
            end = ends[k] > end ? ends[k] : end;
        }
        atomic_store(&f->end, end);
    }
    free(ends);
    return st;
}

/* All steps of a publication except the rename. */
static int complete(io_file *f)
{
    int st = EDGEFILE_OK;

    if (f->group != NULL) {
        EDGEFILE_TRY(find_end(f));
    }
    if (!f->attached && f->reserved > atomic_load(&f->end)) {
        st = set_length(f, atomic_load(&f->end));
    }
    EDGEFILE_TRY(edgefile_group_agree(f->group, st));
    return io_file_sync(f);
}

/* For a file that has been renamed: close must not remove it. */
static void forget_partial(io_file *f)
{
    free(f->partial);
    f->partial = NULL;
}

int io_file_publish(io_file *f, io_file *second)
{
    if (f->name == NULL) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(complete(f));
    if (second != NULL && second->partial != NULL) {
        EDGEFILE_TRY(complete(second));
    }
    if (f->group != NULL && f->group->publishing != NULL) {
        f->group->publishing(f->group->state);
    }
    EDGEFILE_TRY(
        edgefile_group_agree(f->group, f->attached ? EDGEFILE_OK : io_file_rename(f, second)));
    forget_partial(f);
    if (second != NULL) {
        forget_partial(second);
    }
    return EDGEFILE_OK;
}

/* The file is removed before the lock is released, or a new writer could lose its own file. */
void io_file_close(io_file *f)
{
    if (f->fd >= 0 && f->partial != NULL && !f->attached) {
        io_partial_remove(f->partial, f->fd);
    }
    if (f->direct_fd >= 0) {
        close(f->direct_fd);
    }
    if (f->fd >= 0) {
        io_held_drop(f->fd);
        close(f->fd);
    }
    f->fd = f->direct_fd = -1;
    free(f->name);
    free(f->partial);
    f->name = f->partial = NULL;
}

/* A file whose bytes are written in one call. */

struct edgefile_small {
    io_file file;
};

int edgefile_small_create(edgefile_small **small, const char *name, bool replace)
{
    int status;

    *small = calloc(1, sizeof **small);
    if (*small == NULL) {
        return edgefile_no_memory(name);
    }
    status = io_file_create(&(*small)->file, name, replace, false, NULL);
    if (status != EDGEFILE_OK) {
        edgefile_small_close(*small);
        *small = NULL;
    }
    return status;
}

int edgefile_small_publish(edgefile_small *small, const void *data, size_t bytes)
{
    EDGEFILE_TRY(io_file_write(&small->file, 0, data, bytes));
    return io_file_publish(&small->file, NULL);
}

void edgefile_small_close(edgefile_small *small)
{
    if (small != NULL) {
        io_file_close(&small->file);
        free(small);
    }
}
