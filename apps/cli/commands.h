/* The commands of `rmat`. */
#ifndef APPS_CLI_COMMANDS_H
#define APPS_CLI_COMMANDS_H

#include "apps/common/options.h"

typedef struct {
    const char *name, *help;
    int (*run)(int argc, char **argv);
    const command_line *line;
} rmat_command;

extern const rmat_command commands[]; /* ends with a NULL name */

const rmat_command *find_command(const char *name); /* or NULL */

extern const command_line generate_command_line, info_command_line, verify_command_line,
    convert_command_line, stats_command_line, plot_command_line, bench_command_line,
    completion_command_line, man_command_line;

/* argv holds the arguments after the command's name.  Returns the exit code. */
int generate_main(int argc, char **argv);
int info_main(int argc, char **argv);
int verify_main(int argc, char **argv);
int convert_main(int argc, char **argv);
int stats_main(int argc, char **argv);
int plot_main(int argc, char **argv);
int bench_main(int argc, char **argv);
int completion_main(int argc, char **argv);
int man_main(int argc, char **argv);

#endif
