/* program.c - how our programs begin. */
#include "apps/client/program.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "io/edgefile.h"
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

void program_begin(const char *program, const char *command)
{
    int fd;

    interrupt_begin(program, command);
    /* If a standard stream is closed, the next file that we open must not take its place. */
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file beyond `ulimit -f` */
    hdf5_begin(program, command);
    atexit(abandon);
}
