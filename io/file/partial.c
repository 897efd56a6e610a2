/*
 * partial.c - NAME.partial: its lock, its room on the disk, and the rename of a complete file.
 *
 * The partial file lies in the same folder as NAME, so that a rename can publish it.  If NAME is a
 * symbolic link, that is the folder of the link's target.  The holder of the write lock on the
 * partial file owns it.  A partial file without a lock belongs to a dead writer, and another writer
 * may take it over.
 *
 * The lock is an open file description lock.  HDF5's flock() does not collide with it, and HDF5
 * does not drop it by closing another descriptor of the same file.  A file system without locks,
 * such as some network file systems, cannot show whether the owner lives; there the later writer
 * wins.  Only one byte far beyond all edges is locked.
 */
#include "io/file.h"
#include "io/graphfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LOCKED_BYTE ((off_t)1 << 62)

/* An absolute path, for processes that started in other folders. */
static char *absolute_path(const char *name)
{
    char *folder = getcwd(NULL, 0), *path = NULL;

    if (folder == NULL || asprintf(&path, "%s/%s", folder, name) < 0) {
        path = NULL;
    }
    free(folder);
    return path;
}

int io_partial_names(const char *name, bool absolute, bool replace, char **full, char **partial)
{
    struct stat st;

    *full = *partial = NULL;
    if (lstat(name, &st) == 0 && S_ISLNK(st.st_mode)) {
        *full = realpath(name, NULL);
        if (*full == NULL) {
            return edgefile_fail(EDGEFILE_ERR_OPEN,
                                 "%s: is a symbolic link to a file that does not exist: %m", name);
        }
    } else {
        *full = absolute && name[0] != '/' ? absolute_path(name) : strdup(name);
        if (*full == NULL) {
            return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: %m", name);
        }
    }
    if (asprintf(partial, "%s.partial", *full) < 0) {
        *partial = NULL;
        return edgefile_no_memory(name);
    }
    if (stat(*full, &st) != 0) {
        return errno == ENOENT ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", name);
    }
    if (!S_ISREG(st.st_mode)) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is %s, expected a regular file or none", name,
                             edgefile_kind(st.st_mode));
    }
    if (!replace) {
        return edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: already exists", name);
    }
    return EDGEFILE_OK;
}

/* Reports why the partial file could not be created.  The usual cause is a missing folder in its
 * path; the message names the first one. */
static int cannot_create(const char *partial)
{
    const int reason = errno, status = edgefile_errno_status(EDGEFILE_ERR_OPEN);
    char *folder = strdup(partial);
    struct stat st;

    for (char *slash = folder; reason == ENOENT && slash != NULL;) {
        slash = strchr(slash + 1, '/');
        if (slash == NULL) {
            break;
        }
        *slash = '\0';
        if (stat(folder, &st) != 0 && errno == ENOENT) {
            edgefile_fail(status, "%s: the folder does not exist", folder);
            free(folder);
            return status;
        }
        *slash = '/';
    }
    free(folder);
    return edgefile_fail(status, "%s: %s", partial, strerror(reason));
}

/* Checks that the name still refers to the open file, not to another writer's. */
static bool is_ours(const char *partial, int fd)
{
    struct stat opened, named;

    return fstat(fd, &opened) == 0 && lstat(partial, &named) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

/* False: a writer has the lock. */
static bool take_lock(int fd)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCKED_BYTE, .l_len = 1};

    /* Another error: there are no locks. */
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

/* A file with a second name belongs to another program, or is the graph of a writer that died
 * between link() and unlink(). */
static int check_opened(const char *partial, int fd)
{
    struct stat opened;

    if (fstat(fd, &opened) != 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", partial);
    }
    if (!S_ISREG(opened.st_mode)) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: exists and is not a regular file", partial);
    }
    return opened.st_nlink <= 1
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_OPEN,
                               "%s: is also known by another name, under which it would be lost; "
                               "remove this name first",
                               partial);
}

enum { FLAGS = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK };

/* *created: the file did not exist before. */
static int open_partial(const char *partial, bool *created)
{
    for (;;) { /* repeat if the file disappears between the two calls */
        int fd = open(partial, FLAGS | O_CREAT | O_EXCL, 0666);

        *created = fd >= 0;
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
        fd = open(partial, FLAGS);
        if (fd >= 0 || errno != ENOENT) {
            return fd;
        }
    }
}

