/* One-line messages on stderr, and the exit codes of every command. */
#ifndef APPS_COMMON_MESSAGE_H
#define APPS_COMMON_MESSAGE_H

#include <stdarg.h>
#include <stdio.h>

enum { EXIT_OK = 0, EXIT_RUNTIME = 1, EXIT_USAGE = 2, MESSAGE_TEXT = 8192 };
enum { EXIT_UNCHECKED = 3 }; /* of verify: no error was found, but not all was checked */

/* Print "rmat COMMAND: ..." as exactly one line, in which control characters become '?', and return
 * EXIT_USAGE or EXIT_RUNTIME.  With command "" the line begins "rmat: ". */
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
int runtime_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* From now on, print this program's name in place of "rmat".  The text must stay valid. */
void message_program(const char *name);

/*
 * Messages spell options as users of the command line type them, "--edge-factor".  From now on they
 * are spelled as keyword arguments of Python, "edge_factor": those in formats, and those in the
 * arguments of a part of a format that is marked, as in MESSAGE_OPTIONS("%s") for a text like
 * "--sorted or --unique".  What users typed stays as it is.
 */
void message_spell_arguments(void);
void message_format(char *text, size_t size, const char *format, va_list args); /* by these rules */
#define MESSAGE_OPTIONS(part) "\1" part "\2"

/* For one of several processes, of which only one shall print: from now on usage_error() and
 * runtime_error() print nothing but keep the last line, without "rmat COMMAND: ", until
 * message_take() fetches it.  It is "" if there was none. */
void message_keep(void);
void message_take(char text[MESSAGE_TEXT]);

/* For a library, whose callers may be several threads: from now on, lines of the calling thread are
 * written to `text` instead, each over the one before it; NULL: no longer. */
void message_capture(char *text);

/* Print a line even if lines are kept; may be called from any thread. */
void message_print(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Flush standard output.  Returns EXIT_OK, also if the reader has closed the pipe; otherwise, for
 * example on a full disk, EXIT_RUNTIME after a line on stderr, once for each loss. */
int finish_stdout(const char *command);

/*
 * Text from elsewhere: names of files, attributes, what other programs wrote.
 *
 * It may hold control characters, which would move the cursor of a terminal, change its colours or
 * begin a line that looks like one of ours.  Whatever of it is printed goes through here, or
 * through message.h or json.h, which use this.
 */

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
