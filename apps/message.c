#include "apps/message.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void print_line(const char *command, const char *format, va_list args)
{
    char text[8192];

    vsnprintf(text, sizeof text, format, args);
    for (char *s = text; *s != '\0'; s++) {
        if ((unsigned char)*s < 32 || *s == 127) {
            *s = '?';
        }
    }
    fprintf(stderr, "rmat%s%s: %s\n", *command ? " " : "", command, text);
}

int usage_error(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line(command, format, args);
    va_end(args);
    return EXIT_USAGE;
}

int runtime_error(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_line(command, format, args);
    va_end(args);
    return EXIT_RUNTIME;
}

int finish_stdout(const char *command)
{
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && errno != EPIPE) {
        return runtime_error(command, "standard output: %s",
                             errno ? strerror(errno) : "a write failed");
    }
    return EXIT_OK;
}
