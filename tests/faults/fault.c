/*
 * fault.c - fails a program at one of its calls of the system, or kills it there: to be loaded with
 * LD_PRELOAD.
 *
 * Calls from main() on are counted by groups, from 1: alloc, open, read, write, sync, close,
 * rename, thread, mpi (fault_mpi.c), lock.
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
 */
#include "fault.h"

#include <dirent.h>
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
#include <unistd.h>

enum way { FAIL, SHORT, KILL, AFTER };

static const char *const names[GROUPS] = {"alloc", "open",   "read",   "write", "sync",
                                          "close", "rename", "thread", "mpi",   "lock"};
static const char *folder;
static const char *const ways[] = {"fail", "short", "kill", "after"};

static int group = -1, way, error = EIO;
static uint64_t first = UINT64_MAX, last;
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

/* What runs before main(), as that of CUDA, is not the program's. */
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

void end_it(void)
{
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

bool strikes(enum group g)
{
    uint64_t n;

    if (counts == NULL) {
        return false;
    }
    n = __atomic_add_fetch(&counts[g], 1, __ATOMIC_RELAXED);
    if ((int)g != group || n < first || n > last) {
        return false;
    }
    if (way == KILL) {
        end_it();
    }
    if (way == AFTER) {
        return true;
    }
    errno = error;
    return true;
}

bool is_to_end_after(void)
{
    return way == AFTER;
}

/* What a call that strikes() gives, where it is not to be cut short. */
#define STRUCK(call, failed) (is_to_end_after() ? ((void)!(call), end_it(), failed) : (failed))

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

static mode_t mode_of(int flags, va_list list)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPEN(name, prefix, arguments)                                                              \
    EXPORT int name prefix                                                                         \
    {                                                                                              \
        va_list list;                                                                              \
        mode_t mode;                                                                               \
                                                                                                   \
        va_start(list, flags);                                                                     \
        mode = mode_of(flags, list);                                                               \
        va_end(list);                                                                              \
        if (is_ours(path) && strikes(OPENING)) {                                                   \
            return STRUCK(NEXT(name) arguments, -1);                                               \
        }                                                                                          \
        return NEXT(name) arguments;                                                               \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))

EXPORT FILE *fopen(const char *path, const char *how)
{
    if (is_ours(path) && strikes(OPENING)) {
        return STRUCK(NEXT(fopen)(path, how), NULL);
    }
    return NEXT(fopen)(path, how);
}

EXPORT DIR *opendir(const char *path)
{
    if (is_ours(path) && strikes(OPENING)) {
        return STRUCK(NEXT(opendir)(path), NULL);
    }
    return NEXT(opendir)(path);
}

/* A transfer of n bytes by `call`, which names them n. */
#define TRANSFER(name, parameters, g, arguments)                                                   \
    EXPORT ssize_t name parameters                                                                 \
    {                                                                                              \
        if (is_file(fd) && strikes(g)) {                                                           \
            if (way == SHORT) {                                                                    \
                n = n > 1 ? n / 2 : n;                                                             \
                return NEXT(name) arguments;                                                       \
            }                                                                                      \
            return STRUCK(NEXT(name) arguments, -1);                                               \
        }                                                                                          \
        return NEXT(name) arguments;                                                               \
    }

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

/* Calls on a descriptor that return 0 or -1. */
#define ON_FD(name, parameters, g, arguments)                                                      \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        if (is_file(fd) && strikes(g)) {                                                           \
            return STRUCK(NEXT(name) arguments, -1);                                               \
        }                                                                                          \
        return NEXT(name) arguments;                                                               \
    }

ON_FD(flock, (int fd, int how), LOCK, (fd, how))
ON_FD(fsync, (int fd), SYNC, (fd))
ON_FD(fdatasync, (int fd), SYNC, (fd))
ON_FD(ftruncate, (int fd, off_t n), WRITE, (fd, n))
ON_FD(ftruncate64, (int fd, off64_t n), WRITE, (fd, n))
ON_FD(fallocate, (int fd, int mode, off_t at, off_t n), WRITE, (fd, mode, at, n))
ON_FD(fallocate64, (int fd, int mode, off64_t at, off64_t n), WRITE, (fd, mode, at, n))
ON_FD(fchmod, (int fd, mode_t mode), RENAME, (fd, mode))

/* The descriptor is closed all the same, as Linux does. */
EXPORT int close(int fd)
{
    if (is_file(fd) && strikes(CLOSE)) {
        NEXT(close)(fd);
        return STRUCK(0, (errno = error, -1));
    }
    return NEXT(close)(fd);
}

/* Streams, which write and read by functions of the C library that nobody can replace.  Those in
 * memory allocate. */
EXPORT int fclose(FILE *stream)
{
    const int fd = fileno(stream);
    const bool counts_here = fd >= 0 && is_file(fd);

    if (counts_here && strikes(CLOSE)) {
        NEXT(fclose)(stream);
        return STRUCK(0, (errno = error, EOF));
    }
    return NEXT(fclose)(stream);
}

EXPORT int fflush(FILE *stream)
{
    if (stream != NULL && fileno(stream) >= 0 && is_file(fileno(stream)) && strikes(WRITE)) {
        return STRUCK(NEXT(fflush)(stream), EOF);
    }
    return NEXT(fflush)(stream);
}

/* What ferror() then says; glibc has no function that sets it. */
static size_t fail_stream(FILE *stream)
{
    enum { ERROR_SEEN = 0x20 };

    stream->_flags |= ERROR_SEEN;
    return 0;
}

/* The C library goes on after a read that is cut short. */
EXPORT size_t fread(void *data, size_t bytes, size_t n, FILE *stream)
{
    if (fileno(stream) >= 0 && is_file(fileno(stream)) && strikes(READ) && way != SHORT) {
        return STRUCK(NEXT(fread)(data, bytes, n, stream), fail_stream(stream));
    }
    return NEXT(fread)(data, bytes, n, stream);
}

EXPORT size_t fwrite(const void *data, size_t bytes, size_t n, FILE *stream)
{
    if (fileno(stream) >= 0 && is_file(fileno(stream)) && strikes(WRITE)) {
        return STRUCK(NEXT(fwrite)(data, bytes, n, stream), fail_stream(stream));
    }
    return NEXT(fwrite)(data, bytes, n, stream);
}

/* Names. */
#define ON_PATH(name, parameters, g, arguments)                                                    \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        if (is_ours(path) && strikes(g)) {                                                         \
            return STRUCK(NEXT(name) arguments, -1);                                               \
        }                                                                                          \
        return NEXT(name) arguments;                                                               \
    }

ON_PATH(rename, (const char *path, const char *to), RENAME, (path, to))
ON_PATH(renameat2, (int from, const char *path, int at, const char *to, unsigned flags), RENAME,
        (from, path, at, to, flags))
ON_PATH(link, (const char *path, const char *to), RENAME, (path, to))
ON_PATH(unlink, (const char *path), RENAME, (path))
ON_PATH(lstat, (const char *path, struct stat *to), OPENING, (path, to))
ON_PATH(lstat64, (const char *path, struct stat64 *to), OPENING, (path, to))

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*body)(void *), void *argument)
{
    if (strikes(THREAD)) {
        return STRUCK(NEXT(pthread_create)(thread, attributes, body, argument), EAGAIN);
    }
    return NEXT(pthread_create)(thread, attributes, body, argument);
}
