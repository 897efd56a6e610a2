/* Files without a name, and standard input or a pipe as a file that can be read anywhere: itself,
 * or a copy of what the pipe brings. */
#include "apps/engine/source/spool.h"
#include "apps/engine/meter.h"
#include "apps/engine/status.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 20, SOON = 100 /* ms */ };

static int make_file(const char *folder)
{
    char *name = NULL;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) {
        return fd;
    }
    if (asprintf(&name, "%s/rmat-XXXXXX", folder) < 0) {
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) {
        unlink(name);
    }
    free(name);
    return fd;
}

bool spool_write(int fd, const void *data, size_t bytes)
{
    const char *from = data;

    while (bytes > 0) {
        ssize_t n = write(fd, from, bytes);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        from += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Waits for input, or until the watch says stop. */
static bool has_input(int from, engine_meter *meter, int *reason)
{
    struct pollfd input = {.fd = from, .events = POLLIN};

    while ((*reason = engine_meter_tick(meter, 0, 0)) == 0) {
        if (poll(&input, 1, SOON) > 0) {
            return true;
        }
    }
    return false;
}

/* what: the input, for messages. */
static int copy(int fd, int from, const char *what, const char *folder, const engine_watch *watch)
{
    engine_meter meter = engine_meter_of(watch, "copying the input", 0, 0);
    char *buffer = malloc(BUFFER);
    int status = ENGINE_OK, reason;

    if (buffer == NULL) {
        return engine_fail("memory is exhausted");
    }
    while (status == ENGINE_OK) {
        ssize_t n = -1;

        if (!has_input(from, &meter, &reason)) {
            status = engine_stop_with(reason);
        } else if ((n = read(from, buffer, BUFFER)) == 0) {
            break;
        } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
            status = engine_fail("%s: %s", what, strerror(errno));
        } else if (n > 0 && !spool_write(fd, buffer, (size_t)n)) {
            status = engine_fail("%s: a copy of %s: %s", folder, what, strerror(errno));
        }
    }
    free(buffer);
    return status;
}

const char *spool_folder(const char *folder)
{
    if (folder == NULL) {
        folder = getenv("TMPDIR");
    }
    return folder == NULL || *folder == '\0' ? "/tmp" : folder;
}

int spool_create(int *fd, const char *folder, const char *what)
{
    *fd = make_file(folder);
    return *fd >= 0 ? ENGINE_OK
                    : engine_fail("%s: a copy of %s: %s", folder, what, strerror(errno));
}

bool spool_is_pipe(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));
}

static int copy_new(int *fd, int from, const char *what, const char *folder,
                    const engine_watch *watch)
{
    int status = spool_create(fd, folder, what);

    if (status != ENGINE_OK) {
        return status;
    }
    status = copy(*fd, from, what, folder, watch);
    if (status != ENGINE_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

/* Opened without waiting for somebody who writes: copy() waits, and can be stopped. */
int spool_pipe(int *fd, const char *name, const char *folder, const engine_watch *watch)
{
    const int from = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int status;

    *fd = -1;
    if (from < 0) {
        return engine_fail("%s: %s", name, strerror(errno));
    }
    status = copy_new(fd, from, name, folder, watch);
    close(from);
    return status;
}

int spool_stdin(int *fd, const char *folder, const engine_watch *watch)
{
    struct stat st;

    if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) &&
        lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) {
        *fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        return *fd >= 0 ? ENGINE_OK : engine_fail("standard input: %s", strerror(errno));
    }
    return copy_new(fd, STDIN_FILENO, "standard input", folder, watch);
}
