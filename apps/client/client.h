/* client.h - what the commands share above the engine: their list, begin and end, signals, small
 * output files, and the engine's progress and errors as messages and exit codes. */
#ifndef APPS_CLIENT_CLIENT_H
#define APPS_CLIENT_CLIENT_H

#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/engine/job.h"
#include "io/graphfile.h"
#include <stdio.h>

/*
 * --- The commands: NAME_command_line has the options of `rmat NAME`.  NAME_main() does its work:
 * argv[0..argc) are the arguments after the name, and it returns the exit code.
 *
 * Name, text of `rmat --help`, exit status if the command cannot begin (0: EXIT_RUNTIME). ---
 */
/* clang-format off */
#define RMAT_COMMANDS(COMMAND) \
    COMMAND(generate, "write a graph to a file, in HDF5 or another format", 0) \
    COMMAND(info, "print what an edge file contains, or which devices there are", 0) \
    COMMAND(verify, "check that an edge file is complete and correct", EXIT_UNCHECKED) \
    COMMAND(convert, "write the graph of an HDF5 file in another format", 0) \
    COMMAND(stats, "count degrees, loops, duplicates and more", 0) \
    COMMAND(plot, "draw degrees and the adjacency matrix", 0) \
    COMMAND(roots, "print the vertices from which Graph500's benchmark searches", 0) \
    COMMAND(bench, "measure how fast this machine generates edges", 0)
/* clang-format on */

#define RMAT_COMMAND_DECLARE(name, help, unable)                                                   \
    extern const command_line name##_command_line;                                                 \
    int name##_main(int argc, char **argv);
RMAT_COMMANDS(RMAT_COMMAND_DECLARE)
#undef RMAT_COMMAND_DECLARE

/* apps/cli/commands.c: runs the whole program. argv is that of main().  Returns the exit status.
 * Call it first and once: it sets signal handlers and prints. */
__attribute__((visibility("default"))) int rmat_main(int argc, char **argv);

/* --- The begin and end of a program: program.c --- */

/* Sets up standard streams and HDF5.  Call it first in main(). command: the command that
 * runs, or "". unable: the exit status if the program cannot begin, or if a library ends the
 * process.  It is EXIT_RUNTIME unless that has another meaning for the command. */
void program_begin(const char *command, int unable);

/* Call it last in main(), with the exit status, which it returns. */
int program_end(int status);

/* From this call on, a signal that asks to stop (SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,
 * SIGXCPU, SIGALRM) only sets a flag that long work checks.  Call it before there is anything to
 * clean up.  A signal that was ignored at the start stays ignored. */
void interrupt_install(void);

/* Returns the signal that asked to stop, or 0.  Any thread may call it. */
int interrupt_signal(void);

/* Returns the name of a signal, such as "SIGINT". */
const char *interrupt_name(int signal_number);

/* Starts the engine; a command of one process fails where a launcher started several ranks.  Then
 * calls options_parse(), and prints the help if --help is given.  Returns whether the command goes
 * on; if not, *status is its exit code.  The caller ends with dist_stop() in either case. */
bool one_process_parse(const command_line *line, int argc, char **argv, void *values,
                       bool given[OPTIONS_MAX], const char **operand, int *status);

/*
 * Calls work() for each file of the list, which ends with NULL, and separates the outputs: text
 * reports by an empty line, JSON objects as one array. tells: work() prints a report even if it
 * fails, and ends text reports itself; else each_file() prints an object in place of a missing one.
 * Stops after a signal.  Returns EXIT_RUNTIME if any call did, else the first exit code other than
 * EXIT_OK.
 */
int each_file(const char *const *files, bool json, bool tells,
              int (*work)(const char *file, const void *state), const void *state);

/*
 * --- A small output of a command (report, table, picture) that becomes a file only as a whole ---
 *
 * The command prints to `stream`, which is in memory.  After success, whole_file_close() writes the
 * text to the file, or to standard output if the name is "-".  Until then there is an empty
 * NAME.partial.  For one thread.
 */

