/* program.c - how our programs begin. */
#include "apps/client/program.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "io/edgefile.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static bool keeps;

void program_keeps_partial_files(void)
{
    keeps = true;
}

/* Of an exit that a library makes when it cannot go on: writers that are done have no such files.
 */
static void abandon(void)
{
    if (!keeps) {
        edgefile_abandon();
    }
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
        exit(runtime_error(command, "%s", edgefile_detail()));
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

void program_begin(const char *program, const char *command)
{
    interrupt_begin(program, command);
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file beyond `ulimit -f` */
    hdf5_begin(program, command);
    atexit(abandon);
}
