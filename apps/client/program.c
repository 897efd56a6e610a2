/* program.c - how our programs begin. */
#include "apps/client/program.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "io/edgefile.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool keeps;
static int unable = EXIT_RUNTIME; /* the exit status where this program cannot go on */
static bool ended;

void program_keeps_partial_files(void)
{
    keeps = true;
}

/* Of an exit that a library makes when it cannot go on, as OpenMP's without threads: writers that
 * are done have no partial files, and its exit status may mean something else here. */
static void abandon(void)
{
    if (!keeps) {
        edgefile_abandon();
    }
    if (!ended && unable != EXIT_RUNTIME) {
        fflush(stdout);
        _exit(unable);
    }
}

int program_end(int status)
{
    ended = true;
    return status;
}

/* HDF5 says on standard error where it cannot start; our line is enough. */
static void hdf5_begin(const char *program, const char *command)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const int kept = nowhere >= 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
    int status;

    if (kept >= 0) {
        dup2(nowhere, STDERR_FILENO);
    }
    status = edgefile_no_exit_handler();
    if (kept >= 0) {
        dup2(kept, STDERR_FILENO);
        close(kept);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
    if (status != EDGEFILE_OK) {
        message_program(program);
        runtime_error(command, "%s", edgefile_detail());
        exit(unable);
    }
}

/*
 * A standard stream that is closed leaves its descriptor to the next file that is opened, which
 * would then receive what is printed.  Its place is taken here by a file that cannot be read, or
 * cannot be written, so that using the stream fails as it would if it had stayed closed: a graph
 * that goes to standard output must not be lost without an error.  Messages have nowhere to go.
 */
static void hold_standard_streams(void)
{
    static const int modes[] = {
        [STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDWR};

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", modes[fd]) != fd) {
            _exit(EXIT_RUNTIME); /* there is no /dev/null, nor a place for a message */
        }
    }
}

void program_begin(const char *program, const char *command, int status)
{
    const char *locking = getenv("HDF5_USE_FILE_LOCKING");

    unable = status;
    interrupt_begin(program, command);
    /* That is what files are opened with anyway.  HDF5 takes it for less: of all that can be wrong
     * with locks, it goes on only where the system does not know them. */
    if (locking != NULL && strcmp(locking, "BEST_EFFORT") == 0) {
        unsetenv("HDF5_USE_FILE_LOCKING");
    }
    signal(SIGCHLD, SIG_DFL); /* whoever started it may ignore them: then no child has a status */
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file beyond `ulimit -f` */
    hdf5_begin(program, command);
    atexit(abandon);
}
