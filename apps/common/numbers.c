/*
 * Numbers as users write and read them.
 *
 * A count is read exactly: a decimal suffix becomes an exponent of the text, so that one correctly
 * rounded conversion reads all of it, and a binary one multiplies the result by a power of two.  So
 * "2.5e9", "1.5Ki" and "1_000_000" are the whole numbers that they say.
 */
#include "apps/common/message.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 200 }; /* characters of a count */

/* Appends digits, which may have single underscores between them, to a text.  Returns what follows
 * them, or NULL if there are none. */
static const char *read_digits(const char *text, char **to)
{
    if (text == NULL || !isdigit((unsigned char)*text)) {
        return NULL;
    }
    for (; isdigit((unsigned char)*text) || (*text == '_' && isdigit((unsigned char)text[1]));
         text++) {
        if (*text != '_') {
            *(*to)++ = *text;
        }
    }
    return text;
}

/* The power of 10 or of 2 that a suffix stands for.  Returns whether it is one. */
static bool read_suffix(const char *suffix, int *tens, int *twos)
{
    static const char letters[] = "KMGTP";
    const char *at = *suffix == '\0' ? NULL : strchr(letters, *suffix == 'k' ? 'K' : *suffix);
    const bool binary = at != NULL && suffix[1] == 'i';

    if (at != NULL) {
        *(binary ? twos : tens) = (binary ? 10 : 3) * (int)(at - letters + 1);
        suffix += binary ? 2 : 1;
        suffix += *suffix == 'B';
    }
    return *suffix == '\0';
}

/* Whether `number` is the decimal one, and not rounded to a whole number or to 0.  A long double
 * holds 19 digits. */
static bool is_exact(const char *decimal, long double number)
{
    const char *first = decimal + strspn(decimal, "0."), *end = decimal + strcspn(decimal, "eE");
    int digits = 0;

    if (first >= end) {
        return true; /* 0 */
    }
    while (end[-1] == '0' || end[-1] == '.') {
        end--;
    }
    for (const char *at = first; at < end; at++) {
        digits += *at != '.';
    }
    return number != 0 && (digits <= 19 || strpbrk(decimal, ".-") == NULL);
}

/* Of a number with a minus before it, whose rest has this status. */
static number_status negative(number_status rest)
{
    return rest == NUMBER_MALFORMED ? rest : NUMBER_TOO_LARGE;
}

number_status parse_count(const char *text, uint64_t *value)
{
    char decimal[LONGEST + 16], *to = decimal;
    int tens = 0, twos = 0;
    long double number;

    if (text[0] == '-' && text[1] != '-') {
        return negative(parse_count(text + 1, value));
    }
    if (strlen(text) > LONGEST) {
        return NUMBER_MALFORMED;
    }
    text = read_digits(text, &to);
    if (text != NULL && *text == '.') {
        *to++ = *text;
        text = read_digits(text + 1, &to);
    }
    if (text != NULL && (*text == 'e' || *text == 'E')) {
        const bool has_sign = text[1] == '-' || text[1] == '+';

        text += 1 + has_sign;
        snprintf(to, (size_t)(decimal + sizeof decimal - to), "e%.*s%s", has_sign, text - has_sign,
                 text);
        text = *text != '\0' && text[strspn(text, "0123456789")] == '\0' ? text : NULL;
    } else if (text != NULL) {
        text = read_suffix(text, &tens, &twos) ? text : NULL;
        snprintf(to, 16, "e%d", tens);
    }
    if (text == NULL) {
        return NUMBER_MALFORMED;
    }
    number = ldexpl(strtold(decimal, NULL), twos);
    if (!(number < 0x1p64L)) {
        return NUMBER_TOO_LARGE;
    }
    *value = (uint64_t)number;
    return (long double)*value == number && is_exact(decimal, number) ? NUMBER_OK
                                                                      : NUMBER_NOT_WHOLE;
}

number_status parse_u64(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    char *end;

    if (text[0] == '-' && text[1] != '-') {
        return negative(parse_u64(text + 1, value));
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

const char *format_duration(char text[NUMBER_TEXT], double seconds)
{
    if (!(seconds < 1e12)) {
        snprintf(text, NUMBER_TEXT, "?");
    } else {
        unsigned long long s = (unsigned long long)(seconds + 0.5);

        if (s < 3600) {
            snprintf(text, NUMBER_TEXT, "%llu:%02llu", s / 60, s % 60);
        } else if (s < 86400) {
            snprintf(text, NUMBER_TEXT, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
        } else {
            snprintf(text, NUMBER_TEXT, "%llu d %llu h", s / 86400, s / 3600 % 24);
        }
    }
    return text;
}
