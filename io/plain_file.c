/* plain_file.c - a file of bytes: NAME.partial until it is complete; or standard output. */
#include "io/graphfile_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_existing(const graphfile_plain *f)
{
    struct stat st;

    if (stat(f->name, &st) != 0)
        return errno == ENOENT ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", f->name);
    if (!S_ISREG(st.st_mode))
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: is %s, expected a regular file or none",
                             f->name, edgefile_kind(st.st_mode));
    if (!f->replace)
        return edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: exists already", f->name);
    return EDGEFILE_OK;
}

int graphfile_plain_create(graphfile_plain *f, const char *name, int replace)
{
    int st;

    *f = (graphfile_plain){.fd = -1, .replace = replace};
    if (strcmp(name, "-") == 0) {
        f->fd = dup(STDOUT_FILENO);
        return f->fd >= 0 ? EDGEFILE_OK : edgefile_fail(EDGEFILE_ERR_OPEN, "standard output: %m");
    }
    f->name = strdup(name);
    if (f->name == NULL || asprintf(&f->partial, "%s.partial", name) < 0) {
        f->partial = NULL;
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    }
    st = refuse_existing(f);
    if (st != EDGEFILE_OK)
        return st;
    f->fd = open(f->partial, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (f->fd < 0)
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", f->partial);
    return EDGEFILE_OK;
}

int graphfile_plain_write(graphfile_plain *f, uint64_t offset, const void *data, size_t bytes)
{
    const char *from = data;

    while (bytes > 0) {
        size_t most = bytes < EDGEFILE_MAX_CALL ? bytes : EDGEFILE_MAX_CALL;
        ssize_t n =
            f->name != NULL ? pwrite(f->fd, from, most, (off_t)offset) : write(f->fd, from, most);
        uint64_t end;

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m",
                                 f->name != NULL ? f->partial : "standard output");
        from += n;
        offset += (uint64_t)n;
        bytes -= (size_t)n;
        end = atomic_load(&f->end);
        while (end < offset && !atomic_compare_exchange_weak(&f->end, &end, offset)) {
        }
    }
    return EDGEFILE_OK;
}

int graphfile_plain_publish(graphfile_plain *f)
{
    if (f->name == NULL)
        return EDGEFILE_OK;
    if (fsync(f->fd) != 0)
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", f->partial);
    if (rename(f->partial, f->name) != 0)
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", f->name);
    free(f->partial);
    f->partial = NULL;
    return EDGEFILE_OK;
}

void graphfile_plain_close(graphfile_plain *f)
{
    if (f->fd >= 0) {
        close(f->fd);
        if (f->partial != NULL)
            unlink(f->partial);
    }
    f->fd = -1;
    free(f->name);
    free(f->partial);
    f->name = f->partial = NULL;
}
