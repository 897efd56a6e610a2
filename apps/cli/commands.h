/* The program `rmat` as a function. */
#ifndef APPS_CLI_COMMANDS_H
#define APPS_CLI_COMMANDS_H

/* All of the program.  argv as of main(), whose exit status it returns.  To be called first and
 * once: it sets signal handlers, and prints. */
__attribute__((visibility("default"))) int rmat_main(int argc, char **argv);

#endif
