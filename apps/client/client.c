/* The command line as a client of the engine, and how a program begins. */
#include "apps/client/client.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/status.h"
#include "io/edgefile.h"
#include "mpi/dist.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How a program begins and ends. */

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
    const char *locking = getenv("HDF5_USE_FILE_LOCKING");

    unable = status;
    if (getenv("RMAT_SPELL_ARGUMENTS") != NULL) { /* the Python package has started it */
        message_spell_arguments();
    }
    interrupt_begin(command);
    /* That is what files are opened with anyway.  HDF5 takes it for less: of all that can be wrong
     * with locks, it goes on only where the system does not know them. */
    if (locking != NULL && strcmp(locking, "BEST_EFFORT") == 0) {
        unsetenv("HDF5_USE_FILE_LOCKING");
    }
    signal(SIGCHLD, SIG_DFL); /* whoever started it may ignore them: then no child has a status */
    hold_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe becomes a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* and so does a file beyond `ulimit -f` */
    begin_hdf5(command);
    atexit(abandon_partial_files);
}

/* The engine's progress, signals and errors, client.h. */

/* Of several ranks: what is being made, for one that ends them all. */
static struct {
    client *client;
    const char *output;
} under_way;

/* However many signals come meanwhile. */
static void sleep_for(time_t seconds)
{
    struct timespec left = {.tv_sec = seconds};

    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

enum { LONG = 60, SHORT = 2 }; /* seconds: launchers kill a rank one second after SIGTERM */

/*
 * Ends the job from this rank, while others are at work.
 *
 * A launcher's signal comes to all ranks at about the same time, and a full disk is full for all;
 * but one rank is to say why the job ends.  It is the one that removes the partial file, while the
 * others wait until they are ended.  Before there is such a file it is rank 0: other ranks wait for
 * a while, in case that rank 0 has the same reason.
 */
static _Noreturn void end_job(const char *command, int status, const char *text)
{
    const int first = engine_abandon();

    if (first < 0 || dist_is_ending()) {
        sleep_for(LONG);
    } else if (first == 0 && dist_rank() > 0) {
        sleep_for(SHORT);
    }
    if (under_way.client != NULL) {
        client_clear(under_way.client);
    }
    message_print(command, "%s", text);
    dist_abort(status);
}

/* How a job that a signal stopped is reported. */
static void stopped_text(char *text, size_t size, int signal, const char *output)
{
    snprintf(text, size, output != NULL ? "stopped by %s, '%s' was not made" : "stopped by %s",
             interrupt_name(signal), output);
}

/* Of several ranks, in the main thread: at each tick, and while this one waits for others. */
static void obey_signal(void)
{
    const int signal = interrupt_signal();
    char text[MESSAGE_TEXT];

    if (signal != 0) {
        stopped_text(text, sizeof text, signal, under_way.output);
        end_job(under_way.client->command, 128 + signal, text);
    }
}

static int show_progress(void *state, const engine_progress *p)
{
    client *c = state;

    c->last = *p;
    if (dist_rank() == 0) {
        if (!c->shown) {
            progress_start(&c->bar, p->edges, p->edge_bytes, c->quiet);
            c->shown = true;
        }
        progress_show(&c->bar, p->phase, p->share, p->done);
    }
    if (dist_size() > 1) {
        obey_signal();
        return 0;
    }
    return interrupt_signal();
}

static void show_warning(void *state, const char *text)
{
    client *c = state;

    progress_end(&c->bar, false);
    message_print(c->command, "%s", text);
}

void client_begin(client *c, const char *command, const char *output, bool quiet)
{
    *c = (client){.command = command, .quiet = quiet, .bar = {.quiet = true}};
    c->watch = (engine_watch){.tick = show_progress, .warn = show_warning, .state = c};
    under_way.client = c;
    under_way.output = output;
    interrupt_install();
    if (dist_size() > 1) {
        dist_set_poll(obey_signal);
    }
}

/* How users call a member of engine_job: by its option, "--id-type", if it has one. */
static void option_of(char text[64], const char *field)
{
    static const char *const plain[] = {"", "model", "redraws", "graph", "version", "chunk", NULL};
    bool option = true;

    for (int i = 0; plain[i] != NULL; i++) {
        option = option && strcmp(field, plain[i]) != 0;
    }
    snprintf(text, 64, "%s%s", option ? "--" : "", strcmp(field, "replace") == 0 ? "force" : field);
    for (char *at = text; *at != '\0'; at++) {
        *at = (char)(*at == '_' ? '-' : *at);
    }
}

int client_fail(const char *command, int status, const char *output)
{
    const char *field = engine_field(), *detail = engine_detail();
    int reason = engine_stop_reason();
    bool speaks = dist_rank() == 0;
    char option[64], text[MESSAGE_TEXT];

    if (status == ENGINE_ERR_RANK) {
        end_job(command, EXIT_RUNTIME, detail);
    }
    if (status == ENGINE_STOPPED) {
        stopped_text(text, sizeof text, reason, output);
        message_print(command, "%s", text);
        return 128 + reason;
    }
    if (speaks && status == ENGINE_ERR_JOB) {
        option_of(option, field);
        message_print(command, MESSAGE_OPTIONS("%s") "%s%s", option, *option != '\0' ? ": " : "",
                      detail);
    } else if (speaks && status == ENGINE_ERR_RUN && *detail != '\0') {
        message_print(command, strcmp(field, "replace") == 0 ? "%s, --force replaces it" : "%s",
                      detail);
    }
    return status == ENGINE_OK ? EXIT_OK : status == ENGINE_ERR_JOB ? EXIT_USAGE : EXIT_RUNTIME;
}

int client_keep(const char *command, int status)
{
    char option[64];

    if (status != ENGINE_ERR_JOB) {
        return runtime_error(command, "%s", engine_detail());
    }
    option_of(option, engine_field());
    return usage_error(command, MESSAGE_OPTIONS("%s") "%s%s", option, *option != '\0' ? ": " : "",
                       engine_detail());
}

int client_check_terminal(const char *command, const char *name, const char *output,
                          graphfile_format format, bool force)
{
    if (force || strcmp(output, "-") != 0 || graphfile_table[format]->traits & GRAPHFILE_TEXT ||
        !isatty(STDOUT_FILENO)) {
        return EXIT_OK;
    }
    return usage_error(command,
                       "%s: '-' is a terminal, and %s is not text, allowed: a file, a pipe, or "
                       "--force",
                       name, graphfile_names[format]);
}

void client_note_suffix(const client *c, const char *output, graphfile_format format)
{
    const int other = graphfile_format_contradicted(output, format);

    if (other >= 0 && !c->quiet && dist_rank() == 0) {
        message_print(c->command, "note: '%s' is written as %s, though its name ends as that of %s",
                      output, graphfile_names[format], graphfile_names[other]);
    }
}

void client_clear(client *c)
{
    if (c->shown) {
        progress_end(&c->bar, false);
    }
    c->shown = false;
}

int client_end(client *c, int status, const char *output, uint64_t edges, double edge_bytes)
{
    if (c->shown) {
        c->bar.edges = edges;
        c->bar.edge_bytes = edge_bytes;
        progress_end(&c->bar, status == ENGINE_OK);
        c->shown = false;
    }
    return client_fail(c->command, status, output);
}

int client_parsed(const char *command, int status)
{
    char text[MESSAGE_TEXT] = "";

    if (dist_size() == 1) {
        return status;
    }
    if (status != EXIT_OK) {
        message_take(text);
    }
    if (status == EXIT_RUNTIME) {
        rank_name(text, sizeof text);
    }
    status = dist_agree(status, text, sizeof text);
    if (status != EXIT_OK) {
        interrupt_silence(); /* ranks end one after another */
    }
    if (status != EXIT_OK && text[0] != '\0' && dist_rank() == 0) {
        message_print(command, "%s", text);
    }
    return status;
}

void client_obey_tests(engine_job *job)
{
    const char *chunk = getenv("RMAT_TEST_CHUNK");

    if (chunk != NULL && parse_count(chunk, &job->chunk) != NUMBER_OK) {
        job->chunk = 0;
    }
    if (getenv("RMAT_TEST_POSITIONAL") != NULL) {
        job->buffered = true;
    }
}
