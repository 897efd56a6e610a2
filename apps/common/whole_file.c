#include "apps/common/whole_file.h"
#include "apps/common/message.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int whole_file_check(const char *command, const char *name, bool replace)
{
    struct stat st;

    if (strcmp(name, "-") == 0 || (stat(name, &st) != 0 && errno == ENOENT)) {
        return EXIT_OK;
    }
    if (stat(name, &st) != 0) {
        return runtime_error(command, "%s: %s", name, strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return runtime_error(command, "%s: exists and is not a regular file", name);
    }
    return replace ? EXIT_OK : runtime_error(command, "%s: exists already", name);
}

/* 0, or errno. */
static int write_all(int fd, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = write(fd, data, bytes);

        if (n < 0 && errno != EINTR) {
            return errno;
        }
        data += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return fsync(fd) != 0 ? errno : 0;
}

int whole_file_write(const char *command, const char *name, bool replace, const void *data,
                     size_t bytes)
{
    char *partial = NULL;
    int fd, error, status = whole_file_check(command, name, replace);

    if (status != EXIT_OK) {
        return status;
    }
    if (strcmp(name, "-") == 0) {
        fwrite(data, 1, bytes, stdout); /* main() looks whether it went well */
        return EXIT_OK;
    }
    if (asprintf(&partial, "%s.partial", name) < 0) {
        return runtime_error(command, "memory is exhausted");
    }
    fd = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    error = fd < 0 ? errno : write_all(fd, data, bytes);
    if (fd >= 0 && close(fd) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && rename(partial, name) != 0) {
        error = errno;
    }
    if (error != 0) {
        status = runtime_error(command, "%s: %s", partial, strerror(error));
        if (fd >= 0) {
            unlink(partial);
        }
    }
    free(partial);
    return status;
}
