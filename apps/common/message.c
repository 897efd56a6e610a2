/* message.c - output: the bytes of foreign text that may reach a terminal; one-line messages on
 * stderr, which are formatted, cleaned, and printed or kept; and the end of standard output. */
#include "apps/common/message.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

enum { LINE_TEXT = 8192 };

/* Unicode, table 3-7. */
int text_utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int n;

    if (s[0] < 0x80) {
        return 1;
    }
    n = s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : s[0] < 0xF5 ? 4 : 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) {
        return 0; /* overlong, surrogate, beyond U+10FFFF */
    }
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

int text_control_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    if ((s[0] > 0 && s[0] < 32) || s[0] == 127 || (s[0] >= 0x80 && s[0] < 0xA0)) {
        return 1;
    }
    return s[0] == 0xC2 && s[1] >= 0x80 && s[1] < 0xA0 ? 2 : 0;
}

/* Put a question mark in the place of each control character.  Returns text. */
static char *clean_text(char *text)
{
    char *to = text;

    for (const char *s = text; *s != '\0';) {
        const int control = text_control_length(s), whole = text_utf8_length(s);
        const int length = control > 0 ? control : whole > 0 ? whole : 1;

        if (control > 0) {
            *to++ = '?';
        } else {
            memmove(to, s, (size_t)length);
            to += length;
        }
        s += length;
    }
    *to = '\0';
    return text;
}

void text_line(FILE *stream, const char *format, ...)
{
    char text[LINE_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stream, "%s\n", clean_text(text));
}

void text_append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static const char *program = "rmat";
static _Thread_local char *captured; /* or NULL */

/* Options, as MESSAGE_OPTIONS() marks them. */

enum { MARK = '\1', MARK_END = '\2' };
static bool spells_arguments;

static bool is_option(const char *text)
{
    return text[0] == '-' && text[1] == '-' &&
           ((text[2] >= 'a' && text[2] <= 'z') || text[2] == '%');
}

static size_t option_length(const char *text)
{
    return strspn(text, "-abcdefghijklmnopqrstuvwxyz0123456789");
}

/* Where options are spelled as arguments, marks those that the format names itself; elsewhere takes
 * the marks out. */
static void mark_options(char to[MESSAGE_TEXT], const char *format)
{
    char *const end = to + MESSAGE_TEXT - 8;
    bool marked = false;

    while (*format != '\0' && to < end) {
        size_t length = 1;

        if (*format == MARK || *format == MARK_END) {
            marked = *format == MARK;
            length = spells_arguments;
        } else if (spells_arguments && !marked && is_option(format)) {
            length = format[2] == '%' ? strlen("--%s") : option_length(format);
            *to++ = MARK;
            length = length < (size_t)(end - to) ? length : (size_t)(end - to);
            memcpy(to, format, length);
            to[length] = MARK_END;
            to += length + 1;
            format += length;
            continue;
        }
        memcpy(to, format, length);
        to += length;
        format++;
    }
    *to = '\0';
}

/* "--edge-factor" between two marks becomes "edge_factor", and "--output" what write() calls it. */
static void spell_options(char *text)
{
    char *to = text;
    bool marked = false;

    for (const char *s = text; *s != '\0';) {
        if (*s == MARK || *s == MARK_END) {
            marked = *s++ == MARK;
        } else if (marked && is_option(s)) {
            const size_t length = option_length(s);
            const bool output = length == strlen("--output") && strncmp(s, "--output", length) == 0;

            if (output) {
                to = stpcpy(to, "path"); /* which is shorter */
            }
            for (size_t i = 2; i < length && !output; i++) {
                *to++ = (char)(s[i] == '-' ? '_' : s[i]);
            }
            s += length;
        } else {
            *to++ = *s++;
        }
    }
    *to = '\0';
}

void message_spell_arguments(void)
{
    spells_arguments = true;
}

void message_format(char *text, size_t size, const char *format, va_list args)
{
    char marked[MESSAGE_TEXT];

    mark_options(marked, format);
    vsnprintf(text, size, marked, args);
    if (spells_arguments) {
        spell_options(text);
    }
}

static void format_line(char text[MESSAGE_TEXT], const char *format, va_list args)
{
    message_format(text, MESSAGE_TEXT, format, args);
    clean_text(text);
}

static void print_line(const char *command, const char *text)
{
    fprintf(stderr, "%s%s%s: %s\n", program, *command ? " " : "", command, text);
}

static void print_or_capture(const char *command, const char *format, va_list args)
{
    char text[MESSAGE_TEXT];

    format_line(captured != NULL ? captured : text, format, args);
    if (captured == NULL) {
        print_line(command, text);
    }
}

int usage_error(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_or_capture(command, format, args);
    va_end(args);
    return EXIT_USAGE;
}

int runtime_error(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_or_capture(command, format, args);
    va_end(args);
    return EXIT_RUNTIME;
}

void message_program(const char *name)
{
    program = name;
}

void message_capture(char *text)
{
    captured = text;
}

void message_print(const char *command, const char *format, ...)
{
    char text[MESSAGE_TEXT];
    va_list args;

    va_start(args, format);
    format_line(text, format, args);
    va_end(args);
    print_line(command, text);
}

int finish_stdout(const char *command)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    int error;

    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return EXIT_OK;
    }
    error = errno;
    /* What was reported is not reported again by the next call, nor at the end of the program. */
    clearerr(stdout);
    __fpurge(stdout);
    if (error == EPIPE || (error == 0 && poll(&out, 1, 0) > 0 && (out.revents & POLLERR))) {
        return EXIT_OK;
    }
    /* program_begin() puts a file there that cannot be written. */
    message_print(command, "standard output: %s",
                  flags < 0 || (flags & O_ACCMODE) == O_RDONLY ? "it is closed"
                  : error != 0                                 ? strerror(error)
                                                               : "a write failed");
    return EXIT_RUNTIME;
}
