/* What the commands share above the engine: its errors as messages and exit codes, its progress as
 * a bar, signals as requests to stop. */
#ifndef APPS_CLIENT_CLIENT_H
#define APPS_CLIENT_CLIENT_H

#include "apps/common/progress.h"
#include "apps/engine/engine.h"

typedef struct {
    const char *command; /* as in message.h */
    progress bar;
    bool shown; /* the bar has begun */
    bool quiet;
    engine_progress last;
    engine_watch watch; /* for the engine; its state is this struct */
} client;

/* Install the signal handlers, and make the watch.  output: what is being made, or NULL; borrowed.
 * quiet: no progress.  Not to be copied. */
void client_begin(client *c, const char *command, const char *output, bool quiet);

/* Remove the bar.  Print the engine's error, if the status is one, on rank 0; where it is a rank's
 * own, that rank prints it and ends the job.  output: what was not made when the engine was
 * stopped, or NULL. Returns the exit code: 0, 1, 2 or 128 + the signal's number. */
int client_end(client *c, int status, const char *output);

/* Remove the bar: what follows has a bar of its own, or none. */
void client_clear(client *c);

/* A line on stderr where the output's suffix is that of another format than it has: what reads it
 * will take it for that.  On rank 0, and unless the client is quiet. */
void client_note_suffix(const client *c, const char *output, graphfile_format format);

/* Only the error: for calls without progress. */
int client_fail(const char *command, int status, const char *output);

/* The same text as a kept message (message.h), for client_parsed(); printed at once where messages
 * are not kept. */
int client_keep(const char *command, int status);

/* A file that is not text does no good on a terminal: refuses `output`, the value of `name`, where
 * that is "-", standard output is a terminal and `force` is not set.  Returns EXIT_OK, or
 * EXIT_USAGE after a line on stderr. */
int client_check_terminal(const char *command, const char *name, const char *output,
                          graphfile_format format, bool force);

/* All ranks have parsed the command line, each with this exit code; where there are several, they
 * have kept their messages (message.h).  Returns the exit code of the lowest rank that has one,
 * whose message rank 0 prints. */
int client_parsed(const char *command, int status);

/* Sets what only tests choose, by variables of the environment (tests/README.md). */
void client_obey_tests(engine_job *job);

/* How a program begins and ends. */

/* To be called first in main(): standard streams, signals and HDF5 are then as the rest of a
 * program expects them.  command: the one that runs, or "".  unable: the exit status where it
 * cannot begin, or where a library ends the process: EXIT_RUNTIME unless that means another thing
 * to the command. */
void program_begin(const char *command, int unable);

/* To be called last in main(), with its exit status, which it returns. */
int program_end(int status);

#endif
