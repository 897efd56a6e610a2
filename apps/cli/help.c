/* The command `rmat help`: all commands, or the options of one. */
#include "apps/cli/commands.h"
#include "apps/common/message.h"
#include "apps/common/option_rows.h"
#include <stdio.h>

typedef struct {
    bool help;
} help_values;

static const option table[] = {
    OPTION_ROW_HELP(help_values, help, "Options"),
};

const command_line help_command_line = {
    .command = "help",
    .synopsis = "help [COMMAND]",
    .summary = "Print the commands of rmat, or the options of COMMAND, as 'rmat COMMAND --help' "
               "does.",
    .operand = "COMMAND",
    .options = table,
    .n_options = sizeof table / sizeof table[0],
};

void help_print(void)
{
    printf("Usage: rmat COMMAND [OPTION]...\n"
           "\n"
           "Generate R-MAT graphs: the edge list depends on the model and the seed alone.\n"
           "\n"
           "Commands:\n");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        printf("  %-22s %s\n", c->name, c->help);
    }
    printf("\n"
           "'rmat COMMAND -h' prints the most common options of a command, 'rmat help COMMAND'\n"
           "all of them; -V or --version prints the version.  A separate program, chung_lu,\n"
           "generates graphs with given expected degrees: see 'chung_lu -h'.\n");
}

int help_main(int argc, char **argv)
{
    help_values values = {0};
    bool given[OPTIONS_MAX];
    const char *name = NULL;
    const rmat_command *c;
    int status = options_parse(&help_command_line, argc, argv, &values, given, &name);

    if (status != EXIT_OK) {
        return status;
    }
    if (values.help) {
        options_help(&help_command_line, stdout);
        return EXIT_OK;
    }
    if (name == NULL) {
        help_print();
        return EXIT_OK;
    }
    c = find_command(name);
    if (c == NULL) {
        return unknown_command(name);
    }
    options_help(c->line, stdout);
    return EXIT_OK;
}
