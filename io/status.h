/* status.h - errors of io/: a status, and the text that goes with it.  Private. */
#ifndef IO_STATUS_H
#define IO_STATUS_H

#include "io/edgefile.h"

/* status.c: keeps the message for edgefile_detail() and returns status.  %m stands for errno's
 * text.
 */
int edgefile_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* EDGEFILE_ERR_NOMEM with a message that begins with the name, or NULL: nothing. */
int edgefile_no_memory(const char *name);

/* Leaves a function that has nothing to clean up with the status of a call that failed. */
#define EDGEFILE_TRY(call)                                                                         \
    do {                                                                                           \
        const int try_status = (call);                                                             \
        if (try_status != EDGEFILE_OK) {                                                           \
            return try_status;                                                                     \
        }                                                                                          \
    } while (0)

/* EDGEFILE_ERR_RANGE unless elements [first, first + count) are among `length` of them. */
int edgefile_range_check(const char *name, const char *what, uint64_t first, uint64_t count,
                         uint64_t length);

/* EDGEFILE_ERR_SPACE or EDGEFILE_ERR_NOMEM if errno means that, else `otherwise`. */
int edgefile_errno_status(int otherwise);
/* What st_mode says that a file is: "a directory", "a FIFO", ... */
const char *edgefile_kind(unsigned mode);

#endif
