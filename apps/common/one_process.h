/* The start of commands that work in a single process. */
#ifndef APPS_COMMON_ONE_PROCESS_H
#define APPS_COMMON_ONE_PROCESS_H

#include "apps/common/option_rows.h"
#include <stdbool.h>

/* Call dist_start().  Returns EXIT_OK, or EXIT_RUNTIME if a launcher started several ranks; rank 0
 * has then printed a line that says what this version `does` ("measures") from one process.  The
 * caller ends with dist_stop() in either case. */
int one_process(const char *command, const char *does);

/* one_process(), then options_parse() and, where it is asked for, --help, which is printed. Returns
 * whether the command goes on; if not, *status is its exit code.  The caller ends with dist_stop()
 * in either case. */
bool one_process_parse(const command_line *line, const char *does, int argc, char **argv,
                       void *values, bool given[OPTIONS_MAX], const char **operand, int *status);

/*
 * Calls work() for each of the files, whose list ends with NULL, and separates what it prints on
 * standard output: several reports as text by an empty line, several JSON objects as one array.
 * tells: work() prints a report though it fails, and says in text where it ends; else an object
 * stands in for the missing one.
 * Stops after a signal.  Returns EXIT_RUNTIME if a call did, else the first exit code that is not
 * EXIT_OK.
 */
int each_file(const char *const *files, bool json, bool tells,
              int (*work)(const char *file, const void *state), const void *state);

#endif
