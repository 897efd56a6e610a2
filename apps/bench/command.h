/* The command `rmat bench`, for the table in apps/cli/commands.c. */
#ifndef APPS_BENCH_COMMAND_H
#define APPS_BENCH_COMMAND_H

#include "apps/common/options.h"

extern const command_line bench_command_line;

/* argv[0..argc) are the arguments after the command's name.  Returns the exit code. */
int bench_main(int argc, char **argv);

#endif
