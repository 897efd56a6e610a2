/*
 * commands.h - the list of the commands of `rmat` that have their own folder. apps/cli/commands.c
 * makes its table from this list.
 *
 * NAME_command_line has the options of `rmat NAME`.  NAME_main() does its work: argv[0..argc) are
 * the arguments after the name, and it returns the exit code.
 */
#ifndef APPS_CLIENT_COMMANDS_H
#define APPS_CLIENT_COMMANDS_H

#include "apps/common/options.h"

/* Name, text of `rmat --help`, exit status if the command cannot begin (0: EXIT_RUNTIME). */
/* clang-format off */
#define RMAT_COMMANDS(COMMAND) \
    COMMAND(generate, "write a graph to a file, in HDF5 or another format", 0) \
    COMMAND(info, "print what an edge file contains, or which devices there are", 0) \
    COMMAND(verify, "check that an edge file is complete and correct", EXIT_UNCHECKED) \
    COMMAND(convert, "write the graph of an HDF5 file in another format", 0) \
    COMMAND(stats, "count degrees, loops, duplicates and more", 0) \
    COMMAND(plot, "draw degrees and the adjacency matrix", 0) \
    COMMAND(roots, "print the vertices from which Graph500's benchmark searches", 0) \
    COMMAND(bench, "measure how fast this machine generates and writes edges", 0)
/* clang-format on */

#define RMAT_COMMAND_DECLARE(name, help, unable)                                                   \
    extern const command_line name##_command_line;                                                 \
    int name##_main(int argc, char **argv);
RMAT_COMMANDS(RMAT_COMMAND_DECLARE)
#undef RMAT_COMMAND_DECLARE

/* apps/cli/commands.c: runs the whole program. argv is that of main().  Returns the exit status.
 * Call it first and once: it sets signal handlers and prints. */
__attribute__((visibility("default"))) int rmat_main(int argc, char **argv);

#endif
