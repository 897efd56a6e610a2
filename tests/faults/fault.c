/*
 * fault.c - fails or kills a program at one of its system calls.  Load it with LD_PRELOAD.
 *
 * Calls from main() on are counted by groups, from 1: alloc, open, read, write, sync, close,
 * rename, thread, lock.
 *
 * FAULT_GROUP   the group whose calls are to fail; without it none does
 * FAULT_CALL    the number of the call
 * FAULT_MORE    how many later ones fail, too; -1: all
 * FAULT_ERRNO   with this error; EIO unless given
 * FAULT_WAY     "fail"; "short": half of the bytes are read or written; "kill": SIGKILL in place of
 *               the call; "after": SIGKILL right after it
 * FAULT_COUNTS  a file for the counts, 8 bytes for each group, at any moment
 * FAULT_RANK    only this rank of a job
 * FAULT_FOLDER  calls that concern files count if these lie there, have a relative name, or none
 * FAULT_MINUTE  the number of the question for the time from which on it is a minute later
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The next definition of a function of this name. */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum way { FAIL, SHORT, KILL, AFTER };
enum group { ALLOC, OPENING, READ, WRITE, SYNC, CLOSE, RENAME, THREAD, LOCK, GROUPS };

static const char *const names[GROUPS] = {"alloc", "open",   "read",   "write", "sync",
                                          "close", "rename", "thread", "lock"};
static const char *folder;
static const char *const ways[] = {"fail", "short", "kill", "after"};

static int group = -1, way, error = EIO;
static uint64_t first = UINT64_MAX, last, minute = UINT64_MAX, questions;
static uint64_t own[GROUPS], *counts; /* NULL: not begun */

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

static int index_of(const char *name, const char *const *list, int n, int otherwise)
{
    const char *text = getenv(name);

    for (int i = 0; text != NULL && i < n; i++) {
        if (strcmp(text, list[i]) == 0) {
            return i;
        }
    }
    return otherwise;
}

static bool concerns_rank(void)
{
    const char *wanted = getenv("FAULT_RANK"), *rank = getenv("OMPI_COMM_WORLD_RANK");

    return wanted == NULL || (rank != NULL && strcmp(rank, wanted) == 0);
}

static void begin(void)
{
    const char *path = getenv("FAULT_COUNTS");
    long more = number("FAULT_MORE", 0);
    uint64_t *memory = own;

    if (!concerns_rank()) {
        return;
    }
    if (path != NULL) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0666);

        if (fd >= 0 && syscall(SYS_ftruncate, fd, sizeof own) == 0) {
            void *shared = (void *)syscall(SYS_mmap, NULL, sizeof own, PROT_READ | PROT_WRITE,
                                           MAP_SHARED, fd, 0);
            memory = shared != MAP_FAILED ? shared : own;
        }
        syscall(SYS_close, fd);
    }
    group = index_of("FAULT_GROUP", names, GROUPS, -1);
    way = index_of("FAULT_WAY", ways, 4, FAIL);
    folder = getenv("FAULT_FOLDER");
    error = (int)number("FAULT_ERRNO", EIO);
    first = (uint64_t)number("FAULT_CALL", -1);
    minute = (uint64_t)number("FAULT_MINUTE", -1);
    last = more < 0 ? UINT64_MAX : first + (uint64_t)more;
    counts = memory;
    unsetenv("LD_PRELOAD"); /* programs that this one starts are not failed */
}

static int (*program)(int, char **, char **);

static int begin_program(int argc, char **argv, char **environment)
{
    begin();
    return program(argc, argv, environment);
}

/* What runs before main() is not the program's. */
EXPORT int __libc_start_main(int (*call)(int, char **, char **), int argc, char **argv,
                             void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                             void *stack_end);
EXPORT int __libc_start_main(int (*call)(int, char **, char **), int argc, char **argv,
                             void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                             void *stack_end)
{
    program = call;
    return NEXT(__libc_start_main)(begin_program, argc, argv, init, fini, rtld_fini, stack_end);
}

