/*
 * partial_file.c - NAME.partial: lock and room.
 *
 * The partial file lies beside NAME, in the same folder, so that a rename can publish it.  Where
 * NAME is a symbolic link, that is the folder of the file it points to.  Whoever holds the write
 * lock on the partial file owns it; a partial file without a lock is a dead writer's and may be
 * taken over. The lock is an open file description lock: HDF5's flock() does not collide with it,
 * and closing another descriptor of the file (as HDF5 does) does not drop it.  A file system
 * without locks (some network ones) cannot tell the living from the dead; there the later writer
 * wins.  Only a byte far behind all edges is locked: MPI-IO locks those that it writes.
 */
#include "io/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LOCKED_BYTE ((off_t)1 << 62)

/* As other processes may call it, which started in other folders. */
static char *absolute_path(const char *name)
{
    char *folder = getcwd(NULL, 0), *path = NULL;

    if (folder == NULL || asprintf(&path, "%s/%s", folder, name) < 0)
        path = NULL;
    free(folder);
    return path;
}

int edgefile_partial_names(const char *name, int absolute, int replace, char **full, char **partial)
{
    struct stat st;

    *full = *partial = NULL;
    if (lstat(name, &st) == 0 && S_ISLNK(st.st_mode)) {
        *full = realpath(name, NULL);
        if (*full == NULL)
            return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: symbolic link to nowhere: %m", name);
    } else {
        *full = absolute && name[0] != '/' ? absolute_path(name) : strdup(name);
        if (*full == NULL)
            return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: %m", name);
    }
    if (asprintf(partial, "%s.partial", *full) < 0) {
        *partial = NULL;
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    }
    if (stat(*full, &st) != 0)
        return errno == ENOENT ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", name);
    if (!S_ISREG(st.st_mode))
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is %s, expected a regular file or none", name,
                             edgefile_kind(st.st_mode));
    if (!replace)
        return edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: exists already", name);
    return EDGEFILE_OK;
}

/* Opens and locks; the lock must be on the file that bears the name now, not on one whose writer
 * renamed it between our open and our lock. */
int edgefile_partial_lock(const char *partial, int *locked, int *stale)
{
    for (;;) {
        struct flock lock = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCKED_BYTE, .l_len = 1};
        struct stat opened, named;
        int fd = open(partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);

        if (fd < 0) {
            /* If the folder is missing, the user knows the file by its own name. */
            const size_t suffix = errno == ENOENT ? strlen(".partial") : 0;

            return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%.*s: %m",
                                 (int)(strlen(partial) - suffix), partial);
        }
        if (fstat(fd, &opened) != 0 || !S_ISREG(opened.st_mode)) {
            close(fd);
            return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: exists and is not a regular file",
                                 partial);
        }
        if (fcntl(fd, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
            close(fd);
            return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: another writer is at work on it", partial);
        }
        if (stat(partial, &named) == 0 && named.st_ino == opened.st_ino &&
            named.st_dev == opened.st_dev) {
            *locked = fd;
            *stale = opened.st_size > 0;
            return EDGEFILE_OK;
        }
        close(fd);
    }
}

int edgefile_partial_open(edgefile_writer *w, const char *name)
{
    int st = edgefile_partial_names(name, w->size > 1, w->replace, &w->name, &w->partial);

    return st == EDGEFILE_OK ? edgefile_partial_lock(w->partial, &w->lock_fd, &w->stale) : st;
}

int edgefile_partial_room(int fd, const char *name, uint64_t bytes)
{
    struct statvfs fs;
    struct stat stale;
    uint64_t room;

    if (fstat(fd, &stale) != 0 || fstatvfs(fd, &fs) != 0)
        return edgefile_fail(EDGEFILE_ERR_IO, "%s.partial: %m", name);
    room = (uint64_t)stale.st_blocks * 512; /* comes free */
    if (__builtin_add_overflow(room, (uint64_t)fs.f_bavail * fs.f_frsize, &room))
        room = UINT64_MAX;
    /* A file system of zero blocks does not know its size. */
    if (bytes > INT64_MAX || (fs.f_blocks != 0 && bytes > room))
        return edgefile_fail(EDGEFILE_ERR_SPACE,
                             "%s: the file needs %llu bytes, the file system has room for %llu",
                             name, (unsigned long long)bytes, (unsigned long long)room);
    return EDGEFILE_OK;
}

int edgefile_partial_fits(edgefile_writer *w, uint64_t bytes, uint64_t longest)
{
    int st = edgefile_partial_room(w->lock_fd, w->name, bytes);

    if (st != EDGEFILE_OK)
        return st;
    /* Sparse: asks whether a single file may be this long. */
    if (ftruncate(w->lock_fd, 0) != 0 || ftruncate(w->lock_fd, (off_t)longest) != 0)
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: length of %llu bytes: %m",
                             w->partial, (unsigned long long)longest);
    return EDGEFILE_OK;
}

/* The file goes before the lock, or a new writer could lose its own. */
void edgefile_partial_close(edgefile_writer *w, int remove_it)
{
    if (w->lock_fd < 0)
        return;
    if (remove_it)
        unlink(w->partial);
    close(w->lock_fd);
    w->lock_fd = -1;
}
