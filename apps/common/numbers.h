/* Numbers in the forms that users write and read. */
#ifndef APPS_COMMON_NUMBERS_H
#define APPS_COMMON_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    NUMBER_OK,
    NUMBER_MALFORMED, /* not a number of this kind */
    NUMBER_NOT_WHOLE, /* a number with a fraction where a whole one is needed */
    NUMBER_TOO_LARGE  /* a number, but beyond 64 bits, or negative */
} number_status;

/*
 * A count: a whole number in decimal digits, such as 1000000, 1_000_000, 1e6, 2.5e9 or 1.5Gi.
 * Single underscores may separate digits.  After the digits comes an exponent, or one of the
 * suffixes COUNT_SUFFIXES, or nothing.
 */
number_status parse_count(const char *text, uint64_t *value);

#define COUNT_SUFFIXES "K, M, G, T, P (powers of 1000) or Ki, Mi, Gi, Ti, Pi (powers of 1024)"

/* A decimal number, or a hexadecimal one after 0x; no suffix. */
number_status parse_u64(const char *text, uint64_t *value);

/* A finite decimal fraction, perhaps with an exponent; not hexadecimal, "inf" or "nan". */
number_status parse_double(const char *text, double *value);

enum { NUMBER_TEXT = 32 }; /* bytes that are enough for any of the texts below */

/* The shortest decimal that reads back as the same double. */
const char *format_double(char text[NUMBER_TEXT], double value);

/* Three significant digits and a power of 1000: "16.8 M", "210 G", "999". */
const char *format_si(char text[NUMBER_TEXT], double value);

/* The same of bytes: "16.8 MB", "16 B". */
const char *format_bytes(char text[NUMBER_TEXT], double value);

/* "0:07", "2:05:09", "12 d 3 h"; "?" if it is not finite. */
const char *format_duration(char text[NUMBER_TEXT], double seconds);

#endif
