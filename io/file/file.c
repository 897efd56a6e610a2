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
#include "io/graphfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { POLL_MS = 100, PIPE_BYTES = 1 << 20 };

/* At least a page: parts of pages must not bypass the page cache (see above). */
size_t edgefile_alignment(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 4096 ? (size_t)page : 4096;
}

/*
 * The type of file system of a path, whether two hosts may write parts of one page there, and
 * whether space is reserved before data is written.
 *
 * NFS and FUSE file systems cache pages on each host.  A host writes back whole pages, which
 * overwrites the bytes that another host has written to the same page.
 *
 * On a disk, reserved space is contiguous, and a writer need not wait for an allocation.  In tmpfs,
 * reserved space is memory.  A single thread would clear all its pages before the first writer
 * begins; without a reservation, no page is cleared that a writer fills.
 */

static const struct kind {
    unsigned magic; /* statfs f_type */
    const char *name;
    enum { DISK, CACHES, MEMORY } trait;
} kinds[] = {
    {0xEF53, "ext4", DISK},         {0x58465342, "xfs", DISK},    {0x9123683E, "btrfs", DISK},
    {0x2FC12FC1, "zfs", DISK},      {0xF2F52010, "f2fs", DISK},   {0xCA451A4E, "bcachefs", DISK},
    {0x01021994, "tmpfs", MEMORY},  {0x858458F6, "ramfs", DISK},  {0x794C7630, "overlayfs", DISK},
    {0x4D44, "vfat", DISK},         {0x2011BAB0, "exfat", DISK},  {0x5346544E, "ntfs", DISK},
    {0x0BD00BD0, "lustre", DISK},   {0x47504653, "gpfs", DISK},   {0x19830326, "beegfs", DISK},
    {0x20030528, "orangefs", DISK}, {0xAAD7AAEA, "panfs", DISK},  {0x00C36400, "ceph", DISK},
    {0x01161970, "gfs2", DISK},     {0x7461636F, "ocfs2", DISK},  {0x6969, "nfs", CACHES},
    {0xFF534D42, "cifs", CACHES},   {0xFE534D42, "smb2", CACHES}, {0x517B, "smb", CACHES},
    {0x65735546, "fuse", CACHES},   {0x01021997, "9p", CACHES},   {0x6B414653, "afs", CACHES},
    {0x73757245, "coda", CACHES},
};
static const struct kind unknown = {0, "unknown", CACHES};

static const struct kind *kind_of(const struct statfs *fs)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].magic == (unsigned)fs->f_type) {
            return &kinds[i];
        }
    }
    return &unknown;
}

/* The kind of file system of the file, or of the folder that it would be in. */
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

bool io_caches_pages(const char *path)
{
    return find_filesystem(path)->trait == CACHES;
}

/* Returns 0 or an errno; EOPNOTSUPP if the file system cannot or should not.  Not
 * posix_fallocate(): on file systems without such a call glibc writes to the whole file. */
static int set_aside(int fd, uint64_t bytes)
{
    struct statfs fs;
    int rc;

    if (fstatfs(fd, &fs) == 0 && kind_of(&fs)->trait == MEMORY) {
        return EOPNOTSUPP;
    }
    do {
        rc = fallocate(fd, 0, 0, (off_t)bytes);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : errno == ENOSYS ? EOPNOTSUPP : errno;
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
    EDGEFILE_TRY(io_partial_lock(f->partial, &f->fd, NULL));
    return set_length(f, 0);
}

/*
 * The message from process 0 to the others.  They check that they see the file that process 0 made,
 * by the random length that process 0 gives it: a folder of the same name on another host may be
 * another folder.  A network file system may show a new file late, so they try for a while.
 */
typedef struct {
    char partial[PATH_MAX];
    uint64_t length;
} invitation;

enum { TRIES = 100, PAUSE_MS = 50 };

static int invite_others(const io_file *f, invitation *to)
{
    uint16_t random;

    if (strlen(f->partial) >= sizeof to->partial) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: the name is too long", f->partial);
    }
    if (getrandom(&random, sizeof random, 0) != sizeof random) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: a random number: %m", f->partial);
    }
    strcpy(to->partial, f->partial);
    to->length = 1 + (uint64_t)random;
    return set_length(f, to->length);
}

/* Opens the file if it is there and the right one; -1: not (yet), with errno ENOENT or ESTALE, or
 * an error. */
static int open_invited(const invitation *to)
{
    const int fd = open(to->partial, O_RDWR | O_CLOEXEC);
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) != 0 || (uint64_t)st.st_size != to->length)) {
        close(fd);
        errno = ENOENT;
        return -1;
    }
    return fd;
}

/* On processes other than 0. */
static int attach_file(io_file *f, const invitation *to)
{
    f->partial = strdup(to->partial);
    f->name = strndup(to->partial, strlen(to->partial) - strlen(".partial"));
    if (f->partial == NULL || f->name == NULL) {
        return edgefile_no_memory(to->partial);
    }
    for (int i = 0; i < TRIES; i++) {
        f->fd = open_invited(to);
        if (f->fd >= 0) {
            return io_held_add(f->fd, f->partial);
        }
        if (errno != ENOENT && errno != ESTALE) {
            return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", f->partial);
        }
        nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
    }
    return edgefile_fail(
        EDGEFILE_ERR_OPEN,
        "%s: process %d does not see the file that process 0 created: is the folder shared by all "
        "hosts?",
        f->partial, f->group->rank);
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
    errno = f->name == NULL || bytes > INT64_MAX ? EOPNOTSUPP : set_aside(f->fd, bytes);
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

/* Writes whole units: pages past the page cache, bytes through it. */
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
    uint64_t *ends, end = 0;

    EDGEFILE_TRY(edgefile_group_gather(f->group, f->partial, atomic_load(&f->end), &ends));
    for (int k = 0; k < f->group->size; k++) {
        end = ends[k] > end ? ends[k] : end;
    }
    atomic_store(&f->end, end);
    free(ends);
    return EDGEFILE_OK;
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
        edgefile_group_agree(f->group, f->attached ? EDGEFILE_OK : io_partial_rename(f, second)));
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

int edgefile_small_create(edgefile_small **small, const char *name, int replace)
{
    int status;

    *small = calloc(1, sizeof **small);
    if (*small == NULL) {
        return edgefile_no_memory(name);
    }
    status = io_file_create(&(*small)->file, name, replace != 0, false, NULL);
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
