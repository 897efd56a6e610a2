/* The completion script for fish: a `complete` command for each option of each command. */
#include "apps/cli/commands.h"
#include <stdio.h>

/* Text within single quotes, where fish knows the escapes \' and \\ only. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\') {
            putchar('\\');
        }
        putchar(*text);
    }
    putchar('\'');
}

static void print_option(const command_line *line, const option *o)
{
    char brief[COMPLETION_BRIEF];

    printf("complete -c rmat -n '__rmat_command %s' -l %s", line->command, o->name);
    if (o->letter != '\0') {
        printf(" -s %c", o->letter);
    }
    switch (o->kind) {
    case OPTION_FLAG:
        break;
    case OPTION_CHOICE:
        printf(" -x -a '");
        for (const char *const *c = o->choices; *c != NULL; c++) {
            printf("%s%s", c == o->choices ? "" : " ", *c);
        }
        putchar('\'');
        break;
    case OPTION_LIST:
        printf(" -x -a all");
        break;
    case OPTION_FILE:
    case OPTION_REPORT:
        printf(" -r -F");
        break;
    case OPTION_FOLDER:
        printf(" -x -a '(__fish_complete_directories)'");
        break;
    default:
        printf(" -x");
        break;
    }
    printf(" -d ");
    print_quoted(completion_brief(o, brief, sizeof brief));
    putchar('\n');
}

static void print_command(const rmat_command *c)
{
    const char *operands = completion_operands(c->line);

    printf("complete -c rmat -n __rmat_no_command -a %s -d ", c->name);
    print_quoted(c->help);
    putchar('\n');
    if (operands != NULL) {
        printf("complete -c rmat -n '__rmat_command %s' -a '%s'\n", c->name, operands);
    } else if (c->line->operand != NULL) {
        printf("complete -c rmat -n '__rmat_command %s' -F\n", c->name);
    }
    for (size_t i = 0; i < options_count(c->line); i++) {
        const option o = options_get(c->line, i);

        print_option(c->line, &o);
    }
}

void completion_print_fish(void)
{
    printf("# Completion of rmat's command lines in fish.\n"
           "function __rmat_no_command\n"
           "    test (count (commandline -opc)) -eq 1\n"
           "end\n"
           "function __rmat_command\n"
           "    set -l words (commandline -opc)\n"
           "    test (count $words) -gt 1; and test $words[2] = $argv[1]\n"
           "end\n"
           "complete -c rmat -f\n"
           "complete -c rmat -n __rmat_no_command -s h -l help -d 'print the commands'\n"
           "complete -c rmat -n __rmat_no_command -s V -l version -d 'print versions'\n");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        print_command(c);
    }
}
