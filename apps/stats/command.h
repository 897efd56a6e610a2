/* The command `rmat stats`, for the table in apps/cli/commands.c. */
#ifndef APPS_STATS_COMMAND_H
#define APPS_STATS_COMMAND_H

#include "apps/common/options.h"

extern const command_line stats_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int stats_main(int argc, char **argv);

#endif
