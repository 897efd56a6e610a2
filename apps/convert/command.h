/* The command `rmat convert`, for the table in apps/cli/commands.c. */
#ifndef APPS_CONVERT_COMMAND_H
#define APPS_CONVERT_COMMAND_H

#include "apps/common/options.h"

extern const command_line convert_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int convert_main(int argc, char **argv);

#endif
