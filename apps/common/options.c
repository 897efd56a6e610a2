/* Command lines from a table of options: values, arguments, and the texts of --help and -h. */
#include "apps/common/options.h"
#include "apps/common/message.h"
#include <string.h>

/* Values: what each kind of option accepts, its check, and the error message. */

/* "1 to 62", or "0 to 4611686018427387904 (2^62)", between two other texts. */
static const char *put_range(char *text, size_t size, const char *before, const option *o,
                             const char *after)
{
    snprintf(text, size, "%s%" PRIu64 " to %" PRIu64, before, o->min, o->max);
    if (o->max > UINT32_MAX && (o->max & (o->max - 1)) == 0) {
        text_append(text, size, " (2^%d)", __builtin_ctzll(o->max));
    }
    text_append(text, size, "%s", after);
    return text;
}

/* A description of the accepted values: the option's own, or one that may be written to text[size].
 * "" for a flag. */
static const char *option_allowed(const option *o, char *text, size_t size)
{
    if (o->allowed != NULL) {
        return o->allowed;
    }
    text[0] = '\0';
    switch (o->kind) {
    case OPTION_COUNT:
        return put_range(text, size, "", o, "");
    case OPTION_PAIR:
        return put_range(text, size, "", o, ", or two such numbers with an x between them");
    case OPTION_NUMBERS:
        return put_range(text, size, "up to 64 numbers ", o, " with commas between them");
    case OPTION_U64:
        return "0 to 18446744073709551615 (2^64 - 1)";
    case OPTION_FRACTION:
        return "0 to 1";
    case OPTION_FILE:
        return "the path of a file (./-x where it starts with a dash), or -";
    case OPTION_CHOICE:
        for (const char *const *c = o->choices; *c != NULL; c++) {
            text_append(text, size, "%s%s", *text != '\0' ? ", " : "", *c);
        }
        return text;
    case OPTION_FLAG:
    case OPTION_TEXT:
        break;
    }
    return text;
}

static int wrong_value(const command_line *line, const option *o, const char *value,
                       const char *what)
{
    char allowed[256];

    return usage_error(line->command, "--%s: '%s' %s, allowed: %s", o->name, value, what,
                       option_allowed(o, allowed, sizeof allowed));
}

static bool is_within(const option *o, uint64_t number)
{
    return number >= o->min && number <= o->max;
}

/* "20x18", or "20" for "20x20". */
static number_status parse_pair(const char *text, option_pair *pair)
{
    const char *end;
    const number_status status = parse_count(text, 'x', &end, &pair->first);

    if (status != NUMBER_OK || *end == '\0') {
        pair->second = pair->first;
        return status;
    }
    return parse_count(end + 1, '\0', NULL, &pair->second);
}

static number_status parse_list(const char *text, const option *o, option_list *list)
{
    for (list->count = 0;; text++) {
        uint64_t u = 0;
        const number_status status = parse_count(text, ',', &text, &u);

        if (status != NUMBER_OK) {
            return status;
        }
        if (list->count == OPTION_LIST_MAX || !is_within(o, u)) {
            return NUMBER_TOO_LARGE;
        }
        list->item[list->count++] = (int)u;
        if (*text == '\0') {
            return NUMBER_OK;
        }
    }
}

/* Check the value that was given for an option, NULL for a flag, and store it at the option's
 * offset in values.  Returns 0, or EXIT_USAGE after one line on stderr. */
