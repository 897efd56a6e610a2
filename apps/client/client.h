/*
 * What the commands share above the engine: how they begin and end; its errors as messages and exit
 * codes, its progress as a bar, signals as requests to stop; and the options of edges.
 */
#ifndef APPS_CLIENT_CLIENT_H
#define APPS_CLIENT_CLIENT_H

#include "apps/common/option_rows.h"
#include "apps/engine/job.h"
#include "io/small_file.h"
#include <stdio.h>

/* --- How a program begins and ends: program.c --- */

/* To be called first in main(): standard streams, signals and HDF5 are then as the rest of a
 * program expects them.  command: the one that runs, or "".  unable: the exit status where it
 * cannot begin, or where a library ends the process: EXIT_RUNTIME unless that means another thing
 * to the command. */
void program_begin(const char *command, int unable);

/* To be called last in main(), with its exit status, which it returns. */
int program_end(int status);

/*
 * Signals that ask a program to stop (SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM):
 * from program_begin() on such a signal ends the program with exit status 128 + its number, after a
 * line that begins with "rmat COMMAND: ".  One that the program was started to ignore stays
 * ignored.
 */

/* To be called before there is anything to clean up: from now on a signal is a flag that long work
 * looks at. */
void interrupt_install(void);

/* From now on a signal ends the program without a line: what went wrong has been said, and a
 * launcher ends the ranks that are left when the first one is gone. */
void interrupt_silence(void);

/* 0, or the signal that asked to stop.  Any thread. */
int interrupt_signal(void);

/* "SIGINT" and so on. */
const char *interrupt_name(int signal_number);

/* Call dist_start().  Returns EXIT_OK, or EXIT_RUNTIME if a launcher started several ranks; rank 0
 * has then printed a line that says what this version `does` ("measures") from one process.  The
 * caller ends with dist_stop() in either case. */
int one_process(const char *command, const char *does);

/* one_process(), then options_parse() and, where it is asked for, --help, which is printed. Returns
 * whether the command goes on; if not, *status is its exit code.  The caller ends with dist_stop()
 * in either case. */
bool one_process_parse(const command_line *line, const char *does, int argc, char **argv,
                       void *values, bool given[OPTIONS_MAX], const char **operand, int *status);

/*
 * Calls work() for each of the files, whose list ends with NULL, and separates what it prints on
 * standard output: several reports as text by an empty line, several JSON objects as one array.
 * tells: work() prints a report though it fails, and says in text where it ends; else an object
 * stands in for the missing one.
 * Stops after a signal.  Returns EXIT_RUNTIME if a call did, else the first exit code that is not
 * EXIT_OK.
 */
int each_file(const char *const *files, bool json, bool tells,
              int (*work)(const char *file, const void *state), const void *state);

/*
 * --- A small output of a command (report, table, picture) that becomes a file only as a whole ---
 *
 * The command prints to `stream`, which is memory.  When whole_file_close() is told that all went
 * well, what was printed becomes the file, or goes to standard output if the name is "-".  Until
 * then there is an empty NAME.partial.  For one thread.
 */

typedef struct {
    FILE *stream; /* NULL: there is no such output, as its name is NULL */
    const char *command, *option;
    edgefile_small *file; /* NULL: standard output */
    char *text;
    size_t bytes;
} whole_file;

/* Is `name` the file that is read, `input`?  Either may not be there. */
bool whole_file_is_input(const char *name, const char *input);

/*
 * Called before the command's work, so that a name that cannot be written costs no time.  `by`
 * is the option that gives the name, without dashes, for messages.  `input` is the name of the file
 * that the command reads (NULL: none), which the output must not replace; an existing file is
 * replaced if `force` is set, and only if it is a regular one.  Returns an exit code, after a line
 * on stderr where it is not EXIT_OK; then there is nothing to be closed.
 */
int whole_file_open(whole_file *f, const char *command, const char *by, const char *name,
                    bool force, const char *input);

/* Publish the file if `status` is EXIT_OK, else remove what there is.  Returns `status`, or
 * EXIT_RUNTIME after a line on stderr where publishing failed. */
int whole_file_close(whole_file *f, int status);

/*
 * --- Progress of a run on stderr ---
 *
 * On a terminal a bar that is redrawn in place and removed at the end, otherwise a line every 30
 * seconds.
 */

typedef struct {
    uint64_t edges;    /* in all */
    double edge_bytes; /* bytes of the file for each edge */
    bool quiet, terminal;
    double start, next; /* times of the start and of the next drawing, as clock_seconds() */
} progress;

/* Begin: the members above say what the arguments are.  A quiet object prints nothing. */
void progress_start(progress *p, uint64_t edges, double edge_bytes, bool quiet);

/* Draw if it is time to: `done` edges of this pass are finished. */
void progress_update(progress *p, uint64_t done);

/* Draw if it is time to: what is being done, the share of all the work (0 to 1) and how many edges
 * are in the file. */
void progress_show(progress *p, const char *phase, double share, uint64_t done);

/* Remove the bar. */
void progress_end(progress *p);

/* --- A client of the engine: client.c --- */

typedef struct {
    const char *command; /* as in message.h */
    progress bar;
    bool shown; /* the bar has begun */
    bool quiet;
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

/* After ENGINE_ERR_JOB: the error as usage_error() of the option that is wrong.  On every rank. */
int client_refuse(const char *command);

/* A file that is not text does no good on a terminal: refuses `output`, the value of `name`, where
 * that is "-", standard output is a terminal and `force` is not set.  Returns EXIT_OK, or
 * EXIT_USAGE after a line on stderr. */
int client_check_terminal(const char *command, const char *name, const char *output,
                          graphfile_format format, bool force);

/* Of several ranks: from now on what usage_error() and runtime_error() say is kept, for
 * client_parsed(): each rank has parsed the command line, with this exit code.  It returns that of
 * the lowest rank whose code is not EXIT_OK, and rank 0 prints its message. */
void client_keep(void);
int client_parsed(const char *command, int status);

/* Sets what only tests choose, by variables of the environment (tests/README.md). */
void client_obey_tests(engine_job *job);

/* --- The options of edges that `rmat generate` and `rmat convert` share --- */

#define EDGE_WEIGHTS_ALLOWED                                                                       \
    "none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to " \
    "1e38, MIN <= MAX)"

/* A row of a command's own table (option_rows.h), of an int: a position in engine_id_names.
 * standard: what auto is. */
#define EDGE_ROW_ID_TYPE(type, member, heading, standard)                                          \
    {                                                                                              \
        .name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE",                              \
        .offset = offsetof(type, member), .choices = engine_id_names, .fallback = "auto",          \
        .group = heading,                                                                          \
        .help = "type of the vertex numbers in the file, where its format leaves a choice; "       \
                "auto: " standard                                                                  \
    }

/* Can the format, the value of the option `chooser` ("format", "to"), hold the weights of the
 * model, which `text` asked for?  Returns EXIT_OK, or EXIT_USAGE after a line on stderr. */
int edge_options_fit_weights(const char *command, const char *chooser, const char *text,
                             const rmat_config *model, graphfile_format format);

/* Puts "none", "uniform", "int:MIN:MAX" or "float:MIN:MAX" into the model.  Returns EXIT_OK, or
 * EXIT_USAGE after a line on stderr. */
int edge_options_weights(const char *command, const char *text, rmat_config *model);

#endif
