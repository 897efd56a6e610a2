/*
 * filesystem.c - the type of file system of a path, whether two hosts may write parts of one page
 * there, and whether space is reserved before data is written.
 *
 * NFS and FUSE file systems cache pages on each host.  A host writes back whole pages, which
 * overwrites the bytes that another host has written to the same page.
 *
 * On a disk, reserved space is contiguous, and a writer need not wait for an allocation.  In tmpfs,
 * reserved space is memory.  A single thread would clear all its pages before the first writer
 * begins; without a reservation, no page is cleared that a writer fills.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

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
    {0x01021994, "tmpfs", IO_FS_MEMORY},
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
    {0x6969, "nfs", IO_FS_CACHES},
    {0xFF534D42, "cifs", IO_FS_CACHES},
    {0xFE534D42, "smb2", IO_FS_CACHES},
    {0x517B, "smb", IO_FS_CACHES},
    {0x65735546, "fuse", IO_FS_CACHES},
    {0x01021997, "9p", IO_FS_CACHES},
    {0x6B414653, "afs", IO_FS_CACHES},
    {0x73757245, "coda", IO_FS_CACHES},
};
static const struct kind unknown = {0, "unknown", IO_FS_CACHES};

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

unsigned io_filesystem_traits(const char *path)
{
    return find_filesystem(path)->traits;
}

/* Not posix_fallocate(): on file systems without such a call glibc writes to the whole file. */
int io_set_aside(int fd, uint64_t offset, uint64_t bytes)
{
    struct statfs fs;
    int rc;

    if (fstatfs(fd, &fs) == 0 && kind_of(&fs)->traits & IO_FS_MEMORY) {
        return EOPNOTSUPP;
    }
    do {
        rc = fallocate(fd, 0, (off_t)offset, (off_t)bytes);
    } while (rc != 0 && errno == EINTR);
    return rc == 0 ? 0 : errno == ENOSYS ? EOPNOTSUPP : errno;
}
