/* The command `rmat generate`, for the table in apps/cli/commands.c. */
#ifndef APPS_GENERATE_COMMAND_H
#define APPS_GENERATE_COMMAND_H

#include "apps/common/options.h"

extern const command_line generate_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int generate_main(int argc, char **argv);

#endif
