/* Small files that are there as a whole, or not at all. */
#ifndef APPS_COMMON_WHOLE_FILE_H
#define APPS_COMMON_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Could it be made?  Exit codes, after a line on stderr where it is not EXIT_OK; likewise below. */
int whole_file_check(const char *command, const char *name, bool replace);

/* By way of NAME.partial, which is removed if something fails.  "-": standard output. */
int whole_file_write(const char *command, const char *name, bool replace, const void *data,
                     size_t bytes);

#endif
