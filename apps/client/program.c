/*
 * program.c - the begin and end of a command: standard streams, HDF5, signals that stop it, the
 * start of commands that work in a single process, and small output files.
 *
 * A user, a batch system or a limit sends these signals to end a program.  Slurm can send SIGUSR1
 * or SIGUSR2 before a job's time is over.  While there is nothing to clean up, they simply end it.
 * From interrupt_install() on, the handler stores the number of the signal, and long work checks
 * it.
 */
#include "apps/client/client.h"
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

/* sigabbrev_np() would know the names, but glibc has it only since 2.32. */
static const struct {
    int number;
    const char *name;
} signals[] = {{SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"},
               {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"},
               {SIGALRM, "SIGALRM"}};

static atomic_int received;

const char *interrupt_name(int signal_number)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (signals[i].number == signal_number) {
            return signals[i].name;
        }
    }
    return "a signal";
}

static void note_signal(int signal_number)
{
    atomic_store(&received, signal_number);
}

/* A signal that was ignored when the program started (nohup, background jobs) stays ignored. */
void interrupt_install(void)
{
    struct sigaction before, action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (sigaction(signals[i].number, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i].number, &action, NULL);
        }
    }
}

int interrupt_signal(void)
{
    return atomic_load(&received);
}

/* The program. */

static int unable_status = EXIT_RUNTIME; /* where this program cannot go on */

/* For exits of a library that cannot go on, such as OpenMP without threads.  Its exit status may
 * mean something else here.  Writers that are done have no partial files. */
static void abandon_partial_files(void)
{
    edgefile_abandon();
    if (unable_status != EXIT_RUNTIME) {
        fflush(stdout);
        _exit(unable_status);
    }
}

int program_end(int status)
{
    unable_status = EXIT_RUNTIME;
    return status;
}

/*
 * A standard stream that is closed leaves its descriptor to the next file that is opened, which
 * would then receive what is printed.  Its place is taken here by a file that cannot be read, or
 * cannot be written, so that using the stream fails as it would if it had stayed closed: a graph
 * that goes to standard output must not be lost without an error.  Messages have nowhere to go.
 */
static void hold_standard_streams(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR}; /* by the descriptor */

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", modes[fd]) != fd) {
            _exit(EXIT_RUNTIME); /* there is no /dev/null, nor a place for a message */
        }
    }
}

void program_begin(const char *command, int unable)
{
    unable_status = unable;
    signal(SIGCHLD, SIG_DFL); /* if the parent ignored it, no child has a status */
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file beyond `ulimit -f` */
    if (edgefile_no_exit_handler() != EDGEFILE_OK) {
        runtime_error(command, "%s", edgefile_detail());
        exit(unable);
    }
    atexit(abandon_partial_files);
}

/* Commands of one process. */

/* Starts the engine; reports where a launcher started several ranks. */
static int start_alone(const char *command)
{
    if (engine_start() != ENGINE_OK) {
        return dist_rank() == 0 ? runtime_error(command, "%s", engine_detail()) : EXIT_RUNTIME;
    }
    return dist_size() == 1  ? EXIT_OK
           : dist_rank() > 0 ? EXIT_RUNTIME
                             : runtime_error(command,
                                             "started as %d ranks, but rmat %s works in one "
                                             "process: start it without a launcher",
                                             dist_size(), command);
}

bool one_process_parse(const command_line *line, int argc, char **argv, void *values,
                       bool given[OPTIONS_MAX], const char **operand, int *status)
{
    *status = start_alone(line->command);
    if (*status == EXIT_OK) {
        *status = options_parse(line, argc, argv, values, given, operand);
    }
    if (*status == EXIT_OK && options_given(line, given, "help") != NULL) {
        options_help(line, stdout);
        return false;
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
    const bool pipe = name != NULL && strcmp(name, "-") == 0;
    int status;

    *f = (whole_file){.command = command, .option = by};
    if (name == NULL) {
        return EXIT_OK;
    }
    if (!pipe && whole_file_is_input(name, input)) {
        return report_file_error(f, name, ": is the file that is read, allowed: another file");
    }
    status = pipe ? EDGEFILE_OK : edgefile_small_create(&f->file, name, force);
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
