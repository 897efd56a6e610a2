/* status.h - errors of io/: a status and its text.  Private. */
#ifndef IO_STATUS_H
#define IO_STATUS_H

#include "io/edgefile.h"

#include <stdbool.h>

/* status.c: keeps the message for edgefile_detail() and returns status. %m is the text of errno. */
int edgefile_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether the last failure of the thread is one that all processes of a group have agreed on. */
extern _Thread_local bool edgefile_is_agreed;
/* Returns EDGEFILE_ERR_NOMEM.  The message begins with the name, unless it is NULL. */
int edgefile_no_memory(const char *name);

/* Returns the status of a failed call from a function that has nothing to clean up. */
#define EDGEFILE_TRY(call)                                                                         \
    do {                                                                                           \
        const int try_status = (call);                                                             \
        if (try_status != EDGEFILE_OK) {                                                           \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)

/* Returns EDGEFILE_ERR_RANGE unless elements [first, first + count) are among `length` elements. */
int edgefile_range_check(const char *name, const char *what, uint64_t first, uint64_t count,
                         uint64_t length);

/* Returns EDGEFILE_ERR_SPACE or EDGEFILE_ERR_NOMEM if errno means that, else `otherwise`. */
int edgefile_errno_status(int otherwise);
/* The kind of file that st_mode describes: "a directory", "a FIFO", ... */
const char *edgefile_kind(unsigned mode);

#endif
