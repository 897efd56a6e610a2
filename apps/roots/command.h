/* The command `rmat roots`, for the table in apps/cli/commands.c. */
#ifndef APPS_ROOTS_COMMAND_H
#define APPS_ROOTS_COMMAND_H

#include "apps/common/options.h"

extern const command_line roots_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int roots_main(int argc, char **argv);

#endif
