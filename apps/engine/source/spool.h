/* Standard input as a file that can be read anywhere. */
#ifndef APPS_ENGINE_SOURCE_SPOOL_H
#define APPS_ENGINE_SOURCE_SPOOL_H

/* *fd: standard input itself where it is a file at its beginning, else a copy without a name in the
 * folder (NULL: TMPDIR, or /tmp), which is gone when it is closed.  An exit code, after a line on
 * stderr where it is not EXIT_OK. */
int spool_stdin(int *fd, const char *command, const char *folder);

#endif
