#include "apps/common/numbers.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static number_status parse_digits(const char *text, int base, uint64_t *value, const char **end)
{
    char *stop;

    /* strtoull() would also take blanks and signs. */
    if (!(base == 16 ? isxdigit((unsigned char)*text) : isdigit((unsigned char)*text))) {
        return NUMBER_MALFORMED;
    }
    errno = 0;
    *value = strtoull(text, &stop, base);
    *end = stop;
    return errno == ERANGE ? NUMBER_TOO_LARGE : NUMBER_OK;
}

/* The value of a suffix, or 0 where it is none. */
static uint64_t suffix_factor(const char *suffix)
{
    static const char letters[] = "KMGTP";
    uint64_t unit, factor = 1;
    const char *at;

    if (*suffix == '\0') {
        return 1;
    }
    at = strchr(letters, *suffix == 'k' ? 'K' : *suffix);
    if (at == NULL || (suffix[1] != '\0' && strcmp(suffix + 1, "i") != 0)) {
        return 0;
    }
    unit = suffix[1] == 'i' ? 1024 : 1000;
    for (const char *s = letters; s <= at; s++) {
        factor *= unit;
    }
    return factor;
}

number_status parse_count(const char *text, uint64_t *value)
{
    const char *suffix;
    number_status status = parse_digits(text, 10, value, &suffix);
    uint64_t factor;

    if (status == NUMBER_MALFORMED) {
        return status;
    }
    factor = suffix_factor(suffix);
    if (factor == 0) {
        return NUMBER_MALFORMED;
    }
    if (status == NUMBER_TOO_LARGE || *value > UINT64_MAX / factor) {
        return NUMBER_TOO_LARGE;
    }
    *value *= factor;
    return NUMBER_OK;
}

number_status parse_u64(const char *text, uint64_t *value)
{
    int hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *end;
    number_status status = parse_digits(hex ? text + 2 : text, hex ? 16 : 10, value, &end);

    return status != NUMBER_MALFORMED && *end != '\0' ? NUMBER_MALFORMED : status;
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
