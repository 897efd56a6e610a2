/*
 * A disk that is slow or fails, for one rank of a job.  Load it with LD_PRELOAD.
 *
 * BAD_DISK_RANK   the rank that has it; without, all have
 * BAD_DISK_DELAY  milliseconds that every write takes longer
 * BAD_DISK_FAIL   the write with this number, from 1, and all later ones fail
 * BAD_DISK_ERRNO  with this error; EIO unless given
 * BAD_DISK_NAME   milliseconds until a call that gave a file its name returns
 *
 * Only writes of 64 KiB and more count: those of edges, not those of metadata, logs and messages.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { LEAST = 64 << 10 };

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

/* As the launcher told this process: Open MPI's, PMI's, PMIx's and Slurm's names. */
static long rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                        "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (getenv(names[i]) != NULL) {
            return number(names[i], 0);
        }
    }
    return 0;
}

static void sleep_for(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* Is the write to fail?  Then errno says why. */
static int bad(int fd, size_t bytes)
{
    static atomic_long writes;
    long here = rank();
    long milliseconds = number("BAD_DISK_DELAY", 0);
    long first = number("BAD_DISK_FAIL", 0);
    struct stat st;

    if (bytes < LEAST || number("BAD_DISK_RANK", here) != here || fstat(fd, &st) != 0 ||
        !S_ISREG(st.st_mode)) {
        return 0;
    }
    sleep_for(milliseconds);
    if (first == 0 || atomic_fetch_add(&writes, 1) + 1 < first) {
        return 0;
    }
    errno = (int)number("BAD_DISK_ERRNO", EIO);
    return 1;
}

/* Define NAME(PARAMETERS), which writes n bytes and passes ARGUMENTS on to the C library's. */
#define WRAP(name, parameters, arguments)                                                          \
    ssize_t name parameters;                                                                       \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        ssize_t(*next) parameters;                                                                 \
                                                                                                   \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                 \
        return bad(fd, n) ? -1 : next arguments;                                                   \
    }

WRAP(write, (int fd, const void *data, size_t n), (fd, data, n))
WRAP(pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at))
WRAP(pwrite64, (int fd, const void *data, size_t n, off64_t at), (fd, data, n, at))

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    int (*next)(int, const char *, int, const char *, unsigned), status, error;

    *(void **)&next = dlsym(RTLD_NEXT, "renameat2");
    status = next(from_folder, from, to_folder, to, flags);
    error = errno;
    sleep_for(number("BAD_DISK_NAME", 0));
    errno = error;
    return status;
}
