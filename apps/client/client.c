/* client.c - the command line as a client of the engine: progress, signals and errors; and the
 * options of edges that commands share. */
#include "apps/client/client.h"
#include "apps/common/system.h"
#include "apps/engine/attributes/model_attrs.h"
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

enum { LINE_TEXT = 256 };

static int terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/* The time that is left comes first, because a narrow terminal cuts the line. */
void progress_show(progress *p, const char *phase, double share, uint64_t done)
{
    const double now = clock_seconds(), seconds = now - p->start;
    const double rate = seconds > 0 ? (double)done / seconds : 0;
    const long left = share > 0 ? lround(fmin(seconds / share * (1 - share), 1e9)) : 0;
    char number[NUMBER_TEXT] = "?", line[LINE_TEXT];

    if (p->quiet || now < p->next) {
        return;
    }
    if (share > 0) {
        snprintf(number, sizeof number, "%ld:%02ld:%02ld", left / 3600, left / 60 % 60, left % 60);
    }
    snprintf(line, sizeof line, "%3d%% ETA %s, %s%s", (int)(share * 100), number, phase,
             *phase != '\0' && done > 0 ? ": " : "");
    if (done > 0 || *phase == '\0') {
        text_append(line, sizeof line, "%s edges/s", format_si(number, rate));
        if (p->edge_bytes > 0) {
            text_append(line, sizeof line, ", %s/s", format_bytes(number, rate * p->edge_bytes));
        }
    }
    if (p->terminal) { /* in place, and never so long that it wraps */
        fprintf(stderr, "\r\033[K%.*s", terminal_width() - 1, line);
    } else {
        fprintf(stderr, "%s\n", line);
    }
    fflush(stderr);
    p->next = now + (p->terminal ? TERMINAL_SECONDS : LINE_SECONDS);
}

void progress_update(progress *p, uint64_t done)
{
    progress_show(p, "", p->edges > 0 ? (double)done / (double)p->edges : 1, done);
}

void progress_start(progress *p, uint64_t edges, double edge_bytes, bool quiet)
{
    const char *type = getenv("TERM");

    p->edges = edges;
    p->edge_bytes = edge_bytes;
    p->quiet = quiet;
    p->terminal = !quiet && isatty(STDERR_FILENO) && type != NULL && strcmp(type, "dumb") != 0;
    p->start = clock_seconds();
    p->next = p->start + (p->terminal ? 0 : LINE_SECONDS);
    if (p->terminal) {
        progress_update(p, 0);
    }
}

void progress_end(progress *p)
{
    if (p->terminal) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
}

/* A client of the engine. */

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
    const int first = edgefile_abandon();

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

    progress_end(&c->bar);
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
    return *field == '\0' ? usage_error(command, "%s", engine_detail())
                          : usage_error(command, "%s: %s", name, engine_detail());
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

void client_clear(client *c)
{
    if (c->shown) {
        progress_end(&c->bar);
    }
    c->shown = false;
}

int client_end(client *c, int status, const char *output)
{
    client_clear(c);
    return client_fail(c->command, status, output);
}

static char kept[MESSAGE_TEXT]; /* the last line of this rank, or "" */

void client_keep(void)
{
    if (dist_size() > 1) {
        message_capture(kept);
    }
}

int client_parsed(const char *command, int status)
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

/* --weights: its value into a model, and which formats can hold such weights. */

int edge_options_weights(const char *command, const char *text, rmat_config *m)
{
    const bool parsed = model_parse_weights(text, m);

    if (parsed && !(m->weights == RMAT_WEIGHTS_FLOAT && m->weight_low > m->weight_high) &&
        !(m->weights == RMAT_WEIGHTS_INT && m->weight_min > m->weight_max)) {
        return EXIT_OK;
    }
    return usage_error(command, "--weights: '%s' %s, allowed: %s", text,
                       parsed ? "has a minimum above its maximum" : "is unknown",
                       EDGE_WEIGHTS_ALLOWED);
}

int edge_options_fit_weights(const char *command, const char *chooser, const char *text,
                             const rmat_config *m, graphfile_format format)
{
    const unsigned traits = graphfile_table[format]->traits;
    const int32_t least = traits & GRAPHFILE_WEIGHTS_FROM_1   ? 1
                          : traits & GRAPHFILE_WEIGHTS_FROM_0 ? 0
                                                              : INT32_MIN;
    char list[256];

    if (m->weights != RMAT_NO_WEIGHTS && !(traits & GRAPHFILE_HAS_WEIGHTS)) {
        graphfile_list(GRAPHFILE_HAS_WEIGHTS, list, sizeof list);
        return usage_error(command, "--weights: '%s' given with --%s %s, allowed: with %s", text,
                           chooser, graphfile_names[format], list);
    }
    if (m->weights == RMAT_WEIGHTS_INT && m->weight_min < least) {
        return usage_error(command,
                           "--weights: '%s' given with --%s %s, allowed: int:MIN:MAX with MIN of "
                           "at least %d",
                           text, chooser, graphfile_names[format], least);
    }
    return EXIT_OK;
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
