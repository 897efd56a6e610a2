/*
 * plain_file.c - a file of bytes, called NAME.partial until it is complete; or standard output.
 * The file of every format is one; that of h5 and csr is created, locked and published here, and
 * written by output.c.
 *
 * Whole pages are written with O_DIRECT if the file system accepts it and the memory is aligned
 * alike, as in positional.c: the rate then stays that of the disk when the page cache is full.
 *
 * Several processes write one file together: process 0 creates it, the others open it, and only
 * process 0 renames it, or removes it where all give up.
 *
 * A pipe is opened a second time in non-blocking mode: its reader may be idle for hours, and the
 * writer must still notice that it was cancelled.
 */
#include "io/formats/writer.h"
#include "io/small_file.h"

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

static int open_stdout(graphfile_plain *f)
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

static int create_alone(graphfile_plain *f, const char *name)
{
    EDGEFILE_TRY(edgefile_partial_names(name, f->group != NULL, f->replace, &f->name, &f->partial));
    EDGEFILE_TRY(edgefile_partial_lock(f->partial, &f->fd));
    return ftruncate(f->fd, 0) == 0 ? EDGEFILE_OK
                                    : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", f->partial);
}

/* What process 0 tells the others. */
typedef struct {
    char partial[PATH_MAX];
    edgefile_token token;
} invitation;

static int invite_others(const graphfile_plain *f, invitation *to)
{
    if (strlen(f->partial) >= sizeof to->partial) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: the name is too long", f->partial);
    }
    strcpy(to->partial, f->partial);
    return edgefile_token_write(f->partial, 0, sizeof to->token, &to->token);
}

/* On processes other than 0. */
static int attach_file(graphfile_plain *f, const invitation *to)
{
    f->partial = strdup(to->partial);
    f->name = strndup(to->partial, strlen(to->partial) - strlen(".partial"));
    if (f->partial == NULL || f->name == NULL) {
        return edgefile_no_memory(to->partial);
    }
    EDGEFILE_TRY(edgefile_token_check(f->group->rank, f->partial, 0, sizeof to->token, &to->token));
    f->fd = open(f->partial, O_RDWR | O_CLOEXEC);
    return f->fd >= 0 ? edgefile_held_add(f->fd, f->partial)
                      : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", f->partial);
}

/* Each step ends with all processes agreeing, so that none waits for one that failed. */
static int create_together(graphfile_plain *f, const char *name)
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
    st = f->attached || ftruncate(f->fd, 0) == 0
             ? EDGEFILE_OK
             : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", f->partial);
    return edgefile_group_agree(group, st);
}

int graphfile_plain_create(graphfile_plain *f, const char *name, bool replace,
                           const edgefile_group *group)
{
    memset(f, 0, sizeof *f);
    f->fd = f->direct_fd = -1;
    f->replace = replace;
    f->group = group;
    f->attached = group != NULL && group->rank > 0;
    if (strcmp(name, "-") == 0) {
        return open_stdout(f);
    }
    EDGEFILE_TRY(group == NULL ? create_alone(f, name) : create_together(f, name));
    f->direct_fd = edgefile_open_direct(f->partial, 0);
    return EDGEFILE_OK;
}

int graphfile_plain_expect(const graphfile_plain *f, uint64_t bytes)
{
    return f->name == NULL ? EDGEFILE_OK : edgefile_partial_room(f->fd, f->name, bytes);
}

