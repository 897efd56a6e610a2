/*
 * rmat completion: a bash script that completes command lines of rmat, from the tables that they
 * are parsed by.  It needs nothing but bash 4.
 */
#include "apps/cli/commands.h"
#include "apps/common/message.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    bool help;
} completion_values;

static const option table[] = {
    {.name = "help",
     .letter = 'h',
     .kind = OPTION_FLAG,
     .offset = offsetof(completion_values, help),
     .group = "Options",
     .help = "this text"},
};

const command_line completion_command_line = {
    .command = "completion",
    .synopsis = "completion SHELL [OPTION]",
    .summary = "Print a script that makes a shell complete commands, options and their values. "
               "SHELL: bash.",
    .operand = "SHELL",
    .options = table,
    .n_options = 1,
    .notes = "For this shell alone: source <(rmat completion bash)",
};

/* The value of an option: a branch of "case $before". */
static void print_value(const option *o)
{
    printf("            --%s", o->name);
    if (o->letter) {
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
    printf("        %s)\n            options='", line->command);
    for (size_t i = 0; i < line->n_options; i++) {
        printf("%s--%s", i == 0 ? "" : " ", line->options[i].name);
    }
    printf("'\n");
    if (line == &completion_command_line) {
        printf("            operand=words words=bash\n");
    } else if (line->operand != NULL) {
        printf("            operand=files\n");
    }
    printf("            case $before in\n");
    for (size_t i = 0; i < line->n_options; i++) {
        if (line->options[i].kind != OPTION_FLAG) {
            print_value(&line->options[i]);
        }
    }
    printf("            esac ;;\n");
}

static void print_names(void)
{
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        printf("%s ", c->name);
    }
}

/* bash makes words of their own of equals signs.  value and operand: what the word may be, if it
 * follows an option with a value, or is no option: one of $words, files, folders, or any. */
static void print_bash(void)
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
           "        value=words words='");
    print_names();
    printf("help --help --version'\n"
           "    else\n"
           "        case ${COMP_WORDS[1]} in\n"
           "        help) value=words words='");
    print_names();
    printf("' ;;\n");
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

int completion_main(int argc, char **argv)
{
    completion_values values = {0};
    bool given[OPTIONS_MAX];
    const char *shell = NULL;
    int status = options_parse(&completion_command_line, argc, argv, &values, given, &shell);

    if (status != EXIT_OK) {
        return status;
    }
    if (values.help) {
        options_help(&completion_command_line, stdout);
        return EXIT_OK;
    }
    if (shell == NULL || strcmp(shell, "bash") != 0) {
        return usage_error("completion", "SHELL: '%s' is unknown, allowed: bash",
                           shell != NULL ? shell : "");
    }
    print_bash();
    return EXIT_OK;
}
