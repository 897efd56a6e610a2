/* All of the program `rmat`, for programs that are nothing else. */
#ifndef APPS_CLI_RUN_H
#define APPS_CLI_RUN_H

/* argv as of main(), whose exit status it returns.  To be called first and once: it sets signal
 * handlers, and prints. */
__attribute__((visibility("default"))) int rmat_main(int argc, char **argv);

#endif
