/* The text of --help from an option table, in two columns and lines of at most 100 characters. */
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

static void print_option(FILE *stream, const option *o)
{
    char left[80], allowed[256], text[1024];
    const char *range = option_allowed(o, allowed, sizeof allowed);
    int used = snprintf(left, sizeof left, o->letter ? "  -%c, " : "      ", o->letter);

    snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", o->name, o->argument ? " " : "",
             o->argument ? o->argument : "");
    snprintf(text, sizeof text, "%s%s%s%s%s%s", o->help, o->fallback ? "\ndefault: " : "",
             o->fallback ? o->fallback : "", *range ? (o->fallback ? "; " : "\n") : "",
             *range ? "allowed: " : "", range);
    if (strlen(left) + 1 < HELP_COLUMN) {
        fprintf(stream, "%-*s", HELP_COLUMN, left);
    } else {
        fprintf(stream, "%s\n%*s", left, HELP_COLUMN, "");
    }
    print_wrapped(stream, text, HELP_COLUMN);
}

void options_help(const command_line *line, FILE *stream)
{
    const char *group = NULL;

    fprintf(stream, "Usage: %s %s\n\n", line->program != NULL ? line->program : "rmat",
            line->synopsis);
    print_wrapped(stream, line->summary, 0);
    for (size_t i = 0; i < options_count(line); i++) {
        const option o = options_get(line, i);

        if (group == NULL || strcmp(group, o.group) != 0) {
            group = o.group;
            fprintf(stream, "\n%s:\n", group);
        }
        print_option(stream, &o);
    }
    if (line->notes != NULL) {
        putc('\n', stream);
        print_wrapped(stream, line->notes, 0);
    }
}
