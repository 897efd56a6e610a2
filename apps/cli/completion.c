/*
 * The command `rmat completion`: scripts that complete command lines of rmat in a shell, made from
 * the tables that parse them.
 */
#include "apps/cli/commands.h"
#include "apps/common/message.h"
#include <stdio.h>
#include <string.h>

const command_line completion_command_line = {
    .command = "completion",
    .synopsis = "completion SHELL [OPTION]",
    .summary = "Print a script that makes a shell complete commands, options and their values. "
               "SHELL: bash, fish or zsh.",
    .operand = "SHELL",
    .options = command_help_option,
    .n_options = 1,
    .notes = "For the running shell alone: source <(rmat completion bash), likewise in zsh after "
             "compinit; in fish: rmat completion fish | source.",
};

/* How a shell's script says what the value of an option may be. */
typedef struct {
    const char *words, *end_words; /* around words with a blank between them */
    const char *all, *files, *folders, *any;
} value_syntax;

static void print_value_syntax(const value_syntax *s, const option *o)
{
    switch (o->kind) {
    case OPTION_CHOICE:
        printf("%s", s->words);
        for (int i = 0; o->choices[i] != NULL; i++) {
            printf("%s%s", i > 0 ? " " : "", o->choices[i]);
        }
        printf("%s", s->end_words);
        break;
    case OPTION_LIST:
        printf("%s", s->all);
        break;
    case OPTION_FILE:
    case OPTION_REPORT:
        printf("%s", s->files);
        break;
    case OPTION_FOLDER:
        printf("%s", s->folders);
        break;
    default:
        printf("%s", s->any);
        break;
    }
}

/* The words that a command takes as its operand if it takes no file; or NULL.  Static. */
static const char *operand_words(const command_line *line)
{
    return line == &completion_command_line ? "bash fish zsh"
           : line == &help_command_line     ? command_names(" ")
                                            : NULL;
}

enum { BRIEF = 80 }; /* bytes that suit a menu */

/* An option's help up to its first semicolon, or as many whole words as there is room for. */
static const char *brief_help(const option *o, char text[BRIEF])
{
    size_t length = strcspn(o->help, ";");

    if (length >= BRIEF) {
        for (length = BRIEF - 1; length > 0 && o->help[length] != ' '; length--) {
        }
    }
    snprintf(text, BRIEF, "%.*s", (int)length, o->help);
    return text;
}

/* bash 4 and later; it needs nothing but the shell. */

/* The values of an option: a branch of "case $before". */
static void print_bash_value(const option *o)
{
    static const value_syntax syntax = {"words words='", "'",       "words words=all",
                                        "files",         "folders", "any"};

    printf("            --%s", o->name);
    if (o->letter != '\0') {
        printf("|-%c", o->letter);
    }
    printf(") value=");
    print_value_syntax(&syntax, o);
    printf(" ;;\n");
}

/* A branch of "case $command". */
static void print_bash_command(const command_line *line)
{
    const char *operands = operand_words(line);

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
            print_bash_value(&o);
        }
    }
    printf("            esac ;;\n");
}

/*
 * In the script, `value` and `operand` say what the word may be if it follows an option that takes
 * a value, or if it is not an option: one of $words, files, folders, or any text.  bash makes a
 * word of its own of each equals sign.
 */
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
           "        value=words words='%s --help --version'\n"
           "    else\n"
           "        case ${COMP_WORDS[1]} in\n",
           operand_words(&help_command_line));
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        print_bash_command(c->line);
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

/* fish: a `complete` command for each option of each command. */

/* Text within single quotes, where fish knows the escapes \' and \\ only. */
static void print_fish_quoted(const char *text)
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

static void print_fish_option(const command_line *line, const option *o)
{
    static const value_syntax syntax = {
        " -x -a '", "'", " -x -a all", " -r -F", " -x -a '(__fish_complete_directories)'", " -x"};
    char brief[BRIEF];

    printf("complete -c rmat -n '__rmat_command %s' -l %s", line->command, o->name);
    if (o->letter != '\0') {
        printf(" -s %c", o->letter);
    }
    if (o->kind != OPTION_FLAG) {
        print_value_syntax(&syntax, o);
    }
    printf(" -d ");
    print_fish_quoted(brief_help(o, brief));
    putchar('\n');
}

