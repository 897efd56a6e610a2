/*
 * The commands of the program rmat that have a folder of their own, for their table in
 * apps/cli/commands.c.
 *
 * NAME_command_line has the options of `rmat NAME`.  NAME_main() does its work: argv[0..argc) are
 * the arguments after the name, and it returns the exit code.
 */
#ifndef APPS_CLIENT_COMMANDS_H
#define APPS_CLIENT_COMMANDS_H

#include "apps/common/options.h"

#define RMAT_COMMAND(name)                                                                         \
    extern const command_line name##_command_line;                                                 \
    int name##_main(int argc, char **argv)

RMAT_COMMAND(bench);
RMAT_COMMAND(convert);
RMAT_COMMAND(fit);
RMAT_COMMAND(generate);
RMAT_COMMAND(info);
RMAT_COMMAND(join);
RMAT_COMMAND(plot);
RMAT_COMMAND(roots);
RMAT_COMMAND(stats);
RMAT_COMMAND(verify);

#endif
