/* message.h - input and output of programs: one-line messages on stderr, the exit codes of every
 * command, numbers, JSON. */
#ifndef APPS_COMMON_MESSAGE_H
#define APPS_COMMON_MESSAGE_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_RUNTIME = 1, EXIT_USAGE = 2, MESSAGE_TEXT = 8192 };
enum { EXIT_UNCHECKED = 3 }; /* of verify: no error was found, but not all was checked */

/* Prints "rmat COMMAND: ..." as exactly one line, in which control characters become '?', and
 * returns `status`.  With command "" the line begins "rmat: ".  Any thread may call it. */
int message_line(int status, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define usage_error(...)   message_line(EXIT_USAGE, __VA_ARGS__)
#define runtime_error(...) message_line(EXIT_RUNTIME, __VA_ARGS__)
#define message_print(...) ((void)message_line(EXIT_OK, __VA_ARGS__))

/* From now on, print this program's name in place of "rmat".  The text must stay valid. */
void message_program(const char *name);

/* From now on, lines that the calling thread would print are written to `text` instead, each over
 * the one before it and without "rmat COMMAND: "; NULL: no longer. */
void message_capture(char *text); /* of MESSAGE_TEXT bytes */

/* Flush standard output.  Returns EXIT_OK, also if the reader has closed the pipe; otherwise, for
 * example on a full disk, EXIT_RUNTIME after a line on stderr, once for each loss. */
int finish_stdout(const char *command);

/*
 * Text from elsewhere: names of files, attributes, what other programs wrote.
 *
 * Such text may contain control characters, which would move the cursor of a terminal, change its
 * colors, or begin a line that looks like one of ours.  All of it is printed through these
 * functions, or through the messages and the JSON functions, which use them.
 */

/* Length of the control character that a text begins with, or 0: those of ASCII, DEL, and C1 as
 * UTF-8 (two bytes) or as a single byte that is no part of UTF-8. */
int text_control_length(const char *s);

/* Print a line, without control characters but for the newline that is added.  It is cut after 8191
 * bytes. */
void text_line(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append to a text of at most `size` bytes; what does not fit is cut off. */
void text_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* --- Numbers in the forms that users write and read: numbers.c --- */

typedef enum {
    NUMBER_OK,
    NUMBER_MALFORMED, /* not a number of this kind */
    NUMBER_NOT_WHOLE, /* a number with a fraction where a whole one is needed */
    NUMBER_TOO_LARGE  /* a number, but beyond 64 bits, or negative */
} number_status;

/*
 * A count: a whole number in decimal digits, such as 1000000, 1e6, 2.5e9 or 1.5Gi.  After the
 * digits comes an exponent, or one of the suffixes K, M, G, T, P (powers of 1000) and Ki, Mi, Gi,
 * Ti, Pi (powers of 1024), also with a B, or nothing.  It ends at the character `stop` or with the
 * text; a well-formed one sets *end, unless that is NULL, to this place.
 */
number_status parse_count(const char *text, char stop, const char **end, uint64_t *value);

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

/*
 * --- JSON objects and arrays, written member by member to a stream ---
 *
 * A key NULL adds an element to an array.  Objects and arrays may be nested: while the inner one is
 * open, nothing is added to the outer one.  Errors of the stream are left to the caller.
 */

typedef struct {
    FILE *stream;
    bool started;
    bool lines; /* members are lines instead */
} json_object;

/* A whole text: an object, then a newline; or, if not `json`, a line for each member: its key,
 * padded to 16 characters, and its value, or the values of its array. */
#define json_begin(o, stream) facts_begin(o, stream, true)
void facts_begin(json_object *o, FILE *stream, bool json);
void json_end(json_object *o);

/* An object or an array in another one. */
void json_object_begin(json_object *o, json_object *outer, const char *key);
void json_object_end(json_object *o);
void json_array_begin(json_object *o, json_object *outer, const char *key);
void json_array_end(json_object *o);

/* A value that is neither a string nor a fraction, as text. */
void json_value(json_object *o, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define json_u64(o, key, value)  json_value(o, key, "%" PRIu64, (uint64_t)(value))
#define json_bool(o, key, value) json_value(o, key, "%s", (value) ? "true" : "false")
#define json_null(o, key)        json_value(o, key, "null")

/* NULL is written as null; bytes that are not UTF-8 become U+FFFD. */
void json_string(json_object *o, const char *key, const char *value);
void json_f64(json_object *o, const char *key, double value);   /* null where not finite */
void json_hex(json_object *o, const char *key, uint64_t value); /* "0x" and 16 digits, a string */
void json_u64_list(json_object *o, const char *key, const uint64_t *values, uint64_t n);

#endif
