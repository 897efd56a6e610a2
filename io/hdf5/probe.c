/*
 * probe.c - a child process that reads a file through HDF5 before this process does.
 *
 * Crafted metadata, whose checksums are correct, can crash HDF5, keep it busy for ever, or make it
 * ask for any amount of memory.  The child reads the file (probe_child.c) with limits.  Unless it
 * ends by itself and says that all is well, this process does not give the file to HDF5.
 *
 * The lock of edgefile_hdf5_begin() is held, so that no other thread is inside HDF5 at the fork.
 */
#include "io/private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SECONDS = 10,      /* of CPU time that the child may take */
    WALL_SECONDS = 60, /* in all: a file system may be slow, or wait for ever */
    LOOK_MS = 100,     /* between two looks at the clock */
    KNOWN = 64         /* files that this process remembers */
};

static const rlim_t memory = (rlim_t)1 << 30; /* that the child may have in addition */

static bool is_on;
static int (*asked_to_stop)(void); /* or NULL */

/* Files that were found harmless, and did not change since. */
static struct stat known[KNOWN];
static unsigned n_known;

void edgefile_probe_first(int (*stop)(void))
{
    is_on = true;
    asked_to_stop = stop;
}

static bool is_known(const struct stat *file)
{
    bool found = false;

    for (unsigned i = 0; i < KNOWN && i < n_known; i++) {
        const struct stat *k = &known[i];

        found = found || (k->st_dev == file->st_dev && k->st_ino == file->st_ino &&
                          k->st_size == file->st_size &&
                          memcmp(&k->st_mtim, &file->st_mtim, sizeof k->st_mtim) == 0 &&
                          memcmp(&k->st_ctim, &file->st_ctim, sizeof k->st_ctim) == 0);
    }
    return found;
}

/* Address space of this process in bytes. */
static rlim_t address_space(void)
{
    FILE *statm = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if (statm != NULL) {
        if (fscanf(statm, "%lu", &pages) != 1) {
            pages = 0;
        }
        fclose(statm);
    }
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static void limit(int what, rlim_t most)
{
    struct rlimit r;

    if (getrlimit(what, &r) == 0 && (r.rlim_cur == RLIM_INFINITY || r.rlim_cur > most)) {
        r.rlim_cur = most;
        setrlimit(what, &r);
    }
}

/* Ends with this process, without a word and without a core file. */
static void become_harmless(rlim_t had)
{
    static const int signals[] = {SIGSEGV, SIGBUS,  SIGILL, SIGFPE,  SIGABRT, SIGTRAP, SIGXCPU,
                                  SIGINT,  SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGQUIT};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        signal(signals[i], SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, SECONDS);
    if (had > 0) {
        limit(RLIMIT_AS, had + memory);
    }
}

/* How the child ended, by itself or because this process ended it. */
typedef enum { BY_ITSELF, TOO_LATE, STOPPED, UNKNOWN } ending;

static int refuse(int status, const char *name, const char *why)
{
    return edgefile_fail(status, "%s: could not be read: %s", name, why);
}

static int judge(const char *name, ending how, int status)
{
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    char why[128];

    if (how == TOO_LATE) {
        snprintf(why, sizeof why, "after %d s of waiting HDF5 was not through its metadata",
                 WALL_SECONDS);
        return refuse(EDGEFILE_ERR_IO, name, why);
    }
    if (how == STOPPED) {
        return refuse(EDGEFILE_ERR_IO, name, "stopped");
    }
    if (how == UNKNOWN) {
        return refuse(EDGEFILE_ERR_IO, name, "nobody knows how the process ended that tried");
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EDGEFILE_PROBE_FINE) {
        return EDGEFILE_OK;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EDGEFILE_PROBE_NO_MEMORY) {
        return refuse(EDGEFILE_ERR_NOMEM, name,
                      "HDF5 needs more than 1 GiB of memory, or than is available, for its "
                      "metadata");
    }
    if (by == SIGXCPU) {
        snprintf(why, sizeof why,
                 "HDF5 did not finish reading its metadata within %d s; the file is damaged",
                 SECONDS);
        return refuse(EDGEFILE_ERR_IO, name, why);
    }
    if (by == SIGKILL) {
        return refuse(EDGEFILE_ERR_IO, name, "the process that read it was killed");
    }
    if (by == SIGINT || by == SIGTERM || by == SIGHUP || by == SIGQUIT) {
        return refuse(EDGEFILE_ERR_IO, name, "the process that read it was stopped");
    }
    return refuse(EDGEFILE_ERR_IO, name,
                  "HDF5 crashed; the file is damaged or memory is exhausted");
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Until the child has ended, which closes the other end of the pipe.  A process that another thread
 * forked meanwhile may have that end, too: the child is asked for as well. */
static ending await(pid_t child, int pipe, int *status)
{
    struct pollfd end = {.fd = pipe};
    const double start = seconds();
    ending how = BY_ITSELF;
    pid_t ended = 0;

    while (how == BY_ITSELF && ended == 0 && poll(&end, 1, LOOK_MS) <= 0) {
        ended = waitpid(child, status, WNOHANG);
        if (asked_to_stop != NULL && asked_to_stop() != 0) {
            how = STOPPED;
        } else if (seconds() - start > WALL_SECONDS) {
            how = TOO_LATE;
        }
    }
    if (how != BY_ITSELF && ended == 0) {
        kill(child, SIGKILL);
    }
    while (ended == 0 || (ended < 0 && errno == EINTR)) {
        ended = waitpid(child, status, 0);
    }
    return how == BY_ITSELF && ended != child ? UNKNOWN : how;
}

static int have_it_read(const char *path, const char *name, hid_t access, const int pipe[2])
{
    const rlim_t had = address_space();
    int status = 0;
    ending how;
    const pid_t child = fork();

    if (child != 0) {
        close(pipe[1]);
    }
    if (child < 0) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: starting a process to read it: %m", name);
    }
    if (child == 0) {
        become_harmless(had);
        edgefile_probe_read(path, access);
        _exit(EDGEFILE_PROBE_FINE);
    }
    how = await(child, pipe[0], &status);
    return judge(name, how, status);
}

int edgefile_probe(const char *path, int fd, const char *name, hid_t access)
{
    struct stat file;
    int pipe[2], st;

    if (!is_on) {
        return EDGEFILE_OK;
    }
    if (fstat(fd, &file) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    }
    if (is_known(&file)) {
        return EDGEFILE_OK;
    }
    if (pipe2(pipe, O_CLOEXEC) != 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: starting a process to read it: %m", name);
    }
    st = have_it_read(path, name, access, pipe);
    close(pipe[0]);
    if (st == EDGEFILE_OK) {
        known[n_known++ % KNOWN] = file;
    }
    return st;
}
