/*
 * Numbers as users write and read them.
 *
 * A count is read exactly, without floating point: its digits become an integer and a power of ten,
 * the suffix multiplies the integer, and the power is then applied digit by digit, so that "2.5e9",
 * "1.5Ki" and "1_000_000" are the whole numbers that they say.
 */
#include "apps/common/message.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value of a suffix, or 0 if it is none. */
static uint64_t suffix_factor(const char *suffix)
{
    static const char letters[] = "KMGTP";
    uint64_t unit, factor = 1;
    const char *at;

    if (*suffix == '\0') {
        return 1;
    }
    at = strchr(letters, *suffix == 'k' ? 'K' : *suffix);
    if (at == NULL) {
        return 0;
    }
    suffix++;
    unit = *suffix == 'i' ? 1024 : 1000;
    suffix += *suffix == 'i';
    suffix += *suffix == 'B';
    if (*suffix != '\0') {
        return 0;
    }
    for (const char *s = letters; s <= at; s++) {
        factor *= unit;
    }
    return factor;
}

/* A decimal in the course of being read: digits * 10^power, with `zeros` more digits that are 0. */
typedef struct {
    unsigned __int128 digits; /* at most MAX_DIGITS, which leaves room for any suffix */
    int power, zeros;
    bool too_large;
} decimal;

#define MAX_DIGITS ((unsigned __int128)10000000000 * 1000000000000)

/* Appends digits, which may have single underscores between them.  Returns the text after them, or
 * NULL if there are none. */
static const char *read_digits(const char *text, bool fraction, decimal *number)
{
    if (!isdigit((unsigned char)*text)) {
        return NULL;
    }
    for (; isdigit((unsigned char)*text) || (*text == '_' && isdigit((unsigned char)text[1]));
         text++) {
        if (*text == '_') {
            continue;
        }
        number->zeros++;
        if (fraction && *text == '0') {
            continue; /* counts only if another digit follows */
        }
        for (; number->zeros > 0 && !number->too_large; number->zeros--) {
            number->digits *= 10;
            number->power -= fraction;
            number->too_large = number->digits > MAX_DIGITS;
        }
        number->digits += (unsigned)(*text - '0');
    }
    number->zeros = 0;
    return text;
}

/* Reads an exponent's digits, "6" or "+6".  Returns the text after them, or NULL if there are none.
 */
static const char *read_exponent(const char *text, decimal *number)
{
    const int sign = *text == '-' ? -1 : 1;
    int exponent = 0;

    text += *text == '-' || *text == '+';
    if (!isdigit((unsigned char)*text)) {
        return NULL;
    }
    for (; isdigit((unsigned char)*text); text++) {
        exponent = exponent < 1000 ? 10 * exponent + (*text - '0') : exponent;
    }
    number->power += sign * exponent;
    return text;
}

static number_status to_whole(decimal number, uint64_t *value)
{
    for (; number.power < 0 && number.digits != 0; number.power++) {
        if (number.digits % 10 != 0) {
            return NUMBER_NOT_WHOLE;
        }
        number.digits /= 10;
    }
    for (; number.power > 0 && number.digits != 0 && number.digits <= UINT64_MAX; number.power--) {
        number.digits *= 10;
    }
    *value = (uint64_t)number.digits;
    return number.digits <= UINT64_MAX ? NUMBER_OK : NUMBER_TOO_LARGE;
}

/* Of a number with a minus before it, whose rest has this status. */
static number_status negative(number_status rest)
{
    return rest == NUMBER_MALFORMED ? rest : NUMBER_TOO_LARGE;
}

number_status parse_count(const char *text, uint64_t *value)
{
    decimal number = {0};
    uint64_t factor = 1;

    if (text[0] == '-' && text[1] != '-') {
        return negative(parse_count(text + 1, value));
    }
    text = read_digits(text, false, &number);
    if (text != NULL && *text == '.') {
        text = read_digits(text + 1, true, &number);
    }
    if (text != NULL && (*text == 'e' || *text == 'E')) {
        text = read_exponent(text + 1, &number);
        factor = text != NULL && *text == '\0';
    } else if (text != NULL) {
        factor = suffix_factor(text);
    }
    if (text == NULL || factor == 0) {
        return NUMBER_MALFORMED;
    }
    if (number.too_large) {
        return NUMBER_TOO_LARGE;
    }
    number.digits *= factor;
    return to_whole(number, value);
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