static void end_it(void)
{
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

/* Counts a call.  True: it is to fail, and errno says why; with the way "short", to do half; with
 * "after", to be made, and the program ended. */
static bool strikes(enum group g)
{
    const uint64_t n = counts ? __atomic_add_fetch(&counts[g], 1, __ATOMIC_RELAXED) : 0;

    if (counts == NULL || (int)g != group || n < first || n > last) {
        return false;
    }
    if (way == KILL) {
        end_it();
    }
    errno = error;
    return true;
}

/* What a call that strikes() gives, where it is not to be cut short. */
#define STRUCK(call, failed) (way == AFTER ? ((void)!(call), end_it(), failed) : (failed))

/* Memory.  dlsym() itself allocates, so the C library's own names are used. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

EXPORT void *malloc(size_t bytes)
{
    return strikes(ALLOC) ? NULL : __libc_malloc(bytes);
}

EXPORT void *calloc(size_t n, size_t bytes)
{
    return strikes(ALLOC) ? NULL : __libc_calloc(n, bytes);
}

EXPORT void *realloc(void *memory, size_t bytes)
{
    return strikes(ALLOC) ? NULL : __libc_realloc(memory, bytes);
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return strikes(ALLOC) ? NULL : __libc_memalign(alignment, bytes);
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (strikes(ALLOC)) {
        return ENOMEM;
    }
    *memory = __libc_memalign(alignment, bytes);
    return *memory != NULL ? 0 : ENOMEM;
}

EXPORT void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (flags & MAP_ANONYMOUS && strikes(ALLOC)) {
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

/* Files. */

static bool is_ours(const char *path)
{
    return counts != NULL && folder != NULL &&
           (*path != '/' || strncmp(path, folder, strlen(folder)) == 0);
}

static bool is_file(int fd)
{
    struct stat st;
    char link[64], path[4096];
    ssize_t n;

    if (counts == NULL || fd == STDERR_FILENO || fstat(fd, &st) != 0 ||
        !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
        return false;
    }
    if (st.st_nlink == 0) { /* a temporary file, wherever it lies */
        return true;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return is_ours(path);
}

/* Define NAME(PARAMETERS), which passes ARGUMENTS on.  Where it COUNTS and is struck the result is
 * FAILED; but if half of the work is to be done, and HALVE says that it can be, it is. */
#define CALL(type, name, parameters, g, counts, halve, arguments, failed)                          \
    EXPORT type name parameters                                                                    \
    {                                                                                              \
        if (!(counts) || !strikes(g)) {                                                            \
            return NEXT(name) arguments;                                                           \
        }                                                                                          \
        if (way == SHORT && (halve)) {                                                             \
            return NEXT(name) arguments;                                                           \
        }                                                                                          \
        return STRUCK(NEXT(name) arguments, failed);                                               \
    }

/* Descriptors. */
#define TRANSFER(name, parameters, g, arguments)                                                   \
    CALL(ssize_t, name, parameters, g, is_file(fd), (n = n > 1 ? n / 2 : n, true), arguments, -1)
#define ON_FD(name, parameters, g, arguments)                                                      \
    CALL(int, name, parameters, g, is_file(fd), false, arguments, -1)

TRANSFER(read, (int fd, void *data, size_t n), READ, (fd, data, n))
TRANSFER(pread, (int fd, void *data, size_t n, off_t at), READ, (fd, data, n, at))
TRANSFER(pread64, (int fd, void *data, size_t n, off64_t at), READ, (fd, data, n, at))
TRANSFER(write, (int fd, const void *data, size_t n), WRITE, (fd, data, n))
TRANSFER(pwrite, (int fd, const void *data, size_t n, off_t at), WRITE, (fd, data, n, at))
TRANSFER(pwrite64, (int fd, const void *data, size_t n, off64_t at), WRITE, (fd, data, n, at))

ssize_t __read_chk(int fd, void *data, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t n, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t n, off64_t at, size_t room);
TRANSFER(__read_chk, (int fd, void *data, size_t n, size_t room), READ, (fd, data, n, room))
TRANSFER(__pread_chk, (int fd, void *data, size_t n, off_t at, size_t room), READ,
         (fd, data, n, at, room))
TRANSFER(__pread64_chk, (int fd, void *data, size_t n, off64_t at, size_t room), READ,
         (fd, data, n, at, room))

ON_FD(flock, (int fd, int how), LOCK, (fd, how))
ON_FD(fsync, (int fd), SYNC, (fd))
ON_FD(fdatasync, (int fd), SYNC, (fd))
ON_FD(ftruncate, (int fd, off_t n), WRITE, (fd, n))
ON_FD(ftruncate64, (int fd, off64_t n), WRITE, (fd, n))
ON_FD(fallocate, (int fd, int mode, off_t at, off_t n), WRITE, (fd, mode, at, n))
ON_FD(fallocate64, (int fd, int mode, off64_t at, off64_t n), WRITE, (fd, mode, at, n))
ON_FD(fchmod, (int fd, mode_t mode), RENAME, (fd, mode))

/* The descriptor is closed all the same, as Linux does; and so are streams. */
EXPORT int close(int fd)
{
    const bool struck = is_file(fd) && strikes(CLOSE);
    const int closed = NEXT(close)(fd);

    return struck ? STRUCK(0, (errno = error, -1)) : closed;
}

/* Streams, which write and read by functions of the C library that nobody can replace.  Those in
 * memory, which have no descriptor, allocate. */
static bool is_stream(FILE *stream)
{
    return stream != NULL && fileno(stream) >= 0 && is_file(fileno(stream));
}

EXPORT int fclose(FILE *stream)
{
    const bool struck = is_stream(stream) && strikes(CLOSE);
    const int closed = NEXT(fclose)(stream);

    return struck ? STRUCK(0, (errno = error, EOF)) : closed;
}

/* What ferror() then says; glibc has no function that sets it. */
static size_t fail_stream(FILE *stream)
{
    enum { ERROR_SEEN = 0x20 };

    stream->_flags |= ERROR_SEEN;
    return 0;
}

/* The C library goes on after a read that is cut short. */
CALL(int, fflush, (FILE * stream), WRITE, is_stream(stream), false, (stream), EOF)
CALL(size_t, fread, (void *data, size_t bytes, size_t n, FILE *stream), READ, is_stream(stream),
     true, (data, bytes, n, stream), fail_stream(stream))
CALL(size_t, fwrite, (const void *data, size_t bytes, size_t n, FILE *stream), WRITE,
     is_stream(stream), false, (data, bytes, n, stream), fail_stream(stream))

/* Names. */
#define ON_PATH(type, name, parameters, g, arguments, failed)                                      \
    CALL(type, name, parameters, g, is_ours(path), false, arguments, failed)

ON_PATH(FILE *, fopen, (const char *path, const char *how), OPENING, (path, how), NULL)
ON_PATH(DIR *, opendir, (const char *path), OPENING, (path), NULL)
ON_PATH(int, rename, (const char *path, const char *to), RENAME, (path, to), -1)
ON_PATH(int, renameat2, (int from, const char *path, int at, const char *to, unsigned flags),
        RENAME, (from, path, at, to, flags), -1)
ON_PATH(int, link, (const char *path, const char *to), RENAME, (path, to), -1)
ON_PATH(int, unlink, (const char *path), RENAME, (path), -1)
ON_PATH(int, lstat, (const char *path, struct stat *to), OPENING, (path, to), -1)
ON_PATH(int, lstat64, (const char *path, struct stat64 *to), OPENING, (path, to), -1)

/* A function that takes the mode of a file only where it makes one. */
#define OPEN(name, parameters, arguments)                                                          \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        va_list list;                                                                              \
                                                                                                   \
        va_start(list, flags);                                                                     \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                       \
            mode = va_arg(list, mode_t);                                                           \
        }                                                                                          \
        va_end(list);                                                                              \
        return is_ours(path) && strikes(OPENING) ? STRUCK(NEXT(name) arguments, -1)                \
                                                 : NEXT(name) arguments;                           \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))

/* The clock of the program's own measurements. */
EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, t);

    if (clock == CLOCK_MONOTONIC && counts != NULL) {
        t->tv_sec += __atomic_add_fetch(&questions, 1, __ATOMIC_RELAXED) >= minute ? 60 : 0;
    }
    return status;
}

CALL(int, pthread_create,
     (pthread_t * thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument),
     THREAD, true, false, (thread, attributes, body, argument), EAGAIN)
