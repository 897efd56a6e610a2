/* The start of commands that work in a single process and read a graph: the check that they were
 * not started as several ranks, and their command line. */
#include "apps/common/one_process.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <string.h>

int one_process(const char *command, const char *does)
{
    int status = dist_start();

    if (status == DIST_OK && dist_size() == 1) {
        return EXIT_OK;
    }
    if (dist_rank() == 0 && status != DIST_OK) {
        runtime_error(command, "%s", dist_strerror(status));
    } else if (dist_rank() == 0) {
        runtime_error(command, "started as %d ranks; this version %s from one process", dist_size(),
                      does);
    }
    return EXIT_RUNTIME;
}

bool one_process_parse(const command_line *line, const char *does, int argc, char **argv,
                       void *values, bool given[OPTIONS_MAX], const char **operand, int *status)
{
    *status = one_process(line->command, does);
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
