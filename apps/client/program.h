/* How our programs begin. */
#ifndef APPS_CLIENT_PROGRAM_H
#define APPS_CLIENT_PROGRAM_H

/* To be called first in main(): standard streams, signals and HDF5 are then as the rest of a
 * program expects them.  command: the one that runs, or "". */
void program_begin(const char *program, const char *command);

/* From now on partial files stay even if a library ends the process, which else removes them. */
void program_keeps_partial_files(void);

#endif
