/* The command `rmat verify`, for the table in apps/cli/commands.c. */
#ifndef APPS_VERIFY_COMMAND_H
#define APPS_VERIFY_COMMAND_H

#include "apps/common/options.h"

extern const command_line verify_command_line;

/* Exit status where neither an error was found nor all was checked. */
enum { EXIT_UNCHECKED = 3 };

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int verify_main(int argc, char **argv);

#endif
