/*
 * Text from elsewhere: names of files, attributes, what other programs wrote.
 *
 * It may hold control characters, which would move the cursor of a terminal, change its colours or
 * begin a line that looks like one of ours.  Whatever of it is printed goes through here, or
 * through message.h or json.h, which use this.
 */
#ifndef APPS_COMMON_TEXT_H
#define APPS_COMMON_TEXT_H

#include <stdio.h>

/* Length of the well-formed UTF-8 sequence that a text begins with, or 0. */
int text_utf8_length(const char *s);

/* Length of the control character that a text begins with, or 0: those of ASCII, DEL, and C1 as
 * UTF-8 (two bytes) or as a single byte that is no part of UTF-8. */
int text_control_length(const char *s);

/* Print a line, without control characters but for the newline that is added.  It is cut after 8191
 * bytes. */
void text_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append to a text of at most `size` bytes; what does not fit is cut off. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
