/* Command lines from a table of options: values, arguments, and the texts of --help and -h. */
#include "apps/common/options.h"
#include "apps/common/message.h"
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Values: what each kind of option accepts, its check, and the error message. */

/* "1 to 62", or "0 to 4611686018427387904 (2^62)". */
static void put_range(const option *o, char *text, size_t size)
{
    snprintf(text, size, "%" PRIu64 " to %" PRIu64, o->min, o->max);
    if (o->max > UINT32_MAX && (o->max & (o->max - 1)) == 0) {
        text_append(text, size, " (2^%d)", __builtin_ctzll(o->max));
    }
}

/* A description of the accepted values: the option's own, or one written to text[size].  "" for a
 * flag. */
static const char *option_allowed(const option *o, char *text, size_t size)
{
    if (o->allowed != NULL) {
        return o->allowed;
    }
    text[0] = '\0';
    switch (o->kind) {
    case OPTION_COUNT:
        put_range(o, text, size);
        break;
    case OPTION_PAIR:
        put_range(o, text, size);
        text_append(text, size, ", or two such numbers with an x between them");
        break;
    case OPTION_U64:
        return "0 to 18446744073709551615 (2^64 - 1)";
    case OPTION_FRACTION:
        return "0 to 1";
    case OPTION_CHOICE:
        for (const char *const *c = o->choices; *c != NULL; c++) {
            text_append(text, size, "%s%s", *text != '\0' ? ", " : "", *c);
        }
        break;
    case OPTION_NUMBERS:
        snprintf(text, size, "up to %d numbers %" PRIu64 " to %" PRIu64 " with commas between them",
                 OPTION_LIST_MAX, o->min, o->max);
        break;
    case OPTION_FILE:
        return "the path of a file (./-x where it starts with a dash), or -";
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
    const number_status status = parse_count_to(text, 'x', &end, &pair->first);

    if (status != NUMBER_OK || *end == '\0') {
        pair->second = pair->first;
        return status;
    }
    return parse_count(end + 1, &pair->second);
}

static number_status parse_list(const char *text, const option *o, option_list *list)
{
    for (list->count = 0;; text++) {
        uint64_t u = 0;
        const number_status status = parse_count_to(text, ',', &text, &u);

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

static int set_choice(const command_line *line, const option *o, const char *value, int *variable)
{
    for (int number = 0; o->choices[number] != NULL; number++) {
        if (strcmp(value, o->choices[number]) == 0) {
            *variable = number;
            return EXIT_OK;
        }
    }
    return wrong_value(line, o, value, "is unknown");
}

/* Check what was given for an option, NULL if nothing was, and store it at the option's offset in
 * values.  Returns 0, or EXIT_USAGE after one line on stderr. */
static int store_value(const command_line *line, const option *o, const char *value, void *values)
{
    static const char *const what[] = {[NUMBER_OK] = "is out of range",
                                       [NUMBER_MALFORMED] = "is not a number",
                                       [NUMBER_NOT_WHOLE] = "is not a whole number",
                                       [NUMBER_TOO_LARGE] = "is out of range"};
    void *variable = (char *)values + o->offset;
    number_status status = NUMBER_OK;
    bool inside = true;
    option_pair pair = {0};
    uint64_t u = 0;
    double x = 0;

    switch (o->kind) {
    case OPTION_FLAG:
        if (value != NULL) {
            return usage_error(line->command, "--%s: '%s' given, allowed: no value", o->name,
                               value);
        }
        *(bool *)variable = true;
        break;
    case OPTION_COUNT:
        status = parse_count(value, &u);
        inside = is_within(o, u);
        *(uint64_t *)variable = u;
        break;
    case OPTION_PAIR:
        status = parse_pair(value, &pair);
        inside = is_within(o, pair.first) && is_within(o, pair.second);
        *(option_pair *)variable = pair;
        break;
    case OPTION_U64:
        status = parse_u64(value, variable);
        break;
    case OPTION_FRACTION:
        status = parse_double(value, &x);
        inside = x >= 0 && (x <= 1 || o->allowed != NULL);
        *(double *)variable = x + 0.0; /* turns -0 into 0 */
        break;
    case OPTION_NUMBERS:
        status = parse_list(value, o, variable);
        break;
    case OPTION_CHOICE:
        return set_choice(line, o, value, variable);
    case OPTION_FILE:
        if (strcmp(value, "-") != 0 &&
            (*value == '\0' || *value == '-' || value[strlen(value) - 1] == '/')) {
            return wrong_value(line, o, value, "names no file");
        }
        *(const char **)variable = value;
        break;
    case OPTION_TEXT:
        *(const char **)variable = value;
        break;
    }
    return status == NUMBER_OK && inside ? EXIT_OK : wrong_value(line, o, value, what[status]);
}

/* Arguments: the option that each one names. */

const char *const option_backends[] = {"auto", "cpu", "gpu", NULL};

static _Thread_local bool briefly; /* the last options_parse() stopped at -h, not at --help */

/* Returns the option that an argument names, or NULL.  *value becomes the text after "=" or after
 * the letter, or NULL. */
static const option *find_option(const command_line *line, const char *argument, const char **value)
{
    for (const option *o = line->options; o < line->options + line->n_options; o++) {
        const size_t length = strlen(o->name);

        if (argument[1] != '-') {
            if (argument[1] == o->letter && (argument[2] == '\0' || o->kind != OPTION_FLAG)) {
                *value = argument[2] != '\0' ? argument + 2 : NULL;
                return o;
            }
        } else if (strncmp(argument + 2, o->name, length) == 0 &&
                   (argument[2 + length] == '=' || argument[2 + length] == '\0')) {
            *value = argument[2 + length] == '=' ? argument + 3 + length : NULL;
            return o;
        }
    }
    return NULL;
}

static int count_operands(const command_line *line)
{
    int n = line->operand != NULL;

    for (const char *s = line->operand; s != NULL && *s != '\0'; s++) {
        n += *s == ' ';
    }
    return n;
}

int options_parse(const command_line *line, int argc, char **argv, void *values,
                  bool given[OPTIONS_MAX], const char **operand)
{
    const int most = line->many ? argc : count_operands(line);
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

/* An option's row: its names, and beside them a text. */
static void print_help_row(FILE *stream, const option *o, const char *text)
{
    char left[80];
    int used = snprintf(left, sizeof left, o->letter ? "  -%c, " : "      ", o->letter);

    snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    if (strlen(left) + 1 < HELP_COLUMN) {
        fprintf(stream, "%-*s", HELP_COLUMN, left);
    } else {
        fprintf(stream, "%s\n%*s", left, HELP_COLUMN, "");
    }
    print_wrapped(stream, text, HELP_COLUMN);
}

static void print_help_option(FILE *stream, const option *o)
{
    char allowed[256], text[1024];
    const char *range = option_allowed(o, allowed, sizeof allowed);

    snprintf(text, sizeof text, "%s%s%s%s%s%s", o->help, o->fallback ? "\ndefault: " : "",
             o->fallback ? o->fallback : "", *range ? (o->fallback ? "; " : "\n") : "",
             *range ? "allowed: " : "", range);
    print_help_row(stream, o, text);
}

/* What an option's help begins with, and the default of most cases. */
static void print_brief_option(FILE *stream, const option *o)
{
    const char *fallback = o->fallback != NULL ? o->fallback : "";
    char text[1024] = "";

    text_append(text, sizeof text, "%.*s", (int)strcspn(o->help, ";"), o->help);
    if (*fallback != '\0') {
        text_append(text, sizeof text, " (default: %.*s)", (int)strcspn(fallback, ";"), fallback);
    }
    print_help_row(stream, o, text);
}

static void print_common_options(FILE *stream, const command_line *line)
{
    fprintf(stream, "\nCommon options:\n");
    for (const char *word = line->common; *word != '\0';) {
        const size_t n = strcspn(word, " ");

        for (size_t i = 0; i < line->n_options; i++) {
            const option *o = &line->options[i];

            if (strlen(o->name) == n && memcmp(o->name, word, n) == 0) {
                print_brief_option(stream, o);
            }
        }
        word += n + (word[n] == ' ');
    }
}

static void print_examples(FILE *stream, const command_line *line)
{
    if (line->examples == NULL) {
        return;
    }
    fprintf(stream, "\nExamples:\n  ");
    print_wrapped(stream, line->examples, 2);
}

static void print_brief_help(FILE *stream, const command_line *line)
{
    const char *end = strstr(line->summary, ". ");
    char sentence[512];

    snprintf(sentence, sizeof sentence, "%.*s",
             (int)(end != NULL ? end + 1 - line->summary : (long)strlen(line->summary)),
             line->summary);
    print_wrapped(stream, sentence, 0);
    print_common_options(stream, line);
    print_examples(stream, line);
    fprintf(stream, "\nAll options: rmat %s --help\n", line->command);
}

void options_help(const command_line *line, FILE *stream)
{
    const char *group = NULL;

    fprintf(stream, "Usage: %s %s\n\n", line->program != NULL ? line->program : "rmat",
            line->synopsis);
    if (briefly && line->common != NULL) {
        print_brief_help(stream, line);
        return;
    }
    print_wrapped(stream, line->summary, 0);
    for (size_t i = 0; i < line->n_options; i++) {
        const option *o = &line->options[i];

        if (group == NULL || strcmp(group, o->group) != 0) {
            group = o->group;
            fprintf(stream, "\n%s:\n", group);
        }
        print_help_option(stream, o);
    }
    print_examples(stream, line);
    if (line->notes != NULL) {
        putc('\n', stream);
        print_wrapped(stream, line->notes, 0);
    }
}