/* The lock must be on the file that has the name now.  Its previous writer may have renamed it
 * between our open and our lock. */
int io_partial_lock(const char *partial, int *locked, bool *created)
{
    for (;;) { /* repeat until the locked file has the name */
        bool is_new;
        struct stat named;
        int fd = open_partial(partial, &is_new), st;

        if (fd < 0) {
            return cannot_create(partial);
        }
        if (!take_lock(fd)) {
            close(fd);
            return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is being written by another process",
                                 partial);
        }
        st = check_opened(partial, fd);
        if (st == EDGEFILE_OK && lstat(partial, &named) != 0 && errno != ENOENT) {
            st = edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", partial);
        }
        if (st == EDGEFILE_OK && is_ours(partial, fd)) {
            *locked = fd;
            if (created != NULL) {
                *created = is_new;
            }
            return io_held_add(fd, partial);
        }
        if (st != EDGEFILE_OK && is_new) {
            unlink(partial);
        }
        close(fd);
        EDGEFILE_TRY(st);
    }
}

int io_partial_room(const io_file *f, uint64_t bytes)
{
    struct statvfs fs;
    struct stat stale;
    uint64_t room;

    if (f->name == NULL) {
        return EDGEFILE_OK;
    }
    if (fstat(f->fd, &stale) != 0 || fstatvfs(f->fd, &fs) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", f->partial);
    }
    /* The bytes of the file that this one replaces become free. */
    if (__builtin_add_overflow((uint64_t)stale.st_blocks * 512, (uint64_t)fs.f_bavail * fs.f_frsize,
                               &room)) {
        room = UINT64_MAX;
    }
    /* A file system that reports zero blocks does not know its size. */
    if (bytes > INT64_MAX || (fs.f_blocks != 0 && bytes > room)) {
        return edgefile_fail(
            EDGEFILE_ERR_SPACE,
            "%s: the file needs up to %llu bytes, the file system has room for %llu", f->name,
            (unsigned long long)bytes, (unsigned long long)room);
    }
    return EDGEFILE_OK;
}

/* Asks, with a sparse file, whether a file may be this long. */
int io_partial_fits(const io_file *f, uint64_t bytes)
{
    if (ftruncate(f->fd, 0) != 0 || ftruncate(f->fd, (off_t)bytes) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: length of %llu bytes: %m",
                             f->partial, (unsigned long long)bytes);
    }
    return EDGEFILE_OK;
}

/* Takes the steps of a run, and undoes them. */
int edgefile_could_create(const char *name, int absolute, int replace, uint64_t bytes)
{
    io_file f = {.fd = -1, .direct_fd = -1};
    bool created = false;
    int st = io_partial_names(name, absolute != 0, replace != 0, &f.name, &f.partial);

    if (st == EDGEFILE_OK) {
        st = io_partial_lock(f.partial, &f.fd, &created);
    }
    if (st == EDGEFILE_OK) {
        st = io_partial_room(&f, bytes);
    }
    f.attached = !created; /* io_file_close() then leaves the file */
    io_file_close(&f);
    return st;
}

void io_partial_remove(const char *partial, int locked)
{
    if (is_ours(partial, locked)) {
        unlink(partial);
    }
}

/*
 * Renames a complete file to its final name.
 *
 * A graph of the format graph500 can have a second file with its weights, which is useless without
 * the first file.  If such a graph replaces another, the order of steps keeps the two files from
 * belonging to different graphs.  First the old first file is removed.  Then the new second file is
 * renamed or, if the new graph has none, the old second file is removed.  Last, the new first file
 * is renamed.  A process that dies, or a call that fails, in between leaves no first file.
 */

static int rename_noreplace(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    return link(from, to) == 0 ? unlink(from) : -1;
}

static int rename_failed(const char *partial, const char *name)
{
    if (errno == EEXIST) {
        return edgefile_fail(EDGEFILE_ERR_EXISTS,
                             "%s: was created by another program in the meantime", name);
    }
    return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: rename from %s: %m", name,
                         partial);
}

