/*
 * probe.c - a child process that reads a file through HDF5 before this process does.
 *
 * Crafted metadata, whose checksums are correct, can crash HDF5, keep it busy for ever, or make it
 * ask for any amount of memory.  The child reads the file (probe_child.c) with limits.  If a signal
 * ends the child, or one of its limits, this process does not give the file to HDF5.
 *
 * The lock of edgefile_hdf5_begin() is held, so that no other thread is inside HDF5 at the fork.
 */
#include "io/private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SECONDS = 10, /* of CPU time that the child may take */
    KNOWN = 64    /* files that this process remembers */
};

static const rlim_t memory = (rlim_t)1 << 30; /* that the child may have in addition */

static bool is_on;

/* Files that were found harmless, and did not change since. */
static struct stat known[KNOWN];
static unsigned n_known;

void edgefile_probe_first(void)
{
    is_on = true;
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

static int judge(const char *name, int status)
{
    const int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    if (WIFEXITED(status) && WEXITSTATUS(status) == EDGEFILE_PROBE_FINE) {
        return EDGEFILE_OK;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EDGEFILE_PROBE_NO_MEMORY) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM,
                             "%s: could not be read: HDF5 needs more than 1 GiB of memory, or than "
                             "is available, for "
                             "its metadata",
                             name);
    }
    if (by == SIGXCPU) {
        return edgefile_fail(
            EDGEFILE_ERR_IO,
            "%s: could not be read: HDF5 did not finish reading its metadata within %d s; the file "
            "is damaged",
            name, SECONDS);
    }
    if (by == SIGKILL) {
        return edgefile_fail(EDGEFILE_ERR_IO,
                             "%s: could not be read: the process that read it was killed", name);
    }
    if (by == SIGINT || by == SIGTERM || by == SIGHUP || by == SIGQUIT) {
        return EDGEFILE_OK; /* meant for the program, which has its own answer */
    }
    return edgefile_fail(
        EDGEFILE_ERR_IO,
        "%s: could not be read: HDF5 crashed; the file is damaged or memory is exhausted", name);
}

int edgefile_probe(const char *path, int fd, const char *name, hid_t access)
{
    const rlim_t had = is_on ? address_space() : 0;
    struct stat file;
    int status = 0, st;
    pid_t child, ended;

    if (!is_on || fstat(fd, &file) != 0 || is_known(&file)) {
        return EDGEFILE_OK;
    }
    child = fork();
    if (child < 0) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: starting a process to read it: %m", name);
    }
    if (child == 0) {
        become_harmless(had);
        edgefile_probe_read(path, access);
        _exit(EDGEFILE_PROBE_FINE);
    }
    do {
        ended = waitpid(child, &status, 0);
    } while (ended < 0 && errno == EINTR);
    st = ended == child ? judge(name, status) : EDGEFILE_OK; /* if nobody keeps its status */
    if (st == EDGEFILE_OK) {
        known[n_known++ % KNOWN] = file;
    }
    return st;
}
