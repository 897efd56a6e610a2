/*
 * rename.c - renames a complete file to its final name.
 *
 * A graph of the format graph500 can have a second file with its weights, which is useless without
 * the first file.  If such a graph replaces another, the order of steps keeps the two files from
 * belonging to different graphs.  First the old first file is removed.  Then the new second file is
 * renamed or, if the new graph has none, the old second file is removed.  Last, the new first file
 * is renamed.  A process that dies, or a call that fails, in between leaves no first file.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int io_file_rename(const io_file *f, const io_file *second)
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