void graphfile_plain_reserve(graphfile_plain *f, uint64_t bytes)
{
    if (f->attached) {
        return;
    }
    if (f->name != NULL && bytes <= INT64_MAX && edgefile_set_aside(f->fd, 0, bytes) == 0) {
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
    const size_t done = f->name != NULL ? edgefile_put(f->fd, f->direct_fd, offset, bytes, data)
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

static int graphfile_plain_sync(const graphfile_plain *f)
{
    return fsync(f->fd) == 0
               ? EDGEFILE_OK
               : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", f->partial);
}

/* Where the last byte of all processes is. */
static int find_end(graphfile_plain *f)
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

/* Everything but the name.  Collective. */
static int complete_file(graphfile_plain *f)
{
    int st = EDGEFILE_OK;

    if (f->group != NULL) {
        EDGEFILE_TRY(find_end(f));
    }
    if (!f->attached && f->reserved > atomic_load(&f->end) &&
        ftruncate(f->fd, (off_t)atomic_load(&f->end)) != 0) {
        st = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", f->partial);
    } else {
        st = graphfile_plain_sync(f);
    }
    return edgefile_group_agree(f->group, st);
}

/* Of process 0.  A symbolic link of this name would go itself, and not the file that it points to.
 */
static int find_absent(graphfile_plain *f, const char *name, bool replace)
{
    char *full, *partial;
    const int st = edgefile_partial_names(name, false, replace, &full, &partial);

    free(full);
    free(partial);
    EDGEFILE_TRY(st);
    f->name = strdup(name);
    return f->name != NULL ? EDGEFILE_OK : edgefile_no_memory(name);
}

int graphfile_plain_absent(graphfile_plain *f, const char *name, bool replace,
                           const edgefile_group *group)
{
    memset(f, 0, sizeof *f);
    f->fd = f->direct_fd = -1;
    f->attached = group != NULL && group->rank > 0;
    return edgefile_group_agree(group, f->attached ? EDGEFILE_OK : find_absent(f, name, replace));
}

/* Of a file that has its name: close is not to remove it. */
static void forget_partial(graphfile_plain *f)
{
    free(f->partial);
    f->partial = NULL;
}

int graphfile_plain_publish(graphfile_plain *f, graphfile_plain *second)
{
    int st = EDGEFILE_OK;

    if (f->name == NULL) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(complete_file(f));
    if (second != NULL && second->partial != NULL) {
        EDGEFILE_TRY(complete_file(second));
    }
    if (f->group != NULL && f->group->publishing != NULL) {
        f->group->publishing(f->group->state);
    }
    if (!f->attached) {
        st = edgefile_publish(f->partial, f->name, f->replace,
                              second == NULL ? NULL
                                             : &(edgefile_second){second->partial, second->name});
    }
    EDGEFILE_TRY(edgefile_group_agree(f->group, st));
    forget_partial(f);
    if (second != NULL) {
        forget_partial(second);
    }
    return EDGEFILE_OK;
}

/* The file is removed before the lock is released, or a new writer could lose its own file. */
void graphfile_plain_close(graphfile_plain *f)
{
    if (f->fd >= 0 && f->partial != NULL && !f->attached) {
        edgefile_partial_remove(f->partial, f->fd);
    }
    if (f->direct_fd >= 0) {
        close(f->direct_fd);
    }
    if (f->fd >= 0) {
        edgefile_held_drop(f->fd);
        close(f->fd);
    }
    f->fd = f->direct_fd = -1;
    free(f->name);
    free(f->partial);
    f->name = f->partial = NULL;
}

/* A file of bytes that is written in one piece, on top of plain_file.c. */

int edgefile_small_create(edgefile_small **file, const char *name, bool replace)
{
    int status;

    *file = calloc(1, sizeof **file);
    if (*file == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    }
    status = graphfile_plain_create(&(*file)->plain, name, replace, NULL);
    if (status != EDGEFILE_OK) {
        edgefile_small_close(*file);
        *file = NULL;
    }
    return status;
}

int edgefile_small_publish(edgefile_small *file, const void *data, size_t bytes)
{
    graphfile_plain *plain = &file->plain;
    int status = graphfile_plain_write(plain, 0, data, bytes);

    return status == EDGEFILE_OK ? graphfile_plain_publish(plain, NULL) : status;
}

void edgefile_small_close(edgefile_small *file)
{
    if (file != NULL) {
        graphfile_plain_close(&file->plain);
        free(file);
    }
}
