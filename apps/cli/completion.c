/*
 * The command `rmat completion`: scripts that complete command lines of rmat in a shell, made from
 * the tables that parse them.  Each shell's script is written by a file of its own.
 */
#include "apps/cli/commands.h"
#include "apps/common/message.h"
#include "apps/common/option_rows.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    bool help;
} completion_values;

static const option table[] = {
    OPTION_ROW_HELP(completion_values, help, "Options"),
};

const command_line completion_command_line = {
    .command = "completion",
    .synopsis = "completion SHELL [OPTION]",
    .summary = "Print a script that makes a shell complete commands, options and their values. "
               "SHELL: bash, fish or zsh.",
    .operand = "SHELL",
    .options = table,
    .n_options = sizeof table / sizeof table[0],
    .notes = "For the running shell alone: source <(rmat completion bash), likewise in zsh after "
             "compinit; in fish: rmat completion fish | source.",
};

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {
    {"bash", completion_print_bash},
    {"fish", completion_print_fish},
    {"zsh", completion_print_zsh},
};

enum { N_SHELLS = sizeof shells / sizeof shells[0] };

const char *completion_operands(const command_line *line)
{
    static char text[256];
    size_t used = 0;

    if (line == &completion_command_line) {
        for (int i = 0; i < N_SHELLS; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " " : "",
                                     shells[i].name);
        }
        return text;
    }
    if (line == &help_command_line) {
        for (const rmat_command *c = commands; c->name != NULL && used < sizeof text; c++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? " " : "",
                                     c->name);
        }
        return text;
    }
    return NULL;
}

const char *completion_brief(const option *o, char *text, size_t size)
{
    size_t length = strcspn(o->help, ";");

    if (length >= size) {
        for (length = size - 1; length > 0 && o->help[length] != ' '; length--) {
        }
    }
    snprintf(text, size, "%.*s", (int)length, o->help);
    return text;
}

int completion_main(int argc, char **argv)
{
    completion_values values = {0};
    bool given[OPTIONS_MAX];
    const char *shell = "";
    int status = options_parse(&completion_command_line, argc, argv, &values, given, &shell);

    if (status != EXIT_OK) {
        return status;
    }
    if (values.help) {
        options_help(&completion_command_line, stdout);
        return EXIT_OK;
    }
    for (int i = 0; i < N_SHELLS; i++) {
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].print();
            return EXIT_OK;
        }
    }
    return usage_error("completion", "SHELL: '%s' is unknown, allowed: bash, fish, zsh", shell);
}