static int store_value(const command_line *line, const option *o, const char *value, void *values)
{
    static const char *const wrong_number[] = {[NUMBER_MALFORMED] = "is not a number",
                                               [NUMBER_NOT_WHOLE] = "is not a whole number",
                                               [NUMBER_TOO_LARGE] = "is out of range"};
    void *variable = (char *)values + o->offset;
    const option_pair *pair = variable;
    double *fraction = variable;
    number_status status = NUMBER_OK;
    const char *wrong = NULL;
    bool inside = true;
    int choice = 0;

    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)variable = true;
        break;
    case OPTION_COUNT:
        status = parse_count(value, '\0', NULL, variable);
        inside = is_within(o, *(uint64_t *)variable);
        break;
    case OPTION_PAIR:
        status = parse_pair(value, variable);
        inside = is_within(o, pair->first) && is_within(o, pair->second);
        break;
    case OPTION_U64:
        status = parse_u64(value, variable);
        break;
    case OPTION_FRACTION:
        status = parse_double(value, fraction);
        inside = *fraction >= 0 && (*fraction <= 1 || o->allowed != NULL);
        *fraction += 0.0; /* turns -0 into 0 */
        break;
    case OPTION_NUMBERS:
        status = parse_list(value, o, variable);
        break;
    case OPTION_CHOICE:
        while (o->choices[choice] != NULL && strcmp(value, o->choices[choice]) != 0) {
            choice++;
        }
        wrong = o->choices[choice] == NULL ? "is unknown" : NULL;
        *(int *)variable = choice;
        break;
    case OPTION_FILE:
        if (strcmp(value, "-") != 0 &&
            (*value == '\0' || *value == '-' || value[strlen(value) - 1] == '/')) {
            wrong = "names no file";
        }
        *(const char **)variable = value;
        break;
    case OPTION_TEXT:
        *(const char **)variable = value;
        break;
    }
    if (wrong == NULL) {
        wrong = wrong_number[status == NUMBER_OK && !inside ? NUMBER_TOO_LARGE : status];
    }
    return wrong == NULL ? EXIT_OK : wrong_value(line, o, value, wrong);
}

/* Arguments: the option that each one names. */

const char *const option_backends[] = {"auto", "cpu", "gpu", NULL};

static _Thread_local bool briefly; /* the last options_parse() stopped at -h, not at --help */

/* Returns the option that the first of some names means, or NULL, and moves on to what follows this
 * name: it ends at a character of `end`. */
static const option *next_option(const command_line *line, const char **names, const char *end)
{
    const char *name = *names;
    const size_t length = strcspn(name, end);

    *names += length + strspn(name + length, " ");
    for (const option *o = line->options; o < line->options + line->n_options; o++) {
        if (strlen(o->name) == length && memcmp(o->name, name, length) == 0) {
            return o;
        }
    }
    return NULL;
}

const char *options_given(const command_line *line, const bool given[OPTIONS_MAX],
                          const char *names)
{
    for (const option *o; (o = next_option(line, &names, " ")) != NULL;) {
        if (given[o - line->options]) {
            return o->name;
        }
    }
    return NULL;
}

/* Returns the option that an argument names, or NULL.  *value becomes the text after "=" or after
 * the letter, or NULL. */
static const option *find_option(const command_line *line, const char *argument, const char **value)
{
    const char *rest = argument + 2;

    if (argument[1] == '-') {
        const option *o = next_option(line, &rest, "=");

        *value = *rest == '=' ? rest + 1 : NULL;
        return o;
    }
    *value = *rest != '\0' ? rest : NULL;
    for (const option *o = line->options; o < line->options + line->n_options; o++) {
        if (argument[1] == o->letter && (*rest == '\0' || o->kind != OPTION_FLAG)) {
            return o;
        }
    }
    return NULL;
}

int options_parse(const command_line *line, int argc, char **argv, void *values,
                  bool given[OPTIONS_MAX], const char **operand)
{
    const int most = line->many              ? argc
                     : line->operand == NULL ? 0
                                             : 1 + (strchr(line->operand, ' ') != NULL);
    int operands = 0;

    briefly = false;
    memset(given, 0, OPTIONS_MAX * sizeof given[0]);
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i], *value = NULL;
        const option *o;
        int status;

        if (argument[0] != '-' || argument[1] == '\0') {
            if (operands == most) {
                const bool names_file = most == 0 && strchr(argument, '.') != NULL &&
                                        find_option(line, "-o", &value) != NULL;

                return usage_error(
                    line->command, "unexpected argument '%s', allowed: %s%s%s%s", argument,
                    most == 1 ? "one " : "", most == 0 ? "options only" : line->operand,
                    names_file ? "; for a file to write: -o " : "", names_file ? argument : "");
            }
            operand[operands++] = argument;
            continue;
        }
        o = find_option(line, argument, &value);
        if (o == NULL) {
            return usage_error(line->command, "unknown option '%s', allowed: see '%s%s%s --help'",
                               argument, line->program != NULL ? line->program : "rmat",
                               *line->command != '\0' ? " " : "", line->command);
        }
        if (o->kind == OPTION_FLAG && value != NULL) {
            return usage_error(line->command, "--%s: '%s' given, allowed: no value", o->name,
                               value);
        }
        if (o->kind != OPTION_FLAG && value == NULL) {
            if (i + 1 == argc || strncmp(argv[i + 1], "--", 2) == 0) {
                char allowed[256];

                return usage_error(line->command, "--%s: value missing, allowed: %s", o->name,
                                   option_allowed(o, allowed, sizeof allowed));
            }
            value = argv[++i];
        }
        status = store_value(line, o, value, values);
        if (status != EXIT_OK) {
            return status;
        }
        given[o - line->options] = true;
        if (strcmp(o->name, "help") == 0) {
            briefly = argument[1] != '-';
            break;
        }
    }
    if (line->many) {
        operand[operands] = NULL;
    }
    return EXIT_OK;
}

