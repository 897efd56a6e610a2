/* The command `rmat info`, for the table in apps/cli/commands.c. */
#ifndef APPS_INFO_COMMAND_H
#define APPS_INFO_COMMAND_H

#include "apps/common/options.h"

extern const command_line info_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int info_main(int argc, char **argv);

#endif
