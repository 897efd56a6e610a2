/* One-line messages on stderr: they are formatted, cleaned, and printed or kept. */
#include "apps/common/message.h"
#include "apps/common/text.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

static const char *program = "rmat";
static const char *only; /* the command that every line names, or NULL */
static bool keeping;
static char kept[MESSAGE_TEXT];

static void format_line(char text[MESSAGE_TEXT], const char *format, va_list args)
{
    vsnprintf(text, MESSAGE_TEXT, format, args);
    text_clean(text);
}

static void print_line(const char *command, const char *text)
{
    command = only != NULL ? only : command;
    fprintf(stderr, "%s%s%s: %s\n", program, *command ? " " : "", command, text);
}

static void print_or_keep(const char *command, const char *format, va_list args)
{
    char text[MESSAGE_TEXT];

    if (keeping) {
        format_line(kept, format, args);
        return;
    }
    format_line(text, format, args);
    print_line(command, text);
}

int usage_error(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_or_keep(command, format, args);
    va_end(args);
    return EXIT_USAGE;
}

int runtime_error(const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print_or_keep(command, format, args);
    va_end(args);
    return EXIT_RUNTIME;
}

void message_program(const char *name)
{
    program = name;
}

void message_command(const char *name)
{
    only = name;
}

void message_keep(void)
{
    keeping = true;
}

void message_take(char text[MESSAGE_TEXT])
{
    memcpy(text, kept, sizeof kept);
    kept[0] = '\0';
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

/* errno, as fflush() left it, or 0 if an earlier write failed. */
static const char *write_error(int error)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
        return "it is closed"; /* program_begin() put a file there that cannot be written */
    }
    return error != 0 ? strerror(error) : "a write failed";
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
    message_print(command, "standard output: %s", write_error(error));
    return EXIT_RUNTIME;
}
