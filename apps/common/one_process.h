/* For commands that work in one process. */
#ifndef APPS_COMMON_ONE_PROCESS_H
#define APPS_COMMON_ONE_PROCESS_H

/* dist_start().  EXIT_OK; or, if a launcher started several ranks, EXIT_RUNTIME after one line of
 * rank 0 on stderr, which says what the version `does` from one process.  dist_stop() in either
 * case. */
int one_process(const char *command, const char *does);

#endif
