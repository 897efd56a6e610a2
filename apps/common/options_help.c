/* The texts of --help and -h from an option table, in two columns and lines of at most 100
 * characters. */
#include "apps/common/options.h"
#include <string.h>

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
static void print_row(FILE *stream, const option *o, const char *text)
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

static void print_option(FILE *stream, const option *o)
{
    char allowed[256], text[1024];
    const char *range = option_allowed(o, allowed, sizeof allowed);

    snprintf(text, sizeof text, "%s%s%s%s%s%s", o->help, o->fallback ? "\ndefault: " : "",
             o->fallback ? o->fallback : "", *range ? (o->fallback ? "; " : "\n") : "",
             *range ? "allowed: " : "", range);
    print_row(stream, o, text);
}

/* What an option's help begins with, and the default of most cases. */
static void print_briefly(FILE *stream, const option *o)
{
    const char *fallback = o->fallback != NULL ? o->fallback : "";
    char text[1024];
    int used = snprintf(text, sizeof text, "%.*s", (int)strcspn(o->help, ";"), o->help);

    if (*fallback != '\0' && (size_t)used < sizeof text) {
        snprintf(text + used, sizeof text - (size_t)used, " (default: %.*s)",
                 (int)strcspn(fallback, ";"), fallback);
    }
    print_row(stream, o, text);
}

static void print_common(FILE *stream, const command_line *line)
{
    fprintf(stream, "\nCommon options:\n");
    for (const char *word = line->common; *word != '\0';) {
        const size_t n = strcspn(word, " ");

        for (size_t i = 0; i < options_count(line); i++) {
            const option o = options_get(line, i);

            if (strlen(o.name) == n && memcmp(o.name, word, n) == 0) {
                print_briefly(stream, &o);
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
    fprintf(stream, "\nExamples:\n");
    for (const char *s = line->examples; *s != '\0';) {
        const size_t n = strcspn(s, "\n");

        fprintf(stream, "  %.*s\n", (int)n, s);
        s += n + (s[n] == '\n');
    }
}

static void print_screen(FILE *stream, const command_line *line)
{
    const char *program = line->program != NULL ? line->program : "rmat";
    const char *end = strstr(line->summary, ". ");
    char sentence[512];

    snprintf(sentence, sizeof sentence, "%.*s",
             (int)(end != NULL ? end + 1 - line->summary : (long)strlen(line->summary)),
             line->summary);
    print_wrapped(stream, sentence, 0);
    print_common(stream, line);
    print_examples(stream, line);
    fprintf(stream, "\nAll options: %s%s%s --help\n", program, *line->command != '\0' ? " " : "",
            line->command);
}

void options_help(const command_line *line, FILE *stream)
{
    const char *group = NULL;

    fprintf(stream, "Usage: %s %s\n\n", line->program != NULL ? line->program : "rmat",
            line->synopsis);
    if (options_asked_briefly() && line->common != NULL) {
        print_screen(stream, line);
        return;
    }
    print_wrapped(stream, line->summary, 0);
    for (size_t i = 0; i < options_count(line); i++) {
        const option o = options_get(line, i);

        if (group == NULL || strcmp(group, o.group) != 0) {
            group = o.group;
            fprintf(stream, "\n%s:\n", group);
        }
        print_option(stream, &o);
    }
    print_examples(stream, line);
    if (line->notes != NULL) {
        putc('\n', stream);
        print_wrapped(stream, line->notes, 0);
    }
}
