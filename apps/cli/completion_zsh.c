/* The completion script for zsh: option specifications for its function _arguments. */
#include "apps/cli/commands.h"
#include <stdio.h>
#include <string.h>

/* Text within the single quotes that the caller prints; `special` characters get a backslash. */
static void print_text(const char *text, const char *special)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            printf("'\\''");
            continue;
        }
        if (strchr(special, *text) != NULL) {
            putchar('\\');
        }
        putchar(*text);
    }
}

/* ":what the value is:how to complete it" */
static void print_value(const option *o)
{
    putchar(':');
    print_text(o->argument, ":\\");
    putchar(':');
    switch (o->kind) {
    case OPTION_CHOICE:
        putchar('(');
        for (const char *const *c = o->choices; *c != NULL; c++) {
            printf("%s%s", c == o->choices ? "" : " ", *c);
        }
        putchar(')');
        break;
    case OPTION_LIST:
        printf("(all)");
        break;
    case OPTION_FILE:
    case OPTION_REPORT:
        printf("_files");
        break;
    case OPTION_FOLDER:
        printf("_files -/");
        break;
    default: /* a message, but no matches */
        putchar(' ');
        break;
    }
}

/* One specification, as an argument of _arguments.  "--name=": the value may also follow as a word
 * of its own; "-o+": it may also follow the letter at once. */
static void print_specification(const option *o, bool letter)
{
    char brief[COMPLETION_BRIEF];

    printf(" \\\n            '");
    if (o->letter != '\0') {
        printf("(-%c --%s)", o->letter, o->name);
    }
    if (letter) {
        printf("-%c%s[", o->letter, o->kind == OPTION_FLAG ? "" : "+");
    } else {
        printf("--%s%s[", o->name, o->kind == OPTION_FLAG ? "" : "=");
    }
    print_text(completion_brief(o, brief, sizeof brief), "[]\\");
    putchar(']');
    if (o->kind != OPTION_FLAG) {
        print_value(o);
    }
    putchar('\'');
}

static void print_command(const command_line *line)
{
    const char *operands = completion_operands(line);

    printf("    %s)\n        _arguments", line->command);
    for (size_t i = 0; i < options_count(line); i++) {
        const option o = options_get(line, i);

        if (o.letter != '\0') {
            print_specification(&o, true);
        }
        print_specification(&o, false);
    }
    if (operands != NULL) {
        printf(" \\\n            '1:%s:(%s)'", line->operand, operands);
    } else if (line->operand != NULL) {
        printf(" \\\n            '*:%s:_files'", line->operand);
    }
    printf(" ;;\n");
}

void completion_print_zsh(void)
{
    printf("#compdef rmat\n"
           "# Completion of rmat's command lines in zsh.\n"
           "_rmat()\n"
           "{\n"
           "    local command\n"
           "    local -a commands=(\n");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        printf("        '%s:", c->name);
        print_text(c->help, ":\\");
        printf("'\n");
    }
    printf("    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        if [[ $words[2] == -* ]]; then\n"
           "            _arguments '(-h --help)'{-h,--help}'[print the commands]' \\\n"
           "                '(-V --version)'{-V,--version}'[print versions]'\n"
           "        else\n"
           "            _describe command commands\n"
           "        fi\n"
           "        return\n"
           "    fi\n"
           "    command=$words[2]\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $command in\n");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        print_command(c->line);
    }
    printf("    esac\n"
           "}\n"
           "if [[ $funcstack[1] == _rmat ]]; then # loaded through fpath\n"
           "    _rmat \"$@\"\n"
           "else\n"
           "    compdef _rmat rmat\n"
           "fi\n");
}
