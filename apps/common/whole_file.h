/*
 * A small output of a command (report, table, picture) that becomes a file only as a whole.
 *
 * The command prints to `stream`, which is memory.  When whole_file_close() is told that all went
 * well, what was printed becomes the file, or goes to standard output if the name is "-".  Until
 * then there is an empty NAME.partial.  For one thread.
 */
#ifndef APPS_COMMON_WHOLE_FILE_H
#define APPS_COMMON_WHOLE_FILE_H

#include "io/small_file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct {
    FILE *stream; /* NULL: there is no such output, as its name is NULL */
    const char *command, *option;
    edgefile_small *file; /* NULL: standard output */
    char *text;
    size_t bytes;
} whole_file;

/* Is `name` the file that is read, `input`?  Either may not be there. */
bool whole_file_is_input(const char *name, const char *input);

/*
 * Called before the command's work, so that a name that cannot be written costs no time.  `option`
 * is the one that gives the name, without dashes, for messages.  `input` is the name of the file
 * that the command reads (NULL: none), which the output must not replace; an existing file is
 * replaced if `force` is set, and only if it is a regular one.  Returns an exit code, after a line
 * on stderr where it is not EXIT_OK; then there is nothing to be closed.
 */
int whole_file_open(whole_file *f, const char *command, const char *option, const char *name,
                    bool force, const char *input);

/* Publish the file if `status` is EXIT_OK, else remove what there is.  Returns `status`, or
 * EXIT_RUNTIME after a line on stderr where publishing failed. */
int whole_file_close(whole_file *f, int status);

#endif
