/*
 * Rows of option tables that several commands share, so that an option has the same name, limits
 * and default everywhere.  Each macro is the initializer of one `option`:
 *
 *     static const option table[] = {
 *         [THREADS] = OPTION_ROW_THREADS(values, threads, "Running", "threads that read FILE"),
 *
 * type and member: the struct of values and its member, of the C type that the macro names.
 * heading: the option's group in the help.
 * text: what the option does for this command.
 */
#ifndef APPS_COMMON_OPTION_ROWS_H
#define APPS_COMMON_OPTION_ROWS_H

#include "apps/common/devices.h"
#include "apps/common/options.h"

enum { OPTION_MAX_THREADS = CPU_MAX_THREADS, OPTION_MAX_DEVICE = 1023 };

#define OPTION_MIN_MEMORY     ((uint64_t)1 << 16)
#define OPTION_MAX_MEMORY     ((uint64_t)1 << 50)
#define OPTION_ALLOWED_MEMORY "64Ki to 1024Ti"

/* "auto", "cpu", "gpu", in the order of rmat_backend and alias_backend; ends with NULL. */
extern const char *const option_backends[];

/* An int: an rmat_stream. */
#define OPTION_ROW_STREAM(type, member, heading, text)                                             \
    {                                                                                              \
        .name = "stream", .kind = OPTION_CHOICE, .argument = "NAME",                               \
        .offset = offsetof(type, member), .choices = option_streams,                               \
        .allowed = "rmat, rows, graph500, gapbs", .fallback = "rmat", .group = heading,            \
        .help = text                                                                               \
    }
extern const char *const option_streams[]; /* in the order of rmat_stream; ends with NULL */

/* uint64_t; 0 means one thread for each processor that the process may use. */
#define OPTION_ROW_THREADS(type, member, heading, text)                                            \
    {                                                                                              \
        .name = "threads", .kind = OPTION_COUNT, .argument = "N",                                  \
        .offset = offsetof(type, member), .max = OPTION_MAX_THREADS, .fallback = "0",              \
        .group = heading, .help = text "; 0: one per processor that the process may use"           \
    }

/* uint64_t, bytes; standard: the default as the help says it. */
#define OPTION_ROW_MEMORY(type, member, heading, standard, text)                                   \
    {                                                                                              \
        .name = "memory", .kind = OPTION_COUNT, .argument = "BYTES",                               \
        .offset = offsetof(type, member), .min = OPTION_MIN_MEMORY, .max = OPTION_MAX_MEMORY,      \
        .allowed = OPTION_ALLOWED_MEMORY, .fallback = standard, .group = heading, .help = text     \
    }

/* uint64_t. */
#define OPTION_ROW_BASE(type, member, heading)                                                     \
    {                                                                                              \
        .name = "base", .kind = OPTION_COUNT, .argument = "N", .offset = offsetof(type, member),   \
        .max = 1, .allowed = "0, 1", .fallback = "0", .group = heading,                            \
        .help = "number of the first vertex in el, wel, tsv and csv"                               \
    }

/* int: a position in option_backends. */
#define OPTION_ROW_BACKEND(type, member, heading, text)                                            \
    {                                                                                              \
        .name = "backend", .kind = OPTION_CHOICE, .argument = "NAME",                              \
        .offset = offsetof(type, member), .choices = option_backends, .fallback = "auto",          \
        .group = heading, .help = text                                                             \
    }

/* uint64_t; standard: the default as the help says it, or NULL. */
#define OPTION_ROW_DEVICE(type, member, heading, standard, text)                                   \
    {                                                                                              \
        .name = "device", .kind = OPTION_COUNT, .argument = "N", .offset = offsetof(type, member), \
        .max = OPTION_MAX_DEVICE, .fallback = standard, .group = heading, .help = text             \
    }

/* The flags; bool.  The help comes last, other members may follow it. */
#define OPTION_ROW_FLAG(type, member, heading, word, short_form, ...)                              \
    {                                                                                              \
        .name = word, .letter = short_form, .kind = OPTION_FLAG, .offset = offsetof(type, member), \
        .group = heading, .help = __VA_ARGS__                                                      \
    }
#define OPTION_ROW_FORCE(type, member, heading, text)                                              \
    OPTION_ROW_FLAG(type, member, heading, "force", 0, text)
#define OPTION_ROW_JSON(type, member, heading, text)                                               \
    OPTION_ROW_FLAG(type, member, heading, "json", 0, text, .scope = OPTION_OF_COMMAND)
#define OPTION_ROW_QUIET(type, member, heading, text)                                              \
    OPTION_ROW_FLAG(type, member, heading, "quiet", 'q', text, .scope = OPTION_OF_COMMAND)
#define OPTION_ROW_HELP(type, member, heading)                                                     \
    OPTION_ROW_FLAG(type, member, heading, "help", 'h', "print this text")
/* For a command line with a list of common options. */
#define OPTION_ROW_LONG_HELP(type, member, heading)                                                \
    OPTION_ROW_FLAG(type, member, heading, "help", 'h',                                            \
                    "print all options; with -h only the most common ones",                        \
                    .scope = OPTION_OF_COMMAND)

#endif
