/* The command line as a client of the engine. */
#include "apps/client/client.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/ranks/rank_group.h"
#include "mpi/dist.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* For lost(), which is called from any thread. */
static const char *_Atomic lost_command, *_Atomic lost_output;
static struct stat output_before;

static int tick(void *state, const engine_progress *p)
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
    return interrupt_signal();
}

static void warn(void *state, const char *text)
{
    client *c = state;

    progress_end(&c->bar, false);
    message_print(c->command, "%s", text);
}

/* What has the name; of a file that is not there everything is 0. */
static struct stat look(const char *output)
{
    struct stat st = {0};

    if (output != NULL && stat(output, &st) != 0) {
        memset(&st, 0, sizeof st);
    }
    return st;
}

/* Has the output got its name? */
static bool is_made(const char *output)
{
    const struct stat now = look(output);

    return now.st_ino != output_before.st_ino || now.st_dev != output_before.st_dev;
}

/* After a signal the launcher ends the ranks one by one: those that notice have nothing to add. */
static void lost(const char *text)
{
    const char *command = lost_command, *output = lost_output;

    if (interrupt_signal() != 0) {
        return;
    }
    if (output != NULL) {
        message_print(command, "%s, '%s' was %s", text, output,
                      is_made(output) ? "made before that" : "not made");
    } else {
        message_print(command, "%s", text);
    }
}

void client_begin(client *c, const char *command, const char *output, bool quiet)
{
    *c = (client){.command = command, .quiet = quiet, .bar = {.quiet = true}};
    c->watch = (engine_watch){.tick = tick, .warn = warn, .lost = lost, .state = c};
    lost_command = command;
    lost_output = output;
    output_before = look(output);
    interrupt_install();
}

/* How users call a member of engine_job: by its option, "--id-type", if it has one. */
static void option_of(char text[64], const char *field)
{
    static const char *const plain[] = {"", "model", "graph", "version", "chunk", NULL};
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
    char option[64];

    if (status == ENGINE_STOPPED) {
        if (speaks && output != NULL) {
            message_print(command, "stopped by %s, '%s' was not made", interrupt_name(reason),
                          output);
        } else if (speaks) {
            message_print(command, "stopped by %s", interrupt_name(reason));
        }
        return 128 + reason;
    }
    if (speaks && status == ENGINE_ERR_JOB) {
        option_of(option, field);
        message_print(command, "%s%s%s", option, *option != '\0' ? ": " : "", detail);
    } else if (speaks && status == ENGINE_ERR_RUN && *detail != '\0') {
        message_print(command, "%s%s", detail,
                      strcmp(field, "replace") == 0 ? ", --force replaces it" : "");
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
    return usage_error(command, "%s%s%s", option, *option != '\0' ? ": " : "", engine_detail());
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
    if (status == ENGINE_STOPPED && c->keeps) {
        if (dist_rank() == 0) {
            message_print(c->command, "stopped by %s, --resume goes on with '%s.partial'",
                          interrupt_name(engine_stop_reason()), output);
        }
        return EXIT_AGAIN;
    }
    return client_fail(c->command, status, output);
}

int client_agree(const char *command, int status)
{
    char text[MESSAGE_TEXT] = "";

    if (status != EXIT_OK) {
        message_take(text);
    }
    if (status == EXIT_RUNTIME) {
        rank_name(text, sizeof text);
    }
    status = dist_agree(status, text, sizeof text, NULL);
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
        job->io = EDGEFILE_PATH_POSITIONAL;
    }
}
