/* The table of rmat's commands, and the commands that belong to the program itself. */
#ifndef APPS_CLI_COMMANDS_H
#define APPS_CLI_COMMANDS_H

#include "apps/common/options.h"

typedef struct {
    const char *name, *help;           /* help: one line for `rmat --help` */
    int (*run)(int argc, char **argv); /* the arguments after the name; returns the exit code */
    const command_line *line;          /* its options */
    int unable; /* its exit status where it cannot do what it should; 0: EXIT_RUNTIME */
} rmat_command;

extern const rmat_command commands[]; /* ends with a NULL name */

/* The names of all commands.  Static. */
const char *command_names(const char *separator);

extern const command_line completion_command_line, help_command_line, man_command_line,
    version_command_line;

int completion_main(int argc, char **argv);
int help_main(int argc, char **argv);
int man_main(int argc, char **argv);
int version_main(int argc, char **argv);

/* Of the commands that belong to the program itself: the table of --help, their only option, and
 * the parser, which prints the help where it is asked for.  Returns whether the command goes on; if
 * not, *status is its exit code. */
extern const option command_help_option[1];
bool command_parse(const command_line *line, int argc, char **argv, const char **operand,
                   int *status);

/* All of the program.  argv as of main(), whose exit status it returns.  To be called first and
 * once: it sets signal handlers, and prints. */
__attribute__((visibility("default"))) int rmat_main(int argc, char **argv);

#endif
