/*
 * partial_file.c - NAME.partial: its lock, and room for it on the disk.
 *
 * The partial file lies in the same folder as NAME, so that a rename can publish it; if NAME is a
 * symbolic link, in the folder of the file that it points to.  Whoever holds the write lock on the
 * partial file owns it.  A partial file without a lock belongs to a writer that died and may be
 * taken over.  The lock is an open file description lock: HDF5's flock() does not collide with it,
 * and closing another descriptor of the same file, as HDF5 does, does not drop it.  On a file
 * system without locks, such as some network file systems, the living cannot be told from the dead,
 * and the later writer wins.  Only one byte far behind all edges is locked.
 */
#include "io/files.h"
#include "io/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LOCKED_BYTE ((off_t)1 << 62)

/* The path by which processes that started in other folders know the file. */
static char *absolute_path(const char *name)
{
    char *folder = getcwd(NULL, 0), *path = NULL;

    if (folder == NULL || asprintf(&path, "%s/%s", folder, name) < 0) {
        path = NULL;
    }
    free(folder);
    return path;
}

int edgefile_partial_names(const char *name, bool absolute, bool replace, char **full,
                           char **partial)
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

/* Why the partial file could not be created: most often because a folder of its path is missing, of
 * which the first is named. */
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

static int not_regular(const char *partial)
{
    return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: exists and is not a regular file", partial);
}

static int at_work(const char *partial)
{
    return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is being written by another process", partial);
}

static int other_name(const char *partial)
{
    return edgefile_fail(EDGEFILE_ERR_OPEN,
                         "%s: is also known by another name, under which it would be lost; remove "
                         "this name first",
                         partial);
}

/* Is the file that is open the one with the name?  Another writer's may have it by now. */
static bool edgefile_partial_is_ours(const char *partial, int fd)
{
    struct stat opened, named;

    return fstat(fd, &opened) == 0 && lstat(partial, &named) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

/* Opens and locks.  The lock must be on the file that has the name now, not on one that its writer
 * renamed between our open and our lock. */
int edgefile_partial_lock(const char *partial, int *locked)
{
    for (;;) { /* until what we locked has the name */
        struct flock lock = {
            .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCKED_BYTE, .l_len = 1};
        struct stat opened, named;
        int fd = open(partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);

        if (fd < 0) {
            return cannot_create(partial);
        }
        if (fstat(fd, &opened) != 0 || !S_ISREG(opened.st_mode)) {
            close(fd);
            return not_regular(partial);
        }
        if (fcntl(fd, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES)) {
            close(fd);
            return at_work(partial);
        }
        /* Somebody's, or the graph of a writer that died between link() and unlink(). */
        if (opened.st_nlink > 1) {
            close(fd);
            return other_name(partial);
        }
        if (lstat(partial, &named) != 0 && errno != ENOENT) {
            edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", partial);
            close(fd);
            return EDGEFILE_ERR_OPEN;
        }
        if (edgefile_partial_is_ours(partial, fd)) {
            *locked = fd;
            return edgefile_held_add(fd, partial);
        }
        close(fd);
    }
}

/* stale: bytes of what is replaced. */
static int check_room(const struct statvfs *fs, uint64_t stale, const char *name, uint64_t bytes)
{
    uint64_t room;

    if (__builtin_add_overflow(stale, (uint64_t)fs->f_bavail * fs->f_frsize, &room)) {
        room = UINT64_MAX;
    }
    /* A file system that reports zero blocks does not know its size. */
    if (bytes > INT64_MAX || (fs->f_blocks != 0 && bytes > room)) {
        return edgefile_fail(EDGEFILE_ERR_SPACE,
                             "%s: the file needs %llu bytes, the file system has room for %llu",
                             name, (unsigned long long)bytes, (unsigned long long)room);
    }
    return EDGEFILE_OK;
}

int edgefile_partial_room(int fd, const char *name, uint64_t bytes)
{
    struct statvfs fs;
    struct stat stale;

    if (fstat(fd, &stale) != 0 || fstatvfs(fd, &fs) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s.partial: %m", name);
    }
    return check_room(&fs, (uint64_t)stale.st_blocks * 512, name, bytes);
}

/* A partial file that is there already: could it be taken over? */
static int check_stale(const char *partial)
{
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCKED_BYTE, .l_len = 1};
    struct stat opened;
    int fd = open(partial, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), st = EDGEFILE_OK;

    if (fd < 0) {
        return cannot_create(partial);
    }
    if (fstat(fd, &opened) != 0 || !S_ISREG(opened.st_mode)) {
        st = not_regular(partial);
    } else if (fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
        st = at_work(partial);
    } else if (opened.st_nlink > 1) {
        st = other_name(partial);
    }
    close(fd);
    return st;
}

/* The folder of the partial file, which is not there yet. */
static int check_folder(const char *partial, char *folder)
{
    strcpy(folder, partial);
    *(strrchr(folder, '/') != NULL ? strrchr(folder, '/') + 1 : folder) = '\0';
    if (*folder == '\0') {
        strcpy(folder, ".");
    }
    return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? EDGEFILE_OK
                                                                     : cannot_create(partial);
}