/* --help and -h: two columns, in lines of at most 100 characters. */

enum { HELP_COLUMN = 28, HELP_WIDTH = 100 };

/* Print text from the given column on, wrapped and indented to that column. */
static void print_wrapped(FILE *stream, const char *text, int column)
{
    int at = column;

    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");

        if (at > column && at + 1 + length > HELP_WIDTH) {
            fprintf(stream, "\n%*s", column, "");
            at = column;
        }
        at += fprintf(stream, "%s%.*s", at > column ? " " : "", length, text);
        text += length;
        if (*text == '\n') {
            fprintf(stream, "\n%*s", column, "");
            at = column;
        }
        text += *text != '\0';
    }
    putc('\n', stream);
}

/* An option's row: its names, and beside them its help.  brief: what that begins with, and the
 * default of most cases. */
static void print_help_option(FILE *stream, const option *o, bool brief)
{
    const char *fallback = o->fallback != NULL ? o->fallback : "";
    char left[80], text[1024], allowed[256];
    const char *range = option_allowed(o, allowed, sizeof allowed);
    const int used = snprintf(left, sizeof left, o->letter ? "  -%c, " : "      ", o->letter);

    snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    if (strlen(left) + 1 < HELP_COLUMN) {
        fprintf(stream, "%-*s", HELP_COLUMN, left);
    } else {
        fprintf(stream, "%s\n%*s", left, HELP_COLUMN, "");
    }
    if (brief) {
        snprintf(text, sizeof text, *fallback ? "%.*s (default: %.*s)" : "%.*s",
                 (int)strcspn(o->help, ";"), o->help, (int)strcspn(fallback, ";"), fallback);
    } else {
        snprintf(text, sizeof text, "%s%s%s%s%s%s", o->help, *fallback ? "\ndefault: " : "",
                 fallback, *range ? (*fallback ? "; " : "\n") : "", *range ? "allowed: " : "",
                 range);
    }
    print_wrapped(stream, text, HELP_COLUMN);
}

void options_help(const command_line *line, FILE *stream)
{
    const bool brief = briefly && line->common != NULL;
    const char *names = line->common, *group = "", *end = strstr(line->summary, ". ");
    char summary[1024];

    fprintf(stream, "Usage: %s %s\n\n", line->program != NULL ? line->program : "rmat",
            line->synopsis);
    snprintf(summary, sizeof summary, "%s", line->summary);
    if (brief && end != NULL) { /* the first sentence */
        summary[end + 1 - line->summary] = '\0';
    }
    print_wrapped(stream, summary, 0);
    fputs(brief ? "\nCommon options:\n" : "", stream);
    for (const option *o; brief && (o = next_option(line, &names, " ")) != NULL;) {
        print_help_option(stream, o, true);
    }
    for (const option *o = line->options; !brief && o < line->options + line->n_options; o++) {
        if (strcmp(group, o->group) != 0) {
            group = o->group;
            fprintf(stream, "\n%s:\n", group);
        }
        print_help_option(stream, o, false);
    }
    if (line->examples != NULL) {
        fprintf(stream, "\nExamples:\n  ");
        print_wrapped(stream, line->examples, 2);
    }
    if (brief) {
        fprintf(stream, "\nAll options: rmat %s --help\n", line->command);
    } else if (line->notes != NULL) {
        putc('\n', stream);
        print_wrapped(stream, line->notes, 0);
    }
}
