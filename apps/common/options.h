/*
 * Options from a table, which drives command lines, range checks and --help.
 *
 * Long options are exact: "--name value" or "--name=value".  Short ones: "-o value" or "-ovalue".
 * If an option is given twice, the last one counts.
 */
#ifndef APPS_COMMON_OPTIONS_H
#define APPS_COMMON_OPTIONS_H

#include "apps/common/system.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum {
    OPTION_FLAG,     /* bool */
    OPTION_COUNT,    /* uint64_t within min..max, written as parse_count() reads it */
    OPTION_PAIR,     /* option_pair: two such counts with an x between them, or one that is both */
    OPTION_U64,      /* uint64_t, decimal or 0x hexadecimal, no suffix */
    OPTION_FRACTION, /* double within 0..1 */
    OPTION_CHOICE,   /* int: position in choices */
    OPTION_NUMBERS,  /* option_list: numbers min..max with commas between them */
    OPTION_FILE,     /* const char *: the path of a file, or "-" for standard output */
    OPTION_TEXT      /* const char *: any text; the command checks it, `allowed` describes it */
} option_kind;

typedef struct {
    uint64_t first, second;
} option_pair;

enum { OPTION_LIST_MAX = 64 }; /* the message of OPTION_NUMBERS says it, too */

typedef struct {
    int count;
    int item[OPTION_LIST_MAX];
} option_list;

typedef struct {
    const char *name; /* without dashes */
    char letter;      /* of the short form, or 0 */
    option_kind kind;
    const char *argument;       /* name of the value in the help, NULL for a flag */
    size_t offset;              /* of the variable in the command's struct of values */
    uint64_t min, max;          /* OPTION_COUNT, OPTION_PAIR, OPTION_NUMBERS */
    const char *const *choices; /* OPTION_CHOICE; ends with NULL */
    const char *allowed;        /* for help and messages; NULL: derived from the above */
    const char *fallback;       /* the default as text for the help, or NULL */
    const char *group;          /* heading in the help; neighboring rows share it */
    const char *help;           /* -h prints it up to its first semicolon */
} option;

typedef struct {
    const char *program; /* an executable without commands; NULL: "rmat" */
    const char *command; /* as in "rmat COMMAND"; "" where there are none */
    const char *synopsis;
    const char *summary;
    const char *operand; /* the name of the operand, or of two with a blank between them, or NULL */
    bool many;           /* there may be any number of operands instead */
    const option *options;
    size_t n_options; /* at most OPTIONS_MAX */
    /* For -h, which fits on a screen: names of the options that most users need, in the order in
     * which they are shown, a blank between them; NULL: -h prints what --help does.  And command
     * lines to learn from, a newline between them, or NULL. */
    const char *common, *examples;
    const char *notes; /* after the options */
} command_line;

enum { OPTIONS_MAX = 64 };

/*
 * Parses argv[0..argc) into values. given[i] becomes whether option i appeared. operand[i] keeps
 * its value if there is no such operand; operand may be NULL if the command has none.  With `many`,
 * operand has room for argc + 1 elements, ends with NULL, and may be argv itself.  Returns 0, or
 * EXIT_USAGE after one line on stderr.  Stops at --help, which must be in the table, and ignores
 * the rest.
 */
int options_parse(const command_line *line, int argc, char **argv, void *values,
                  bool given[OPTIONS_MAX], const char **operand);

/* Returns the first of these names, with blanks between them, whose option was given, or NULL. */
const char *options_given(const command_line *line, const bool given[OPTIONS_MAX],
                          const char *names);

/* Prints the text of --help, or that of -h if the last options_parse() stopped at -h. */
void options_help(const command_line *line, FILE *stream);

/* A row for a member of the struct of values, under a heading of the help. */
#define OPTION_ROW(type, member, heading, word, of_kind, ...)                                      \
    {                                                                                              \
        .name = word, .kind = OPTION_##of_kind, .offset = offsetof(type, member),                  \
        .group = heading, __VA_ARGS__                                                              \
    }

/*
 * Rows that several commands share, so that an option has the same name, limits and default
 * everywhere:
 *
 *     static const option table[] = {
 *         [THREADS] = OPTION_ROW_THREADS(values, threads, "Running", "threads that read FILE"),
 *
 * type and member: the struct of values and its member, of the C type that the macro names.
 * heading: the option's group in the help.
 * text: what the option does for this command.
 */

/* "auto", "cpu", "gpu", in the order of rmat_backend and alias_backend; ends with NULL. */
extern const char *const option_backends[];

/* uint64_t; 0 means one thread for each processor that the process may use. */
#define OPTION_ROW_THREADS(type, member, heading, text)                                            \
    OPTION_ROW(type, member, heading, "threads", COUNT, .argument = "N", .max = CPU_MAX_THREADS,   \
               .fallback = "0", .help = text "; 0: one per processor that the process may use")

/* uint64_t, bytes; standard: the default as the help says it. */
#define OPTION_ROW_MEMORY(type, member, heading, standard, text)                                   \
    OPTION_ROW(type, member, heading, "memory", COUNT, .argument = "BYTES",                        \
               .min = (uint64_t)1 << 19, .max = (uint64_t)1 << 50, .allowed = "512Ki to 1024Ti",   \
               .fallback = standard, .help = text)

/* int: a position in option_backends. */
#define OPTION_ROW_BACKEND(type, member, heading, text)                                            \
    OPTION_ROW(type, member, heading, "backend", CHOICE, .argument = "NAME",                       \
               .choices = option_backends, .fallback = "auto", .help = text)

/* The flags; bool. */
#define OPTION_ROW_FLAG(type, member, heading, word, short_form, text)                             \
    OPTION_ROW(type, member, heading, word, FLAG, .letter = short_form, .help = text)
#define OPTION_ROW_FORCE(type, member, heading, text)                                              \
    OPTION_ROW_FLAG(type, member, heading, "force", 0, text)
#define OPTION_ROW_JSON(type, member, heading, text)                                               \
    OPTION_ROW_FLAG(type, member, heading, "json", 0, text)
#define OPTION_ROW_QUIET(type, member, heading, text)                                              \
    OPTION_ROW_FLAG(type, member, heading, "quiet", 'q', text)
#define OPTION_ROW_HELP(type, member, heading)                                                     \
    OPTION_ROW_FLAG(type, member, heading, "help", 'h', "print this text")
/* For a command line with a list of common options. */
#define OPTION_ROW_LONG_HELP(type, member, heading)                                                \
    OPTION_ROW_FLAG(type, member, heading, "help", 'h',                                            \
                    "print all options; with -h only the most common ones")

#endif
