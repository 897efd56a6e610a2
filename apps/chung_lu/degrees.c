/* Reading a file of degrees: one number on a line. */
#include "apps/chung_lu/degrees.h"
#include "apps/common/numbers.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_TEXT = 1024, FIRST_ROOM = 1024 };

#define BLANKS " \t\r\f\v"

/* Reads a line without its end and comment; of a line that is too long, the beginning.  Returns
 * NULL, or what is wrong with the line. */
static const char *read_line(FILE *file, char text[LINE_TEXT], bool *last)
{
    const char *wrong = NULL;
    bool comment = false;
    size_t length = 0;
    int c;

    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        comment = comment || c == '#';
        if (comment) {
            continue;
        }
        if (c == '\0') {
            wrong = "comes before a byte that is 0";
        }
        if (length + 1 == LINE_TEXT) {
            wrong = wrong != NULL ? wrong : "begins a line of more than 1000 characters";
            break;
        }
        text[length++] = (char)c;
    }
    text[length] = '\0';
    *last = c == EOF;
    return wrong;
}

/* Returns NULL, or what is wrong with the word. */
static const char *parse_degree(const char *word, double *value)
{
    const size_t digits = strspn(word, "0123456789");
    number_status status;

    if (word[digits] == '\0' && digits <= 15) { /* an integer, the usual case, is quick */
        uint64_t integer = 0;

        for (const char *d = word; *d != '\0'; d++) {
            integer = 10 * integer + (uint64_t)(*d - '0');
        }
        *value = (double)integer;
        return NULL;
    }
    status = parse_double(word, value);
    return status == NUMBER_MALFORMED ? "is not a number"
           : status != NUMBER_OK || !(*value >= 0 && *value <= DEGREES_MAX_VALUE)
               ? "is out of range"
               : NULL;
}

/* The same of a line; *word: its first word, or NULL if there is none. */
static const char *parse_line(char *text, const char **word, double *value)
{
    char *rest;

    *word = strtok_r(text, BLANKS, &rest);
    if (*word == NULL) {
        return NULL;
    }
    return strtok_r(NULL, BLANKS, &rest) != NULL ? "is followed by a second word"
                                                 : parse_degree(*word, value);
}

static degrees_status malformed(degrees_error *e, uint64_t line, const char *word, const char *what)
{
    e->line = line;
    snprintf(e->word, sizeof e->word, "%.*s", DEGREES_WORD - 1, word);
    e->what = what;
    return DEGREES_MALFORMED;
}

static bool double_room(double **degrees, uint64_t *room)
{
    const uint64_t more = *room == 0 ? FIRST_ROOM : 2 * *room;
    double *larger = more > SIZE_MAX / sizeof **degrees
                         ? NULL
                         : realloc(*degrees, (size_t)more * sizeof **degrees);

    *degrees = larger != NULL ? larger : *degrees;
    *room = more;
    return larger != NULL;
}

static degrees_status read_lines(FILE *file, double **degrees, uint64_t *count, degrees_error *e)
{
    char text[LINE_TEXT];
    uint64_t room = 0;
    bool positive = false, last = false;

    for (uint64_t line = 1; !last; line++) {
        const char *wrong = read_line(file, text, &last), *word = text;
        double value = 0;

        if (ferror(file)) {
            return DEGREES_IO;
        }
        wrong = wrong != NULL ? wrong : parse_line(text, &word, &value);
        if (wrong != NULL) {
            return malformed(e, line, word, wrong);
        }
        if (word == NULL) {
            continue;
        }
        if (*count == room && !double_room(degrees, &room)) {
            return DEGREES_NOMEM;
        }
        (*degrees)[(*count)++] = value;
        positive = positive || value > 0;
    }
    return *count == 0 ? malformed(e, 0, "", "has no degrees")
           : !positive ? malformed(e, 0, "", "has no degree above 0")
                       : DEGREES_OK;
}

degrees_status degrees_read(FILE *file, double **degrees, uint64_t *count, degrees_error *error)
{
    degrees_status status;

    *degrees = NULL;
    *count = 0;
    errno = 0;
    status = read_lines(file, degrees, count, error);
    if (status != DEGREES_OK) {
        free(*degrees);
        *degrees = NULL;
        *count = 0;
    }
    return status;
}