typedef struct {
    FILE *stream; /* NULL: the name is NULL, and there is no output */
    const char *command, *option;
    edgefile_small *file; /* NULL: standard output */
    char *text;
    size_t bytes;
} whole_file;

/* Returns whether `name` is the input file `input`.  Either may not exist. */
bool whole_file_is_input(const char *name, const char *input);

/*
 * Opens the output.  Call it before the command's work, so that an unusable name costs no time.
 * `by` is the option that gives the name, without dashes, for messages.  The output must not
 * replace `input`, the file that the command reads.  An existing file is replaced only if `force`
 * is set and the file is regular.  Returns an exit code.  If it is not EXIT_OK, a line on stderr
 * says why, and there is nothing to close.
 */
int whole_file_open(whole_file *f, const char *command, const char *by, const char *name,
                    bool force, const char *input);

/* Publishes the file if `status` is EXIT_OK, else removes it.  Returns `status`, or EXIT_RUNTIME
 * after a line on stderr if publishing failed. */
int whole_file_close(whole_file *f, int status);

/* --- A client of the engine: client.c --- */

/* It shows the progress of a job on stderr: on a terminal as a line, redrawn in place and removed
 * at the end; elsewhere as a line every 30 seconds. */
typedef struct {
    const char *command, *output; /* as in message.h; the name of the output, or NULL */
    bool quiet, terminal;
    bool shown;         /* the bar has begun, at the time `start` */
    double start, next; /* next: the time of the next drawing, as clock_seconds() */
    engine_watch watch; /* for the engine; its state is this struct */
} client;

/* Installs the signal handlers and makes the watch. output: the name of the output, or NULL;
 * borrowed. quiet: no progress.  Do not copy the client. */
void client_begin(client *c, const char *command, const char *output, bool quiet);

/* Removes the bar.  If the status is an error, rank 0 prints it.  A rank's own error is printed by
 * that rank, which ends the job. output: the name of the output that a stopped engine did not make,
 * or NULL.  Returns the exit code: 0, 1, 2 or 128 + the signal's number. */
int client_end(client *c, int status, const char *output);

/* Removes the bar: the next step has its own bar, or none. */
void client_clear(client *c);

/* Prints only the error, for calls without progress. */
int client_fail(const char *command, int status, const char *output);

/* After ENGINE_ERR_JOB: reports the wrong option by usage_error().  On every rank. */
int client_refuse(const char *command);

/* Refuses to print a binary file on a terminal: `output`, the value of the option `name`, is "-",
 * standard output is a terminal, and `force` is not set.  Returns EXIT_OK, or EXIT_USAGE after a
 * line on stderr. */
int client_check_terminal(const char *command, const char *name, const char *output,
                          graphfile_format format, bool force);

/* For several ranks that parse one command line.  From client_keep_message() on, a rank's last
 * message is kept instead of printed.  Each rank then passes its exit code to client_agree().  It
 * returns the code of the lowest rank that failed, and rank 0 prints that rank's message. */
void client_keep_message(void);
int client_agree(const char *command, int status);

/* A row of a table of options, for `rmat generate` and `rmat convert`.  Its value is an int, an
 * index into engine_id_names. standard: the meaning of auto. */
#define EDGE_ROW_ID_TYPE(type, member, heading, standard)                                          \
    OPTION_ROW(type, member, heading, "id-type", CHOICE, .argument = "TYPE",                       \
               .choices = engine_id_names, .fallback = "auto",                                     \
               .help = "type of the vertex numbers in the file, where its format leaves a "        \
                       "choice; auto: " standard)

/* Returns the option of `rmat generate` with which the format could hold the graph that
 * graphfile_check() refused: "--simple" or weights.  NULL: none could. */
const char *client_missing_option(graphfile_format format, const graphfile_graph *graph);

#endif
