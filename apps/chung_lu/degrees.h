/* Degrees from a text file: one number on a line. */
#ifndef APPS_CHUNG_LU_DEGREES_H
#define APPS_CHUNG_LU_DEGREES_H

#include <stdint.h>
#include <stdio.h>

#define DEGREES_MAX_VALUE 1e15
#define DEGREES_ALLOWED   "one number 0 to 1e15 on a line, not all of them 0"

enum { DEGREES_WORD = 48 };

typedef enum { DEGREES_OK, DEGREES_MALFORMED, DEGREES_NOMEM, DEGREES_IO } degrees_status;

/* What is wrong with a file: a word of line `line`, or of the file as a whole if that is 0. */
typedef struct {
    uint64_t line;
    char word[DEGREES_WORD];
    const char *what; /* "is not a number", ...: static */
} degrees_error;

/*
 * Read all of `file`: the i-th number, from 0, is the degree of vertex i; # begins a comment; lines
 * without a number are skipped.  On success (*degrees)[0..*count) are for free(), else NULL.
 * DEGREES_IO: errno says what.  Memory: 24 bytes per number at most, whatever the file.
 */
degrees_status degrees_read(FILE *file, double **degrees, uint64_t *count, degrees_error *error);

#endif
