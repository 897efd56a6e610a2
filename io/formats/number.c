/* number.c - reads decimal numbers in text. */
#include "io/formats/reader.h"

#include <float.h>
#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Appends the digits at p to the mantissa as long as it has room; returns how many there are. */
static int add_digits(const char *p, uint64_t *mantissa, bool *full)
{
    int n = 0;

    for (; is_digit(p[n]); n++) {
        *full = *full || *mantissa > (UINT64_MAX - 9) / 10;
        if (!*full) {
            *mantissa = 10 * *mantissa + (uint64_t)(p[n] - '0');
        }
    }
    return n;
}

/* Reads an exponent such as "e-12" at p; returns its length, 0 if there is none. */
static int exponent_at(const char *p, int *exponent)
{
    int n = 1, sign = 1;

    if (*p != 'e' && *p != 'E') {
        return 0;
    }
    if (p[n] == '+' || p[n] == '-') {
        sign = p[n++] == '-' ? -1 : 1;
    }
    if (!is_digit(p[n])) {
        return 0;
    }
    *exponent = 0;
    for (; is_digit(p[n]); n++) {
        if (*exponent < 100000) {
            *exponent = 10 * *exponent + (p[n] - '0');
        }
    }
    *exponent *= sign;
    return n;
}

/* The value.  If mantissa and power of ten are exact as doubles, there is only one rounding. */
static double scale(const char *text, uint64_t mantissa, bool full, int exponent, bool negative)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double x = (double)mantissa;

    if (full || mantissa > (uint64_t)1 << 53 || exponent > 22 || exponent < -22) {
        return strtod(text, NULL);
    }
    x = exponent < 0 ? x / powers[-exponent] : x * powers[exponent];
    return negative ? -x : x;
}

const char *graphfile_decimal(const char *p, double *value, bool *whole, bool *inexact)
{
    const char *text = p;
    const bool negative = *p == '-';
    uint64_t mantissa = 0;
    bool full = false;
    int exponent = 0, before, after = 0, e;

    if (*p == '-' || *p == '+') {
        p++;
    }
    before = add_digits(p, &mantissa, &full);
    p += before;
    *whole = *p != '.';
    if (*p == '.') {
        after = add_digits(p + 1, &mantissa, &full);
        p += 1 + after;
    }
    if (before + after == 0) {
        return NULL;
    }
    e = exponent_at(p, &exponent);
    p += e;
    *whole = *whole && e == 0;
    *inexact = *whole && (full || !graphfile_fits_float(mantissa));
    *whole = *whole && !full && mantissa <= (uint64_t)INT32_MAX + negative;
    *value = scale(text, mantissa, full, exponent - after, negative);
    return *value >= -FLT_MAX && *value <= FLT_MAX ? p : NULL;
}
