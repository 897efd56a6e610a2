/*
 * program.c - the begin and end of a command: standard streams, HDF5, signals that stop it, the
 * start of commands that work in a single process, and small output files.
 *
 * A user, a batch system or a limit sends these signals to end a program.  Slurm can send SIGUSR1
 * or SIGUSR2 before a job's time is over.  While there is nothing to clean up, the handler prints a
 * line and ends the program.  From interrupt_install() on, it stores the number of the signal, and
 * long work checks it.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "mpi/dist.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Signals. */

static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},
               {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"},
               {SIGALRM, "SIGALRM"}};

enum { N_SIGNALS = sizeof signals / sizeof signals[0], PREFIX = 64, LINE = PREFIX + 32 };

static char prefix[PREFIX]; /* of the line */
static atomic_int received;
static atomic_bool working, silent;

const char *interrupt_name(int signal_number)
{
    for (int i = 0; i < N_SIGNALS; i++) {
        if (signals[i].number == signal_number) {
            return signals[i].name;
        }
    }
    return "a signal";
}

/* Only calls that a signal handler may make. */
static void end_program(int signal_number)
{
    char line[LINE];
    const char *end = stpcpy(stpcpy(stpcpy(line, prefix), interrupt_name(signal_number)), "\n");
    const ssize_t written =
        atomic_load(&silent) ? 0 : write(STDERR_FILENO, line, (size_t)(end - line));

    (void)written;
    _exit(128 + signal_number);
}

static void handle_stop_signal(int signal_number)
{
    if (!atomic_load(&working)) {
        end_program(signal_number);
    }
    atomic_store(&received, signal_number);
}

/* A signal that was ignored when the program started (nohup, background jobs) stays ignored. */
static void install_handlers(void)
{
    struct sigaction before, action = {.sa_handler = handle_stop_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < N_SIGNALS; i++) {
        if (sigaction(signals[i].number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i].number, &action, NULL);
        }
    }
}

void interrupt_silence(void)
{
    atomic_store(&silent, true);
}

void interrupt_install(void)
{
    atomic_store(&working, true);
    install_handlers();
}

int interrupt_signal(void)
{
    return atomic_load(&received);
}

/* The program. */

static int unable = EXIT_RUNTIME; /* the exit status where this program cannot go on */
static bool ended;

/* Of an exit that a library makes when it cannot go on, as OpenMP's without threads: writers that
 * are done have no partial files, and its exit status may mean something else here. */
static void abandon_partial_files(void)
{
    edgefile_abandon();
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
static void begin_hdf5(const char *command)
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

void program_begin(const char *command, int status)
{
    unable = status;
    snprintf(prefix, sizeof prefix, "rmat%s%s: stopped by ", *command != '\0' ? " " : "", command);
    install_handlers();
    signal(SIGCHLD, SIG_DFL); /* if the parent ignored it, no child has a status */
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file beyond `ulimit -f` */
    begin_hdf5(command);
    atexit(abandon_partial_files);
}

/* Commands of one process. */

int one_process(const char *command)
{
    const int status = engine_start();

    if (status == ENGINE_OK && dist_size() == 1) {
        return EXIT_OK;
    }
    if (dist_rank() == 0 && status != ENGINE_OK) {
        runtime_error(command, "%s", engine_detail());
    } else if (dist_rank() == 0) {
        runtime_error(
            command,
            "started as %d ranks, but rmat %s works in one process: start it without a launcher",
            dist_size(), command);
    }
    return EXIT_RUNTIME;
}

bool one_process_parse(const command_line *line, int argc, char **argv, void *values,
                       bool given[OPTIONS_MAX], const char **operand, int *status)
{
    *status = one_process(line->command);
    if (*status == EXIT_OK) {
        *status = options_parse(line, argc, argv, values, given, operand);
    }
    for (size_t i = 0; i < line->n_options && *status == EXIT_OK; i++) {
        if (given[i] && strcmp(line->options[i].name, "help") == 0) {
            options_help(line, stdout);
            return false;
        }
    }
    return *status == EXIT_OK;
}

int each_file(const char *const *files, bool json, bool tells,
              int (*work)(const char *file, const void *state), const void *state)
{
    const bool several = files[0] != NULL && files[1] != NULL;
    int all = EXIT_OK, one = EXIT_OK;

    for (int i = 0; files[i] != NULL && one < 128; i++) {
        if (several && (json || (i > 0 && !tells))) {
            fputs(!json ? "\n" : i == 0 ? "[" : ", ", stdout);
        }
        one = work(files[i], state);
        if (several && json && one != EXIT_OK && !tells) {
            json_object failed;

            json_begin(&failed, stdout);
            json_string(&failed, "file", files[i]);
            json_bool(&failed, "failed", true);
            json_end(&failed);
        }
        all = one >= 128 || one == EXIT_RUNTIME || all == EXIT_OK ? one : all;
    }
    if (several && json) {
        fputs("]\n", stdout);
    }
    return all;
}

/* Small output files: checks against the command's input, and memory that becomes a file. */

static bool is_dash(const char *name)
{
    return strcmp(name, "-") == 0;
}

bool whole_file_is_input(const char *name, const char *input)
{
    struct stat out, in;

    return stat(name, &out) == 0 && S_ISREG(out.st_mode) && stat(input, &in) == 0 &&
           out.st_dev == in.st_dev && out.st_ino == in.st_ino;
}

/* One line on stderr. */
static int report_file_error(const whole_file *f, const char *text, const char *more)
{
    return runtime_error(f->command, "--%s: %s%s", f->option, text, more);
}

int whole_file_open(whole_file *f, const char *command, const char *by, const char *name,
                    bool force, const char *input)
{
    int status;

    *f = (whole_file){.command = command, .option = by};
    if (name == NULL) {
        return EXIT_OK;
    }
    if (!is_dash(name) && input != NULL && whole_file_is_input(name, input)) {
        return report_file_error(f, name, ": is the file that is read, allowed: another file");
    }
    status = is_dash(name) ? EDGEFILE_OK : edgefile_small_create(&f->file, name, force);
    if (status != EDGEFILE_OK) {
        return report_file_error(f, edgefile_detail(),
                                 status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
    }
    f->stream = open_memstream(&f->text, &f->bytes);
    return f->stream != NULL
               ? EXIT_OK
               : whole_file_close(f, report_file_error(f, name, ": memory is exhausted"));
}

int whole_file_close(whole_file *f, int status)
{
    const bool failed = f->stream != NULL && ferror(f->stream) != 0;

    if (f->stream != NULL && (fclose(f->stream) != 0 || failed) && status == EXIT_OK) {
        status = report_file_error(f, "memory is exhausted", "");
    }
    if (status == EXIT_OK && f->file != NULL) {
        if (edgefile_small_publish(f->file, f->text, f->bytes) != EDGEFILE_OK) {
            status = report_file_error(f, edgefile_detail(), "");
        }
    } else if (status == EXIT_OK && f->stream != NULL) {
        fwrite(f->text, 1, f->bytes, stdout);
        status = finish_stdout(f->command);
    }
    edgefile_small_close(f->file);
    free(f->text);
    *f = (whole_file){0};
    return status;
}
