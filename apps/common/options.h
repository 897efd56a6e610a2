/*
 * Options from a table, which drives command lines, range checks and --help.
 *
 * Long options are exact: "--name value" or "--name=value".  Short ones: "-o value" or "-ovalue".
 * If an option is given twice, the last one counts.
 */
#ifndef APPS_COMMON_OPTIONS_H
#define APPS_COMMON_OPTIONS_H

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
    OPTION_LIST,     /* option_list: numbers 0..max with commas between them, or "all" */
    OPTION_NUMBERS,  /* option_list: numbers min..max with commas between them */
    OPTION_FILE,     /* const char *: the path of a file */
    OPTION_REPORT,   /* the same, or "-" for standard output */
    OPTION_FOLDER,   /* const char *: the path of a folder that exists */
    OPTION_TEXT      /* const char *: any text; the command checks it, `allowed` describes it */
} option_kind;

/* What an option of `rmat generate` concerns. */
typedef enum {
    OPTION_OF_FILE,    /* how a file is written */
    OPTION_OF_GRAPH,   /* which edges there are, and in which order */
    OPTION_OF_RUN,     /* how edges are made, with or without a file; the edges are the same */
    OPTION_OF_COMMAND, /* only for the command line: its reports and its help */
} option_scope;

typedef struct {
    uint64_t first, second;
} option_pair;

enum { OPTION_LIST_MAX = 64 };

typedef struct {
    int count; /* 0: all */
    int item[OPTION_LIST_MAX];
} option_list;

typedef struct {
    const char *name; /* without dashes */
    char letter;      /* of the short form, or 0 */
    option_kind kind;
    const char *argument;       /* name of the value in the help, NULL for a flag */
    size_t offset;              /* of the variable in the command's struct of values */
    uint64_t min, max;          /* OPTION_COUNT, OPTION_PAIR, OPTION_NUMBERS; max of OPTION_LIST */
    const char *const *choices; /* OPTION_CHOICE; ends with NULL */
    const char *allowed;        /* for help and messages; NULL: derived from the above */
    const char *fallback;       /* the default as text for the help, or NULL */
    const char *group;          /* heading in the help; neighboring rows share it */
    const char *help;           /* -h prints it up to its first semicolon */
    option_scope scope;         /* of `rmat generate` */
} option;

typedef struct {
    const char *program; /* an executable without commands; NULL: "rmat" */
    const char *command; /* as in "rmat COMMAND"; "" where there are none */
    const char *synopsis;
    const char *summary;
    const char *operand; /* names of the operands, a blank between them; NULL: there are none */
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

/* Prints the text of --help, or that of -h if the last options_parse() stopped at -h. */
void options_help(const command_line *line, FILE *stream);

/* A search for the name that a mistyped word most likely means.  Start with {.word = ..., .length =
 * ...}, then offer the names. */
typedef struct {
    const char *word; /* what the user typed; need not end after `length` characters */
    size_t length;
    const char *name; /* the nearest name so far, or NULL while none is near enough */
    size_t edits;     /* between the word and that name */
} near_search;

/* Compare one more name, which must stay valid; the first of equally near names is kept. */
void near_offer(near_search *search, const char *name);

/* Returns a description of the accepted values: the option's own, or one written to text[size].  ""
 * for a flag. */
const char *option_allowed(const option *o, char *text, size_t size);

#endif
