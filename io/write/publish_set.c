/*
 * publish_set.c - files that belong together get their names together.
 *
 * The first of them is the main one, by which the others are found: while nothing has its name,
 * there is no graph.  Where a graph is replaced, its files step aside, the main one first; then the
 * new ones get their names, the main one last; then the old ones are removed.  If a step fails, all
 * before it are undone.
 *
 * If the process dies in between, whoever writes there next finds the old main file beside its
 * name.  If there is a main file of that name, the new graph is complete, and the rest of the old
 * one is removed.  If there is none, the old graph gets its names back.
 */
#include "io/files.h"

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

/* The new file gets the permission bits of the one that it replaces. */
static int keep_mode(const char *partial, const char *name)
{
    struct stat old, new;

    if (stat(name, &old) == 0 && stat(partial, &new) == 0 && (old.st_mode ^ new.st_mode) & 0777 &&
        chmod(partial, old.st_mode & 0777) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: permission bits: %m", partial);
    }
    return EDGEFILE_OK;
}

static int publish_file(const char *partial, const char *name, bool replace)
{
    int rc;

    if (replace) {
        EDGEFILE_TRY(keep_mode(partial, name));
    }
    rc = replace ? rename(partial, name) : rename_noreplace(partial, name);
    return rc == 0 ? EDGEFILE_OK : rename_failed(partial, name);
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

typedef enum { UNKNOWN, NOTHING, SOMETHING } presence;

static presence look_at_name(const char *name)
{
    struct stat st;

    if (lstat(name, &st) == 0) {
        return SOMETHING;
    }
    if (errno == ENOENT) {
        return NOTHING;
    }
    edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    return UNKNOWN;
}

static int remove_file(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT ? EDGEFILE_OK
                                                : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", path);
}

/* A file that says that nothing had the name when the others stepped aside. */
static int name_of_none(const edgefile_set_file *f, char name[PATH_MAX])
{
    return snprintf(name, PATH_MAX, "%s.none", f->old) < PATH_MAX
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: the name is too long", f->old);
}

/* The main one last: it tells that there are others. */
static int remove_old(const edgefile_set_file *f, int n)
{
    char none[PATH_MAX];

    for (int i = n - 1; i >= 0; i--) {
        EDGEFILE_TRY(name_of_none(&f[i], none));
        EDGEFILE_TRY(remove_file(none));
        EDGEFILE_TRY(remove_file(f[i].old));
    }
    return EDGEFILE_OK;
}

static int put_none(const edgefile_set_file *f)
{
    char none[PATH_MAX];
    int fd;

    EDGEFILE_TRY(name_of_none(f, none));
    fd = open(none, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", none);
    }
    close(fd);
    return EDGEFILE_OK;
}

static int step_aside(const edgefile_set_file *f, int n)
{
    for (int i = 0; i < n; i++) {
        if (rename(f[i].name, f[i].old) == 0) {
            continue;
        }
        if (errno != ENOENT) {
            return rename_failed(f[i].name, f[i].old);
        }
        EDGEFILE_TRY(put_none(&f[i]));
    }
    return EDGEFILE_OK;
}

/* What stepped aside gets its names back, the main one last, in place of new files. */
static int put_back(const edgefile_set_file *f, int n)
{
    char none[PATH_MAX];

    for (int i = n - 1; i >= 0; i--) {
        presence old = look_at_name(f[i].old), nothing;

        EDGEFILE_TRY(name_of_none(&f[i], none));
        nothing = look_at_name(none);
        if (old == UNKNOWN || nothing == UNKNOWN) {
            return EDGEFILE_ERR_IO;
        }
        if (old == SOMETHING || nothing == SOMETHING) {
            EDGEFILE_TRY(remove_file(f[i].name));
        }
        EDGEFILE_TRY(remove_file(none));
        if (old == SOMETHING && rename(f[i].old, f[i].name) != 0) {
            return rename_failed(f[i].old, f[i].name);
        }
    }
    return EDGEFILE_OK;
}

/* New files get their names, the main one last; or none does. */
static int place_new(const edgefile_set_file *f, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        int st = f[i].wanted ? publish_file(f[i].partial, f[i].name, f[i].replace) : EDGEFILE_OK;

        if (st != EDGEFILE_OK) {
            for (i++; i < n; i++) {
                if (f[i].wanted) {
                    rename(f[i].name, f[i].partial);
                }
            }
            return st;
        }
    }
    return EDGEFILE_OK;
}

/* Only what a graph can consist of steps aside; a new file gets the mode of the one before it. */
static int check_old(const edgefile_set_file *f)
{
    struct stat st;

    if (lstat(f->name, &st) != 0) {
        return EDGEFILE_OK;
    }
    if (!S_ISREG(st.st_mode)) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is %s, expected a regular file or none",
                             f->name, edgefile_kind(st.st_mode));
    }
    return f->wanted ? keep_mode(f->partial, f->name) : EDGEFILE_OK;
}

/* After a failure, whose status and message stay. */
static int undo(const edgefile_set_file *f, int n, int st)
{
    char *why = strdup(edgefile_detail());

    if (put_back(f, n) != EDGEFILE_OK) {
        edgefile_fail(st, "%s; the file that it was to replace is now called %s",
                      why != NULL ? why : f->name, f->old);
    } else {
        edgefile_fail(st, "%s", why != NULL ? why : f->name);
    }
    free(why);
    return st;
}

/* The old files, of which there is the main one, make way for the new ones. */
static int swap_old(const edgefile_set_file *f, int n)
{
    int st = remove_old(f, n);

    for (int i = 0; i < n && st == EDGEFILE_OK; i++) {
        st = check_old(&f[i]);
    }
    EDGEFILE_TRY(st);
    st = step_aside(f, n);
    if (st == EDGEFILE_OK) {
        st = place_new(f, n);
    }
    return st == EDGEFILE_OK ? st : undo(f, n, st);
}

/* Nothing to step aside: others without a main one are nobody's. */
static int place_alone(const edgefile_set_file *f, int n)
{
    for (int i = 1; i < n; i++) {
        EDGEFILE_TRY(f[i].replace ? remove_file(f[i].name) : EDGEFILE_OK);
    }
    return place_new(f, n);
}

int edgefile_set_publish(const edgefile_set_file *f, int n)
{
    const presence old = n > 1 ? look_at_name(f->name) : NOTHING;

    if (old == UNKNOWN) {
        return EDGEFILE_ERR_IO;
    }
    if (old == SOMETHING && !f->replace) { /* before anything else is touched */
        errno = EEXIST;
        return rename_failed(f->partial, f->name);
    }
    EDGEFILE_TRY(old == NOTHING ? place_alone(f, n) : swap_old(f, n));
    if (sync_folder_of(f->name) != EDGEFILE_OK) {
        return edgefile_fail(
            EDGEFILE_ERR_IO,
            "%s: is complete, but might not survive a power failure, because its folder could not "
            "be synced",
            f->name);
    }
    if (old != NOTHING) { /* the new files are in place: what is left of the old ones can wait */
        remove_old(f, n);
    }
    return EDGEFILE_OK;
}

int edgefile_set_recover(const edgefile_set_file *f, int n)
{
    const presence old = n > 1 ? look_at_name(f->old) : NOTHING, main = look_at_name(f->name);

    if (old == UNKNOWN || main == UNKNOWN) {
        return EDGEFILE_ERR_IO;
    }
    if (old == NOTHING) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(main == NOTHING ? put_back(f, n) : remove_old(f, n));
    return sync_folder_of(f->name);
}
