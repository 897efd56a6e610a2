/* message.c - output: the bytes of foreign text that may reach a terminal; one-line messages on
 * stderr, which are formatted, cleaned, and printed or kept; the end of standard output; and JSON.
 */
#include "apps/common/message.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

/* Length of the well-formed UTF-8 sequence that a text begins with, or 0. */
static int text_utf8_length(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* of so many bytes */
    const unsigned char *s = (const unsigned char *)text;
    const int n = s[0] < 0x80 ? 1 : s[0] < 0xC0 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    uint32_t point = n > 1 ? s[0] & 0xFFU >> (n + 1) : s[0];

    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
        point = point << 6 | (s[i] & 0x3F);
    }
    /* Neither overlong, nor a surrogate, nor beyond Unicode. */
    return s[0] < 0xF8 && point >= least[n] && point <= 0x10FFFF && point >> 11 != 0x1B ? n : 0;
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
        const int kept = control > 0 ? 1 : length;

        memmove(to, control > 0 ? "?" : s, (size_t)kept);
        to += kept;
        s += length;
    }
    *to = '\0';
    return text;
}

void text_line(FILE *stream, const char *format, ...)
{
    char text[MESSAGE_TEXT];
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

int message_line(int status, const char *command, const char *format, ...)
{
    char text[MESSAGE_TEXT], *to = captured != NULL ? captured : text;
    va_list args;

    va_start(args, format);
    vsnprintf(to, MESSAGE_TEXT, format, args);
    va_end(args);
    clean_text(to);
    if (captured == NULL) {
        fprintf(stderr, "%s%s%s: %s\n", program, *command ? " " : "", command, text);
    }
    return status;
}

void message_program(const char *name)
{
    program = name;
}

void message_capture(char *text)
{
    captured = text;
}

int finish_stdout(const char *command)
{
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
    message_print(command, "standard output: %s", error != 0 ? strerror(error) : "a write failed");
    return EXIT_RUNTIME;
}

/* JSON: members, their separators, and strings as well-formed UTF-8. */

/* Control characters become \u escapes, as do bytes that are no part of UTF-8. */
static void print_json_string(FILE *stream, const char *s)
{
    putc('"', stream);
    while (*s != '\0') {
        const int whole = text_utf8_length(s), n = whole > 0 ? whole : 1;

        if (whole == 0) {
            fputs("\\ufffd", stream);
        } else if (*s == '"' || *s == '\\') {
            fprintf(stream, "\\%c", *s);
        } else if (text_control_length(s) > 0) {
            fprintf(stream, "\\u%04x", (unsigned char)s[n - 1]); /* also of C1, C2 80 to C2 9F */
        } else {
            fwrite(s, 1, (size_t)n, stream);
        }
        s += n;
    }
    putc('"', stream);
}

void facts_begin(json_object *o, FILE *stream, bool json)
{
    *o = (json_object){.stream = stream, .lines = !json};
    fputs(json ? "{" : "", stream);
}

void json_end(json_object *o)
{
    fputs(o->lines ? "" : "}\n", o->stream);
}

static void put_key(json_object *o, const char *key)
{
    if (o->lines) {
        fprintf(o->stream, "%-*s ", key != NULL ? 16 : 0, key != NULL ? key : "");
        return;
    }
    fputs(o->started ? ", " : "", o->stream);
    if (key != NULL) {
        fprintf(o->stream, "\"%s\": ", key);
    }
    o->started = true;
}

void json_value(json_object *o, const char *key, const char *format, ...)
{
    va_list args;

    put_key(o, key);
    va_start(args, format);
    vfprintf(o->stream, format, args);
    va_end(args);
    fputs(o->lines && key != NULL ? "\n" : "", o->stream);
}

void json_string(json_object *o, const char *key, const char *value)
{
    if (o->lines && key != NULL) {
        text_line(o->stream, "%-16s %s", key, value);
    } else if (o->lines || value == NULL) {
        json_value(o, key, "%s", value != NULL ? value : "null");
    } else {
        put_key(o, key);
        print_json_string(o->stream, value);
    }
}

void json_f64(json_object *o, const char *key, double value)
{
    char text[NUMBER_TEXT];

    json_value(o, key, "%s", o->lines || isfinite(value) ? format_double(text, value) : "null");
}

void json_hex(json_object *o, const char *key, uint64_t value)
{
    json_value(o, key, o->lines ? "0x%016" PRIx64 : "\"0x%016" PRIx64 "\"", value);
}

void json_object_begin(json_object *o, json_object *outer, const char *key)
{
    put_key(outer, key);
    json_begin(o, outer->stream);
}

void json_object_end(json_object *o)
{
    putc('}', o->stream);
}

void json_array_begin(json_object *o, json_object *outer, const char *key)
{
    *o = (json_object){.stream = outer->stream, .lines = outer->lines};
    if (o->lines) {
        fprintf(o->stream, "%-*s", key != NULL ? 16 : 1, key != NULL ? key : "");
    } else {
        put_key(outer, key);
        putc('[', o->stream);
    }
}

void json_array_end(json_object *o)
{
    putc(o->lines ? '\n' : ']', o->stream);
}

void json_u64_list(json_object *o, const char *key, const uint64_t *values, uint64_t n)
{
    json_object list;

    json_array_begin(&list, o, key);
    for (uint64_t i = 0; i < n; i++) {
        json_u64(&list, NULL, values[i]);
    }
    json_array_end(&list);
}
