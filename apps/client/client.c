/* client.c - the command line as a client of the engine: progress, signals and errors. */
#include "apps/client/client.h"
#include "apps/common/system.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/source/edge_source.h"
#include "mpi/dist.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Progress: a line that a terminal redraws, and the lines that replace it in a log. */

#define LINE_SECONDS     30.0
#define TERMINAL_SECONDS 0.15

static int terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void begin_bar(client *c)
{
    const char *type = getenv("TERM");

    c->terminal = isatty(STDERR_FILENO) && type != NULL && strcmp(type, "dumb") != 0;
    c->start = clock_seconds();
    c->next = c->start + (c->terminal ? 0 : LINE_SECONDS);
    c->shown = true;
}

/* The time that is left comes first, because a narrow terminal cuts the line. */
static void draw_bar(client *c, const engine_progress *p)
{
    const double now = clock_seconds(), seconds = now - c->start, share = p->share;
    const double rate = seconds > 0 ? (double)p->done / seconds : 0;
    const long left = share > 0 ? lround(fmin(seconds / share * (1 - share), 1e9)) : 0;
    char number[NUMBER_TEXT] = "?", line[256];

    if (now < c->next) {
        return;
    }
    if (share > 0) {
        snprintf(number, sizeof number, "%ld:%02ld:%02ld", left / 3600, left / 60 % 60, left % 60);
    }
    snprintf(line, sizeof line, "%3d%% ETA %s, %s%s", (int)(share * 100), number, p->phase,
             *p->phase != '\0' && p->done > 0 ? ": " : "");
    if (p->done > 0 || *p->phase == '\0') {
        text_append(line, sizeof line, "%s edges/s", format_si(number, rate));
        if (p->edge_bytes > 0) {
            text_append(line, sizeof line, ", %s/s", format_bytes(number, rate * p->edge_bytes));
        }
    }
    if (c->terminal) { /* in place, and never so long that it wraps */
        fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, line);
    } else {
        fprintf(stderr, "%s\n", line);
    }
    fflush(stderr);
    c->next = now + (c->terminal ? TERMINAL_SECONDS : LINE_SECONDS);
}

void client_clear(client *c)
{
    if (c->shown && c->terminal) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    c->shown = false;
}

/* A client of the engine. */

static client *under_way; /* of several ranks, for one that ends them all; NULL: not yet */

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
    if (under_way != NULL) {
        client_clear(under_way);
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
        stopped_text(text, sizeof text, signal, under_way->output);
        end_job(under_way->command, 128 + signal, text);
    }
}

static int show_progress(void *state, const engine_progress *p)
{
    client *c = state;

    if (dist_rank() == 0 && !c->quiet) {
        if (!c->shown) { /* work before the first call has no time, hence no rate */
            begin_bar(c);
            draw_bar(c, &(engine_progress){.phase = "", .edge_bytes = p->edge_bytes});
        }
        draw_bar(c, p);
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

    client_clear(c);
    message_print(c->command, "%s", text);
}

void client_begin(client *c, const char *command, const char *output, bool quiet)
{
    *c = (client){.command = command, .output = output, .quiet = quiet};
    c->watch = (engine_watch){.tick = show_progress, .warn = show_warning, .state = c};
    under_way = c;
    interrupt_install();
    if (dist_size() > 1) {
        dist_set_poll(obey_signal);
    }
}

int client_refuse(const char *command)
{
    const char *field = engine_field();
    char name[64]; /* the option, as "--id-type", if the member of engine_job has one */

    snprintf(name, sizeof name, "%s%s",
             strcmp(field, "model") == 0 || strcmp(field, "graph") == 0 ? "" : "--",
             strcmp(field, "replace") == 0 ? "force" : field);
    for (char *at = name; *at != '\0'; at++) {
        *at = (char)(*at == '_' ? '-' : *at);
    }
    return usage_error(command, "%s: %s", name, engine_detail());
}

int client_fail(const char *command, int status, const char *output)
{
    const char *detail = engine_detail();
    const bool speaks = dist_rank() == 0;
    char text[MESSAGE_TEXT];

    if (status == ENGINE_OK) {
        return EXIT_OK;
    }
    if (status == ENGINE_ERR_RANK) {
        end_job(command, EXIT_RUNTIME, detail);
    }
    if (status == ENGINE_STOPPED) {
        stopped_text(text, sizeof text, engine_stop_reason(), output);
        message_print(command, "%s", text);
        return 128 + engine_stop_reason();
    }
    if (speaks && status == ENGINE_ERR_JOB) {
        client_refuse(command);
    } else if (speaks && *detail != '\0') {
        message_print(command,
                      strcmp(engine_field(), "replace") == 0 ? "%s, --force replaces it" : "%s",
                      detail);
    }
    return status == ENGINE_ERR_JOB ? EXIT_USAGE : EXIT_RUNTIME;
}

int client_check_terminal(const char *command, const char *name, const char *output,
                          graphfile_format format, bool force)
{
    if (strcmp(output, "/dev/stdout") == 0) {
        return usage_error(command, "%s: '/dev/stdout' is no file, allowed: -, for standard output",
                           name);
    }
    if (force || strcmp(output, "-") != 0 || graphfile_table[format]->traits & GRAPHFILE_TEXT ||
        !isatty(STDOUT_FILENO)) {
        return EXIT_OK;
    }
    return usage_error(command,
                       "%s: '-' is a terminal, and %s is not text, allowed: a file, a pipe, or "
                       "--force",
                       name, graphfile_names[format]);
}

int client_end(client *c, int status, const char *output)
{
    client_clear(c);
    return client_fail(c->command, status, output);
}

static char kept[MESSAGE_TEXT]; /* the last line of this rank, or "" */

void client_keep_message(void)
{
    if (dist_size() > 1) {
        message_capture(kept);
    }
}

int client_agree(const char *command, int status)
{
    if (dist_size() == 1) {
        return status;
    }
    message_capture(NULL);
    if (status == EXIT_RUNTIME && *kept != '\0') {
        engine_prefix_rank(kept, sizeof kept);
    }
    status = dist_agree(status, kept, sizeof kept);
    if (status != EXIT_OK && *kept != '\0' && dist_rank() == 0) {
        message_print(command, "%s", kept);
    }
    kept[0] = '\0';
    return status;
}

const char *client_missing_option(graphfile_format format, const graphfile_graph *graph)
{
    const unsigned traits = graphfile_table[format]->traits;
    const bool integers = traits & GRAPHFILE_INT_WEIGHTS;
    const bool weights =
        (traits & GRAPHFILE_NEEDS_WEIGHTS && graph->weight == EDGEFILE_NO_WEIGHT) ||
        (integers && graph->weight == EDGEFILE_WEIGHT_F32);
    graphfile_graph other = *graph;

    other.sorted = other.unique = other.pairs = other.no_loops = 1;
    other.weight = !weights ? graph->weight : integers ? EDGEFILE_WEIGHT_I32 : EDGEFILE_WEIGHT_F32;
    if (graphfile_check(format, &other) != EDGEFILE_OK) {
        return NULL; /* the graph is refused for another reason */
    }
    return weights ? (integers ? "--weights int:1:100" : "--weights uniform")
           : traits & GRAPHFILE_NEEDS_SIMPLE ? "--simple"
                                             : NULL;
}
