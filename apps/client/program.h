/* How our programs begin. */
#ifndef APPS_CLIENT_PROGRAM_H
#define APPS_CLIENT_PROGRAM_H

/* To be called first in main(): standard streams, signals and HDF5 are then as the rest of a
 * program expects them.  command: the one that runs, or "".  unable: the exit status where it
 * cannot begin, or where a library ends the process: EXIT_RUNTIME unless that means another thing
 * to the command. */
void program_begin(const char *program, const char *command, int unable);

/* To be called last in main(), with its exit status, which it returns. */
int program_end(int status);

/* From now on partial files stay even if a library ends the process, which else removes them. */
void program_keeps_partial_files(void);

#endif
