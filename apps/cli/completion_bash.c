/* The completion script for bash 4 and later; it needs nothing but the shell. */
#include "apps/cli/commands.h"
#include <stdio.h>

/* The values of an option: a branch of "case $before". */
static void print_value(const option *o)
{
    printf("            --%s", o->name);
    if (o->letter != '\0') {
        printf("|-%c", o->letter);
    }
    printf(") value=");
    switch (o->kind) {
    case OPTION_CHOICE:
        printf("words words='");
        for (const char *const *c = o->choices; *c != NULL; c++) {
            printf("%s%s", c == o->choices ? "" : " ", *c);
        }
        putchar('\'');
        break;
    case OPTION_LIST:
        printf("words words=all");
        break;
    case OPTION_FILE:
    case OPTION_REPORT:
        printf("files");
        break;
    case OPTION_FOLDER:
        printf("folders");
        break;
    default:
        printf("any");
        break;
    }
    printf(" ;;\n");
}

/* A branch of "case $command". */
static void print_command(const command_line *line)
{
    const char *operands = completion_operands(line);

    printf("        %s)\n            options='", line->command);
    for (size_t i = 0; i < options_count(line); i++) {
        printf("%s--%s", i == 0 ? "" : " ", options_get(line, i).name);
    }
    printf("'\n");
    if (operands != NULL) {
        printf("            operand=words words='%s'\n", operands);
    } else if (line->operand != NULL) {
        printf("            operand=files\n");
    }
    printf("            case $before in\n");
    for (size_t i = 0; i < options_count(line); i++) {
        const option o = options_get(line, i);

        if (o.kind != OPTION_FLAG) {
            print_value(&o);
        }
    }
    printf("            esac ;;\n");
}

/*
 * In the script, `value` and `operand` say what the word may be if it follows an option that takes
 * a value, or if it is not an option: one of $words, files, folders, or any text.  bash makes a
 * word of its own of each equals sign.
 */
void completion_print_bash(void)
{
    printf("# Completion of rmat's command lines in bash.\n"
           "_rmat()\n"
           "{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local value='' operand='' options='' words=''\n"
           "\n"
           "    if [[ $word == '=' ]]; then\n"
           "        word=\n"
           "    elif [[ $before == '=' ]]; then\n"
           "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    fi\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        value=words words='%s --help --version'\n"
           "    else\n"
           "        case ${COMP_WORDS[1]} in\n",
           completion_operands(&help_command_line));
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        print_command(c->line);
    }
    printf("        esac\n"
           "    fi\n"
           "    if [[ -z $value && $word == -* || -z $value$operand ]]; then\n"
           "        value=words words=$options\n"
           "    fi\n"
           "    COMPREPLY=()\n"
           "    case ${value:-$operand} in\n"
           "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
           "    files) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
           "    folders) mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
           "    esac\n"
           "    if [[ ${value:-$operand} != words ]]; then\n"
           "        compopt -o filenames 2>/dev/null\n"
           "    fi\n"
           "}\n"
           "complete -F _rmat rmat\n");
}