int edgefile_could_create(const char *name, bool absolute, bool replace, uint64_t bytes)
{
    char *full = NULL, *partial = NULL, *folder = NULL;
    struct statvfs fs;
    struct stat stale = {0};
    int st = edgefile_partial_names(name, absolute, replace, &full, &partial);

    if (st == EDGEFILE_OK && (folder = malloc(strlen(partial) + 2)) == NULL) {
        st = edgefile_no_memory(name);
    }
    if (st == EDGEFILE_OK && lstat(partial, &stale) == 0) {
        st = check_stale(partial);
    } else if (st == EDGEFILE_OK) {
        st = errno == ENOENT ? EDGEFILE_OK : cannot_create(partial);
    }
    if (st == EDGEFILE_OK) {
        st = check_folder(partial, folder);
    }
    if (st == EDGEFILE_OK && statvfs(folder, &fs) == 0) {
        st = check_room(&fs, (uint64_t)stale.st_blocks * 512, full, bytes);
    }
    free(full);
    free(partial);
    free(folder);
    return st;
}

/* Asks, with a sparse file, whether a file may be this long. */
int edgefile_partial_fits(int fd, const char *name, uint64_t bytes)
{
    EDGEFILE_TRY(edgefile_partial_room(fd, name, bytes));
    if (ftruncate(fd, 0) != 0 || ftruncate(fd, (off_t)bytes) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO),
                             "%s.partial: length of %llu bytes: %m", name,
                             (unsigned long long)bytes);
    }
    return EDGEFILE_OK;
}

void edgefile_partial_remove(const char *partial, int locked)
{
    if (edgefile_partial_is_ours(partial, locked)) {
        unlink(partial);
    }
}

/*
 * Removes the partial files that this process holds, for an exit that comes from elsewhere: libgomp
 * ends the process where it cannot start a thread, and HDF5 where memory is exhausted at a few
 * places.  Of several processes that write a file, any may end them all, and removes it.
 */

typedef struct held {
    pid_t owner; /* a child that it forks inherits the list, not the files */
    int fd;
    struct held *next;
    char partial[];
} held;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static held *all;

int edgefile_held_add(int fd, const char *partial)
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

void edgefile_held_drop(int fd)
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

/* The list stays locked: whoever still writes is at the end of the process, too. */
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
        if (edgefile_partial_is_ours(h->partial, h->fd) && unlink(h->partial) == 0) {
            removed++;
        } else {
            gone++;
        }
    }
    return removed > 0 ? 1 : gone > 0 ? -1 : 0;
}

/*
 * The type of file system that a path is on, whether two hosts may write parts of one page
 * there, and whether space is set aside before data is written.
 *
 * NFS and FUSE file systems cache pages on each host, and a host writes back whole pages: with
 * them what another host has written to the same page.
 *
 * On a disk, space that is set aside lies in one piece, and a writer need not wait for it.  In
 * tmpfs it would be pages of memory: a single thread would clear them all, one after the other,
 * before the first writer begins, which clears none of the pages that it fills.
 */

static const struct kind {
    unsigned magic; /* statfs f_type */
    const char *name;
    unsigned traits;
} kinds[] = {
    {0xEF53, "ext4", 0},
    {0x58465342, "xfs", 0},
    {0x9123683E, "btrfs", 0},
    {0x2FC12FC1, "zfs", 0},
    {0xF2F52010, "f2fs", 0},
    {0xCA451A4E, "bcachefs", 0},
    {0x01021994, "tmpfs", EDGEFILE_FS_MEMORY},
    {0x858458F6, "ramfs", 0},
    {0x794C7630, "overlayfs", 0},
    {0x4D44, "vfat", 0},
    {0x2011BAB0, "exfat", 0},
    {0x5346544E, "ntfs", 0},
    {0x0BD00BD0, "lustre", 0},
    {0x47504653, "gpfs", 0},
    {0x19830326, "beegfs", 0},
    {0x20030528, "orangefs", 0},
    {0xAAD7AAEA, "panfs", 0},
    {0x00C36400, "ceph", 0},
    {0x01161970, "gfs2", 0},
    {0x7461636F, "ocfs2", 0},
    {0x6969, "nfs", EDGEFILE_FS_CACHES},
    {0xFF534D42, "cifs", EDGEFILE_FS_CACHES},
    {0xFE534D42, "smb2", EDGEFILE_FS_CACHES},
    {0x517B, "smb", EDGEFILE_FS_CACHES},
    {0x65735546, "fuse", EDGEFILE_FS_CACHES},
    {0x01021997, "9p", EDGEFILE_FS_CACHES},
    {0x6B414653, "afs", EDGEFILE_FS_CACHES},
    {0x73757245, "coda", EDGEFILE_FS_CACHES},
};
static const struct kind unknown = {0, "unknown", EDGEFILE_FS_CACHES};

static const struct kind *kind_of(const struct statfs *fs)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].magic == (unsigned)fs->f_type) {
            return &kinds[i];
        }
    }
    return &unknown;
}

/* The kind of the file system of the file, or of the folder that it would be in. */
static const struct kind *find_filesystem(const char *path)
{
    struct statfs fs;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    int rc = statfs(path, &fs);

    if (rc != 0 && folder != NULL) {
        rc = statfs(folder, &fs);
    }
    free(folder);
    return rc == 0 ? kind_of(&fs) : &unknown;
}

const char *edgefile_filesystem(const char *path)
{
    return find_filesystem(path)->name;
}

unsigned edgefile_filesystem_traits(const char *path)
{
    return find_filesystem(path)->traits;
}

/* Not posix_fallocate(): on file systems without such a call glibc writes to the whole file. */
int edgefile_set_aside(int fd, uint64_t offset, uint64_t bytes)
{
    struct statfs fs;
    int rc;

    if (fstatfs(fd, &fs) == 0 && kind_of(&fs)->traits & EDGEFILE_FS_MEMORY) {
        return EOPNOTSUPP;
    }
    do {
        rc = fallocate(fd, 0, (off_t)offset, (off_t)bytes);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : errno == ENOSYS ? EOPNOTSUPP : errno;
}
