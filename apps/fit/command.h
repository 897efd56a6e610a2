/* The command `rmat fit`, for the table in apps/cli/commands.c. */
#ifndef APPS_FIT_COMMAND_H
#define APPS_FIT_COMMAND_H

#include "apps/common/options.h"

extern const command_line fit_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int fit_main(int argc, char **argv);

#endif
