/*
 * Numbers as users write and read them.
 *
 * A count is read exactly: its digits become an integer, which a binary suffix multiplies by a
 * power of two, and the places after the point, an exponent or a decimal suffix by one of ten.  So
 * "2.5e9" and "1.5Ki" are the whole numbers that they say.
 */
#include "apps/common/message.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

enum { MOST_TENS = 1000000 }; /* as exponent: what is larger or smaller says the same */

/* Beyond this, digits and a suffix no longer fit 128 bits. */
#define MOST_DIGITS ((unsigned __int128)1 << 78)

/* Reads what may follow the digits: an exponent, or a suffix that stands for a power of 10 or 2.
 * Returns the end, or NULL if it is neither. */
static const char *read_scale(const char *text, int *tens, int *twos)
{
    static const char letters[] = "KMGTP";
    const char *at;

    if (*text == 'e' || *text == 'E') {
        const char *digits = text + 1 + (text[1] == '-' || text[1] == '+');
        const size_t n = strspn(digits, DIGITS);
        const long e = n > 0 ? strtol(text + 1, NULL, 10) : 0;

        *tens = (int)(e > MOST_TENS ? MOST_TENS : e < -MOST_TENS ? -MOST_TENS : e);
        return n > 0 ? digits + n : NULL;
    }
    at = *text == '\0' ? NULL : strchr(letters, *text == 'k' ? 'K' : *text);
    if (at == NULL) {
        return text;
    }
    if (text[1] == 'i') {
        *twos = 10 * (int)(at - letters + 1);
    } else {
        *tens = 3 * (int)(at - letters + 1);
    }
    text += text[1] == 'i' ? 2 : 1;
    return text + (*text == 'B');
}

number_status parse_count(const char *text, char stop, const char **end, uint64_t *value)
{
    const char *point = text + strspn(text, DIGITS), *rest = point;
    unsigned __int128 number = 0;
    int tens = 0, twos = 0;
    const char *last;

    if (text[0] == '-' && text[1] != '-') {
        return parse_count(text + 1, stop, end, value) == NUMBER_MALFORMED ? NUMBER_MALFORMED
                                                                           : NUMBER_TOO_LARGE;
    }
    if (*point == '.') {
        rest = point + 1 + strspn(point + 1, DIGITS);
    }
    last = read_scale(rest, &tens, &twos);
    if (point == text || rest == point + 1 || last == NULL || (*last != stop && *last != '\0')) {
        return NUMBER_MALFORMED;
    }
    if (end != NULL) {
        *end = last;
    }
    while (rest > point && (rest[-1] == '0' || rest[-1] == '.')) {
        rest--;
    }
    for (const char *at = text; at < rest; at++) {
        if (at == point) {
            continue;
        }
        number = 10 * number + (unsigned)(*at - '0');
        tens -= at > point;
        if (number >= MOST_DIGITS) {
            return tens < 0 ? NUMBER_NOT_WHOLE : NUMBER_TOO_LARGE;
        }
    }
    for (number <<= twos; tens < 0 && number > 0; tens++) {
        if (number % 10 != 0) {
            return NUMBER_NOT_WHOLE;
        }
        number /= 10;
    }
    for (; tens > 0 && number > 0 && number <= UINT64_MAX; tens--) {
        number *= 10;
    }
    *value = (uint64_t)number;
    return number <= UINT64_MAX ? NUMBER_OK : NUMBER_TOO_LARGE;
}

number_status parse_u64(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    char *end;

    if (text[0] == '-' && text[1] != '-') {
        return parse_u64(text + 1, value) == NUMBER_MALFORMED ? NUMBER_MALFORMED : NUMBER_TOO_LARGE;
    }
    /* strtoull() would also take blanks and signs. */
    if (!(hex ? isxdigit((unsigned char)*digits) : isdigit((unsigned char)*digits))) {
        return NUMBER_MALFORMED;
    }
    errno = 0;
    *value = strtoull(digits, &end, hex ? 16 : 10);
    return *end != '\0' ? NUMBER_MALFORMED : errno == ERANGE ? NUMBER_TOO_LARGE : NUMBER_OK;
}

number_status parse_double(const char *text, double *value)
{
    char *end;

    if (*text == '\0' || text[strspn(text, "0123456789.eE+-")] != '\0') {
        return NUMBER_MALFORMED;
    }
    *value = strtod(text, &end);
    if (*end != '\0') {
        return NUMBER_MALFORMED;
    }
    return isfinite(*value) ? NUMBER_OK : NUMBER_TOO_LARGE;
}

const char *format_double(char text[NUMBER_TEXT], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        int length = snprintf(text, NUMBER_TEXT, "%.*g", digits, value);

        if (length < NUMBER_TEXT && strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

const char *format_si(char text[NUMBER_TEXT], double value)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P", " E"};
    size_t unit = 0;

    while (value >= 999.5 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1000;
        unit++;
    }
    snprintf(text, NUMBER_TEXT, "%.*f%s",
             unit == 0 || value >= 99.95 ? 0
             : value >= 9.995            ? 1
                                         : 2,
             value, units[unit]);
    return text;
}

const char *format_bytes(char text[NUMBER_TEXT], double value)
{
    const size_t length = strlen(format_si(text, value));

    snprintf(text + length, NUMBER_TEXT - length, "%sB", strchr(text, ' ') != NULL ? "" : " ");
    return text;
}
