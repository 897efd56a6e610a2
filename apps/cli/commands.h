/* The table of rmat's commands, and the commands that belong to the program itself. */
#ifndef APPS_CLI_COMMANDS_H
#define APPS_CLI_COMMANDS_H

#include "apps/common/options.h"

typedef struct {
    const char *name, *help;           /* help: one line for `rmat --help` */
    int (*run)(int argc, char **argv); /* the arguments after the name; returns the exit code */
    const command_line *line;          /* its options */
    int unable; /* its exit status where it cannot do what it should; 0: EXIT_RUNTIME */
} rmat_command;

extern const rmat_command commands[]; /* ends with a NULL name */

const rmat_command *find_command(const char *name); /* NULL if there is none of that name */

/* One line on stderr with the nearest name and all names.  Returns EXIT_USAGE. */
int unknown_command(const char *name);

/* The names of all commands with commas between them.  Static. */
const char *command_names(void);

extern const command_line completion_command_line, help_command_line, man_command_line,
    version_command_line;

int completion_main(int argc, char **argv);
int help_main(int argc, char **argv);
int man_main(int argc, char **argv);
int version_main(int argc, char **argv);

/* What the two of these print, which `rmat --help` and `rmat --version` print too. */
void help_print(void);
void version_print(void);

/* The completion scripts of the shells, on standard output. */
void completion_print_bash(void);
void completion_print_fish(void);
void completion_print_zsh(void);

/* The words that a command takes as its operand if it takes no file, such as names of commands: a
 * text with blanks between them; or NULL.  Static. */
const char *completion_operands(const command_line *line);

/* An option's help up to its first semicolon, or as many whole words as text[size] has room for. */
enum { COMPLETION_BRIEF = 80 }; /* bytes that suit a menu */
const char *completion_brief(const option *o, char *text, size_t size);

#endif