static void print_fish_command(const rmat_command *c)
{
    const char *operands = operand_words(c->line);

    printf("complete -c rmat -n __rmat_no_command -a %s -d ", c->name);
    print_fish_quoted(c->help);
    putchar('\n');
    if (operands != NULL) {
        printf("complete -c rmat -n '__rmat_command %s' -a '%s'\n", c->name, operands);
    } else if (c->line->operand != NULL) {
        printf("complete -c rmat -n '__rmat_command %s' -F\n", c->name);
    }
    for (size_t i = 0; i < options_count(c->line); i++) {
        const option o = options_get(c->line, i);

        print_fish_option(c->line, &o);
    }
}

static void print_fish(void)
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
        print_fish_command(c);
    }
}

/* zsh: option specifications for its function _arguments. */

/* Text within the single quotes that the caller prints; `special` characters get a backslash. */
static void print_zsh_text(const char *text, const char *special)
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
static void print_zsh_value(const option *o)
{
    /* Of any text, a message but no matches. */
    static const value_syntax syntax = {"(", ")", "(all)", "_files", "_files -/", " "};

    putchar(':');
    print_zsh_text(o->argument, ":\\");
    putchar(':');
    print_value_syntax(&syntax, o);
}

/* One specification, as an argument of _arguments.  "--name=": the value may also follow as a word
 * of its own; "-o+": it may also follow the letter at once. */
static void print_zsh_option(const option *o, bool letter)
{
    char brief[BRIEF];

    printf(" \\\n            '");
    if (o->letter != '\0') {
        printf("(-%c --%s)", o->letter, o->name);
    }
    if (letter) {
        printf("-%c%s[", o->letter, o->kind == OPTION_FLAG ? "" : "+");
    } else {
        printf("--%s%s[", o->name, o->kind == OPTION_FLAG ? "" : "=");
    }
    print_zsh_text(brief_help(o, brief), "[]\\");
    putchar(']');
    if (o->kind != OPTION_FLAG) {
        print_zsh_value(o);
    }
    putchar('\'');
}

static void print_zsh_command(const command_line *line)
{
    const char *operands = operand_words(line);

    printf("    %s)\n        _arguments", line->command);
    for (size_t i = 0; i < options_count(line); i++) {
        const option o = options_get(line, i);

        if (o.letter != '\0') {
            print_zsh_option(&o, true);
        }
        print_zsh_option(&o, false);
    }
    if (operands != NULL) {
        printf(" \\\n            '1:%s:(%s)'", line->operand, operands);
    } else if (line->operand != NULL) {
        printf(" \\\n            '*:%s:_files'", line->operand);
    }
    printf(" ;;\n");
}

static void print_zsh(void)
{
    printf("#compdef rmat\n"
           "# Completion of rmat's command lines in zsh.\n"
           "_rmat()\n"
           "{\n"
           "    local command\n"
           "    local -a commands=(\n");
    for (const rmat_command *c = commands; c->name != NULL; c++) {
        printf("        '%s:", c->name);
        print_zsh_text(c->help, ":\\");
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
        print_zsh_command(c->line);
    }
    printf("    esac\n"
           "}\n"
           "if [[ $funcstack[1] == _rmat ]]; then # loaded through fpath\n"
           "    _rmat \"$@\"\n"
           "else\n"
           "    compdef _rmat rmat\n"
           "fi\n");
}

int completion_main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"fish", print_fish}, {"zsh", print_zsh}};
    const char *shell = "";
    int status;

    if (!command_parse(&completion_command_line, argc, argv, &shell, &status)) {
        return status;
    }
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shell, shells[i].name) == 0) {
            shells[i].print();
            return EXIT_OK;
        }
    }
    return usage_error("completion", "SHELL: '%s' is unknown, allowed: bash, fish, zsh", shell);
}
