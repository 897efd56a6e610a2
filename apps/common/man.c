/* Manual pages from option tables.  The text is wrapped, because roff's source should have short
 * lines, and hyphens become minus signs, so that options can be copied from the page. */
#include "apps/common/man.h"
#include "rmat/rmat.h"
#include <ctype.h>
#include <string.h>

#define MAN_DATE                                                                                   \
    "2026-11-26" /* of the last change of the text: a build at any time gives the same page */

enum { MAN_WIDTH = 78 };

/* Print a word and return its width; the first word of a line must not begin with a dot, which
 * would make it a macro. */
static int man_word(FILE *stream, const char *word, int length, bool first)
{
    int printed = 0;

    if (first && (word[0] == '.' || word[0] == '\'')) {
        printed += fprintf(stream, "\\&");
    }
    for (int i = 0; i < length; i++) {
        if (word[i] == '\\') {
            printed += fprintf(stream, "\\e");
        } else if (word[i] == '-') {
            printed += fprintf(stream, "\\-");
        } else {
            putc(word[i], stream);
            printed++;
        }
    }
    return printed;
}

/* Print text in wrapped lines.  A newline in it breaks the line of the page, two begin a paragraph.
 */
static void man_text(FILE *stream, const char *text)
{
    int at = 0;

    while (*text != '\0') {
        int length = (int)strcspn(text, " \n"), wide = length;

        for (int i = 0; i < length; i++) {
            wide += text[i] == '-' || text[i] == '\\';
        }
        if (at > 0 && at + 1 + wide > MAN_WIDTH) {
            putc('\n', stream);
            at = 0;
        }
        if (at > 0 && length > 0) {
            putc(' ', stream);
            at++;
        }
        at += man_word(stream, text, length, at == 0);
        text += length;
        if (*text == '\n') {
            bool two = text[1] == '\n';

            fprintf(stream, "%s%s\n", at > 0 ? "\n" : "", two ? ".PP" : ".br");
            at = 0;
            text += two;
        }
        text += *text != '\0';
    }
    if (at > 0) {
        putc('\n', stream);
    }
}

void man_begin(FILE *stream, const char *program, const char *brief)
{
    fprintf(stream, ".\\\" Written by the program from its tables of options: do not edit.\n.TH ");
    for (const char *s = program; *s != '\0'; s++) {
        putc(toupper((unsigned char)*s), stream);
    }
    fprintf(stream, " 1 %s \"rmat %s\" \"User Commands\"\n.SH NAME\n%s \\- ", MAN_DATE,
            rmat_version(), program);
    man_text(stream, brief);
}

void man_section(FILE *stream, const char *title, const char *text)
{
    fprintf(stream, ".SH \"%s\"\n", title);
    man_text(stream, text);
}

void man_term(FILE *stream, const char *term, const char *text)
{
    fprintf(stream, ".TP\n\\fB");
    man_word(stream, term, (int)strlen(term), false);
    fprintf(stream, "\\fR\n");
    man_text(stream, text);
}

void man_example(FILE *stream, const char *text, const char *command_of_shell)
{
    fprintf(stream, ".PP\n");
    man_text(stream, text);
    fprintf(stream, ".PP\n.RS\n.EX\n");
    man_word(stream, command_of_shell, (int)strlen(command_of_shell), true);
    fprintf(stream, "\n.EE\n.RE\n");
}

void man_synopsis(FILE *stream, const command_line *line, bool last)
{
    fprintf(stream, "\\fBrmat %s\\fR ", line->command);
    man_text(stream, line->synopsis + strlen(line->command) + 1);
    if (!last) {
        fprintf(stream, ".br\n");
    }
}

static void man_option(FILE *stream, const option *o)
{
    char allowed[256];
    const char *range = option_allowed(o, allowed, sizeof allowed);

    fprintf(stream, ".TP\n");
    if (o->letter) {
        fprintf(stream, "\\fB\\-%c\\fR, ", o->letter);
    }
    fprintf(stream, "\\fB\\-\\-");
    man_word(stream, o->name, (int)strlen(o->name), false);
    fprintf(stream, "\\fR");
    if (o->argument != NULL) {
        fprintf(stream, " \\fI%s\\fR", o->argument);
    }
    putc('\n', stream);
    man_text(stream, o->help);
    if (o->fallback != NULL) {
        fprintf(stream, ".br\nDefault:\n");
        man_text(stream, o->fallback);
    }
    if (*range != '\0') {
        fprintf(stream, ".br\nAllowed:\n");
        man_text(stream, range);
    }
}

static void man_examples(FILE *stream, const command_line *line)
{
    if (line->examples == NULL) {
        return;
    }
    fprintf(stream, ".SS Examples\n.EX\n");
    for (const char *s = line->examples; *s != '\0';) {
        const size_t n = strcspn(s, "\n");

        man_word(stream, s, (int)n, true);
        putc('\n', stream);
        s += n + (s[n] == '\n');
    }
    fprintf(stream, ".EE\n");
}

void man_options(FILE *stream, const command_line *line)
{
    const char *group = NULL;

    man_text(stream, line->summary);
    for (size_t i = 0; i < options_count(line); i++) {
        const option o = options_get(line, i);

        if (group == NULL || strcmp(group, o.group) != 0) {
            group = o.group;
            fprintf(stream, ".SS \"%s\"\n", group);
        }
        man_option(stream, &o);
    }
    if (line->notes != NULL) {
        fprintf(stream, ".SS Notes\n");
        man_text(stream, line->notes);
    }
    man_examples(stream, line);
}
