/*
 * rmat verify: the meaning of a file that cannot be opened.
 *
 * A damaged file of rmat is wrong.  A file is not checked if it is missing, unreadable or another
 * program's, or if this process lacks memory or file descriptors.
 */
#include "apps/verify/verify.h"
#include "io/graphfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes of a file that contain its attributes, and the number of them that is enough to name
 * its maker. */
enum { BEGINNING = 1 << 20, ENOUGH = 512 };

/* Whether it looks like an HDF5 file, complete or not, in spite of a few damaged bytes. */
static bool is_hdf5(const char *bytes, size_t n)
{
    static const char signature[] = "\211HDF\r\n\032\n";
    const size_t length = n < strlen(signature) ? n : strlen(signature);
    size_t intact = 0;

    for (size_t i = 0; i < length; i++) {
        intact += bytes[i] == signature[i];
    }
    return 2 * intact >= length;
}

/* Whether it bears a mark of rmat.  A single damage does not hide all of the marks. */
static bool has_mark(const char *bytes, size_t n)
{
    static const char *const marks[] = {"rmat-edges", "rmat-csr", "stream_version", "fingerprint"};
    bool found = false;

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        found = found || memmem(bytes, n, marks[i], strlen(marks[i])) != NULL;
    }
    return found;
}

/* Whether another program made this file.  Unknown if the file was cut off near its beginning. */
static bool is_foreign(const char *name)
{
    char *bytes = malloc(BEGINNING);
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    const bool readable =
        bytes != NULL && fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    const uint64_t n = readable ? edgefile_get(fd, 0, BEGINNING, bytes) : 0;
    const bool foreign = !readable || errno != 0 || !is_hdf5(bytes, (size_t)n) ||
                         (n >= ENOUGH && !has_mark(bytes, (size_t)n));

    if (fd >= 0) {
        close(fd);
    }
    free(bytes);
    return foreign;
}

bool verify_is_failure(int status)
{
    return status == EDGEFILE_ERR_OPEN || status == EDGEFILE_ERR_IO ||
           status == EDGEFILE_ERR_NOMEM || status == EDGEFILE_ERR_NO_HDF5;
}

void verify_blame_file(verify_report *report, const char *check, int status)
{
    if (verify_is_failure(status)) {
        verify_failed(report, check, "%s", edgefile_detail());
    } else {
        verify_wrong(report, check, "%s", edgefile_detail());
    }
}

void verify_not_opened(verify_report *report, int status, const char *name)
{
    if (!verify_is_failure(status) && is_foreign(name)) {
        verify_failed(report, "file", "%s; only files in h5 and csr can be verified",
                      edgefile_detail());
    } else {
        verify_blame_file(report, "file", status);
    }
}
