/* The command `rmat join`, for the table in apps/cli/commands.c. */
#ifndef APPS_JOIN_COMMAND_H
#define APPS_JOIN_COMMAND_H

#include "apps/common/options.h"

extern const command_line join_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int join_main(int argc, char **argv);

#endif
