/* The command `rmat plot`, for the table in apps/cli/commands.c. */
#ifndef APPS_PLOT_COMMAND_H
#define APPS_PLOT_COMMAND_H

#include "apps/common/options.h"

extern const command_line plot_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int plot_main(int argc, char **argv);

#endif
