/* Reading a file of degrees: one number on a line. */
#include "apps/chung_lu/degrees.h"
#include "apps/common/numbers.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_TEXT = 1024, FIRST_ROOM = 1024 };

#define BLANKS " \t\r\f\v"

typedef struct {
    char text[LINE_TEXT];
    size_t length;
    bool too_long, has_nul, last;
} text_line;

/* A line without its end and comment.  Only its beginning is kept of one that is too long. */
static void read_line(FILE *file, text_line *l)
{
    bool comment = false;
    int c;

    l->length = 0;
    l->too_long = l->has_nul = false;
    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        comment = comment || c == '#';
        if (comment) {
            continue;
        }
        l->has_nul = l->has_nul || c == '\0';
        if (l->length + 1 < LINE_TEXT) {
            l->text[l->length++] = (char)c;
        } else {
            l->too_long = true;
            break;
        }
    }
    l->text[l->length] = '\0';
    l->last = c == EOF;
}

static degrees_status wrong(degrees_error *e, uint64_t line, const char *word, const char *what)
{
    e->line = line;
    snprintf(e->word, sizeof e->word, "%.*s", DEGREES_WORD - 1, word);
    e->what = what;
    return DEGREES_MALFORMED;
}

static degrees_status parse_word(const char *word, uint64_t line, double *value, degrees_error *e)
{
    size_t digits = strspn(word, "0123456789");
    number_status status;

    if (word[digits] == '\0' && digits <= 15) { /* an integer, the usual case, is quick */
        uint64_t integer = 0;

        for (const char *d = word; *d != '\0'; d++) {
            integer = 10 * integer + (uint64_t)(*d - '0');
        }
        *value = (double)integer;
        return DEGREES_OK;
    }
    status = parse_double(word, value);
    if (status == NUMBER_MALFORMED) {
        return wrong(e, line, word, "is not a number");
    }
    if (status != NUMBER_OK || !(*value >= 0 && *value <= DEGREES_MAX_VALUE)) {
        return wrong(e, line, word, "is out of range");
    }
    return DEGREES_OK;
}

/* *any: whether there is a number in the line. */
static degrees_status parse_line(text_line *l, uint64_t line, double *value, bool *any,
                                 degrees_error *e)
{
    char *word, *rest;

    *any = false;
    if (l->has_nul) {
        return wrong(e, line, l->text, "comes before a byte that is 0");
    }
    if (l->too_long) {
        return wrong(e, line, l->text, "begins a line of more than 1000 characters");
    }
    word = strtok_r(l->text, BLANKS, &rest);
    if (word == NULL) {
        return DEGREES_OK;
    }
    *any = true;
    if (strtok_r(NULL, BLANKS, &rest) != NULL) {
        return wrong(e, line, word, "is followed by a second word");
    }
    return parse_word(word, line, value, e);
}

/* Room for one more. */
static bool make_room(double **degrees, uint64_t count, uint64_t *room)
{
    uint64_t more = *room == 0 ? FIRST_ROOM : 2 * *room;
    double *larger;

    if (count < *room) {
        return true;
    }
    if (more > SIZE_MAX / sizeof **degrees) {
        return false;
    }
    larger = realloc(*degrees, (size_t)more * sizeof **degrees);
    if (larger == NULL) {
        return false;
    }
    *degrees = larger;
    *room = more;
    return true;
}

static degrees_status read_lines(FILE *file, double **degrees, uint64_t *count, degrees_error *e)
{
    uint64_t room = 0;
    bool positive = false, any;
    text_line l = {.last = false};

    for (uint64_t line = 1; !l.last; line++) {
        degrees_status status;
        double value = 0;

        read_line(file, &l);
        if (ferror(file)) {
            return DEGREES_IO;
        }
        status = parse_line(&l, line, &value, &any, e);
        if (status != DEGREES_OK) {
            return status;
        }
        if (any) {
            if (!make_room(degrees, *count, &room)) {
                return DEGREES_NOMEM;
            }
            (*degrees)[(*count)++] = value;
            positive = positive || value > 0;
        }
    }
    return *count == 0 ? wrong(e, 0, "", "has no degrees")
           : !positive ? wrong(e, 0, "", "has no degree above 0")
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