/* Gives the new file the permission bits of the file that it replaces. */
static int keep_mode(const io_file *f)
{
    struct stat old, new;

    if (stat(f->name, &old) == 0 && stat(f->partial, &new) == 0 &&
        (old.st_mode ^ new.st_mode) & 0777 && chmod(f->partial, old.st_mode & 0777) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: permission bits: %m", f->partial);
    }
    return EDGEFILE_OK;
}

static int rename_partial(const io_file *f)
{
    const int rc = f->replace ? rename(f->partial, f->name) : rename_noreplace(f->partial, f->name);

    return rc == 0 ? EDGEFILE_OK : rename_failed(f->partial, f->name);
}

static int sync_folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    char folder[PATH_MAX] = ".";
    int fd, st = EDGEFILE_OK;

    if (length >= sizeof folder) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %s", name, strerror(ENAMETOOLONG));
    }
    if (length > 0) {
        snprintf(folder, sizeof folder, "%.*s", (int)length, name);
    }
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* EINVAL: this file system cannot sync folders. */
    if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL)) {
        st = edgefile_fail(EDGEFILE_ERR_IO, "%s: sync of the folder: %m", folder);
    }
    if (fd >= 0) {
        close(fd);
    }
    return st;
}

static int remove_file(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT ? EDGEFILE_OK
                                                : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
}

/* Renames or removes the second file, before the first file is renamed. */
static int place_second(const io_file *first, const io_file *second)
{
    struct stat st;

    if (second->partial == NULL) { /* an older file would be taken for the graph's */
        if (!first->replace || (lstat(second->name, &st) != 0 && errno == ENOENT)) {
            return EDGEFILE_OK;
        }
        EDGEFILE_TRY(remove_file(first->name));
        return remove_file(second->name);
    }
    if (first->replace) {
        EDGEFILE_TRY(keep_mode(second));
        EDGEFILE_TRY(remove_file(first->name));
    }
    return rename_partial(second);
}

int io_partial_rename(const io_file *f, const io_file *second)
{
    int st;

    if (f->replace) {
        EDGEFILE_TRY(keep_mode(f));
    }
    if (second != NULL) {
        EDGEFILE_TRY(place_second(f, second));
    }
    st = rename_partial(f);
    if (st != EDGEFILE_OK && second != NULL && second->partial != NULL) {
        rename(second->name, second->partial);
    }
    EDGEFILE_TRY(st);
    return sync_folder_of(f->name) == EDGEFILE_OK
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_IO,
                               "%s: is complete, but might not survive a power failure, because "
                               "its folder could not be synced",
                               f->name);
}

/* Removes this process's partial files when another library ends the process: libgomp does if it
 * cannot start a thread, and HDF5 in a few places if memory is exhausted.  If several processes
 * write a file, any of them may end them all, and removes it. */

typedef struct held {
    pid_t owner; /* a forked child inherits the list, not the files */
    int fd;
    struct held *next;
    char partial[];
} held;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static held *all;

int io_held_add(int fd, const char *partial)
{
    held *h = malloc(sizeof *h + strlen(partial) + 1);

    if (h == NULL) {
        return edgefile_no_memory(partial);
    }
    h->owner = getpid();
    h->fd = fd;
    strcpy(h->partial, partial);
    pthread_mutex_lock(&lock);
    h->next = all;
    all = h;
    pthread_mutex_unlock(&lock);
    return EDGEFILE_OK;
}

void io_held_drop(int fd)
{
    held **link, *gone;

    pthread_mutex_lock(&lock);
    for (link = &all; *link != NULL && (*link)->fd != fd; link = &(*link)->next) {
    }
    gone = *link;
    if (gone != NULL) {
        *link = gone->next;
    }
    pthread_mutex_unlock(&lock);
    free(gone);
}

/* The list stays locked: any thread that still writes is about to end, too. */
int edgefile_abandon(void)
{
    int removed = 0, gone = 0;

    if (pthread_mutex_trylock(&lock) != 0) {
        return 0;
    }
    for (const held *h = all; h != NULL; h = h->next) {
        if (h->owner != getpid()) {
            continue;
        }
        if (is_ours(h->partial, h->fd) && unlink(h->partial) == 0) {
            removed++;
        } else {
            gone++;
        }
    }
    return removed > 0 ? 1 : gone > 0 ? -1 : 0;
}
