/*
 * client.h - code that the commands share above the engine: their list, begin and end, small output
 * files, signals that stop a command, a progress bar, the engine's errors as messages and exit
 * codes, and the options of edges.
 */
#ifndef APPS_CLIENT_CLIENT_H
#define APPS_CLIENT_CLIENT_H

#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/engine/job.h"
#include "io/graphfile.h"
#include <stdio.h>

/*
 * --- The list of the commands of `rmat` that have their own folder; apps/cli/commands.c makes its
 * table from it ---
 *
 * NAME_command_line has the options of `rmat NAME`.  NAME_main() does its work: argv[0..argc) are
 * the arguments after the name, and it returns the exit code.
 */

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
 * `by` is the option that gives the name, without dashes, for messages.  `input` is the file that
 * the command reads (NULL: none); the output must not replace it.  An existing file is replaced
 * only if `force` is set and the file is regular.  Returns an exit code.  If it is not EXIT_OK, a
 * line on stderr says why, and there is nothing to close.
 */
int whole_file_open(whole_file *f, const char *command, const char *by, const char *name,
                    bool force, const char *input);

/* Publishes the file if `status` is EXIT_OK, else removes it.  Returns `status`, or EXIT_RUNTIME
 * after a line on stderr if publishing failed. */
int whole_file_close(whole_file *f, int status);

/*
 * --- Progress of a run on stderr ---
 *
 * On a terminal, progress is a line, redrawn in place and removed at the end.  Elsewhere it is a
 * line every 30 seconds.
 */

typedef struct {
    uint64_t edges;    /* in all */
    double edge_bytes; /* bytes of the file for each edge */
    bool quiet, terminal;
    double start, next; /* times of the start and of the next drawing, as clock_seconds() */
} progress;

/* Begins; the arguments are as the members above.  A quiet object prints nothing. */
void progress_start(progress *p, uint64_t edges, double edge_bytes, bool quiet);

/* Draws if it is time: `done` edges of this pass are finished. */
void progress_update(progress *p, uint64_t done);

/* Draws if it is time: the current phase, the share of the work that is done (0 to 1), and the
 * number of edges in the file. */
void progress_show(progress *p, const char *phase, double share, uint64_t done);

/* Removes the line. */
void progress_end(progress *p);

/* --- A client of the engine: client.c --- */

typedef struct {
    const char *command; /* as in message.h */
    progress bar;
    bool shown; /* the bar has begun */
    bool quiet;
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

/* For several ranks that parse one command line.  From client_keep() on, a rank's last message is
 * kept instead of printed.  Each rank then passes its exit code to client_parsed().  It returns the
 * code of the lowest rank whose code is not EXIT_OK, and rank 0 prints that rank's message. */
void client_keep(void);
int client_parsed(const char *command, int status);

/* Sets members that only tests choose, from environment variables (tests/README.md). */
void client_obey_tests(engine_job *job);

/* --- The options of edges that `rmat generate` and `rmat convert` share --- */

#define EDGE_WEIGHTS_ALLOWED                                                                       \
    "none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to " \
    "1e38, MIN <= MAX)"

/* A row of a command's own table (options.h).  Its value is an int, an index into
 * engine_id_names. standard: the meaning of auto. */
#define EDGE_ROW_ID_TYPE(type, member, heading, standard)                                          \
    {                                                                                              \
        .name = "id-type", .kind = OPTION_CHOICE, .argument = "TYPE",                              \
        .offset = offsetof(type, member), .choices = engine_id_names, .fallback = "auto",          \
        .group = heading,                                                                          \
        .help = "type of the vertex numbers in the file, where its format leaves a choice; "       \
                "auto: " standard                                                                  \
    }

/* Checks that the format, the value of the option `chooser` ("format", "to"), can hold the model's
 * weights, which `text` requested.  Returns EXIT_OK, or EXIT_USAGE after a line on stderr. */
int edge_options_fit_weights(const char *command, const char *chooser, const char *text,
                             const rmat_config *model, graphfile_format format);

/* Returns the option of `rmat generate` with which the format could hold the graph that
 * graphfile_check() refused: "--simple" or weights.  NULL: none could. */
const char *client_missing_option(graphfile_format format, const graphfile_graph *graph);

/* Puts "none", "uniform", "int:MIN:MAX" or "float:MIN:MAX" into the model.  Returns EXIT_OK, or
 * EXIT_USAGE after a line on stderr. */
int edge_options_weights(const char *command, const char *text, rmat_config *model);

#endif
