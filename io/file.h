/*
 * file.h - errors of io/, the processes that write one graph together, and a file under
 * construction.  Private.
 */
#ifndef IO_FILE_H
#define IO_FILE_H

#include "io/edgefile.h"

#include <stdatomic.h>
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

/* a + b * c, or UINT64_MAX if that is more. */
static inline uint64_t edgefile_sum(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x;

    return __builtin_mul_overflow(b, c, &x) || __builtin_add_overflow(a, x, &x) ? UINT64_MAX : x;
}

/* Returns EDGEFILE_ERR_RANGE unless elements [first, first + count) are among `length` elements. */
int edgefile_range_check(const char *name, const char *what, uint64_t first, uint64_t count,
                         uint64_t length);

/* Returns EDGEFILE_ERR_SPACE or EDGEFILE_ERR_NOMEM if errno means that, else `otherwise`. */
int edgefile_errno_status(int otherwise);
/* The kind of file that st_mode describes: "a directory", "a FIFO", ... */
const char *edgefile_kind(unsigned mode);

/*
 * status.c: collective calls of the processes that write one graph together.
 *
 * A caller does not hold the lock of edgefile_hdf5_begin(). Without a group (NULL) agree returns
 * its status, broadcast and sum do nothing, and gather may not be called.
 */

int edgefile_group_check(const edgefile_group *group);

/* Returns 0 if all processes pass 0, else the status of one that failed, with its message.  A
 * failure that all processes have agreed on before is returned as it is. */
int edgefile_group_agree(const edgefile_group *group, int status);

void edgefile_group_sum(const edgefile_group *group, uint64_t *values, size_t count);
void edgefile_group_broadcast(const edgefile_group *group, void *data, size_t bytes);

/* Sends `mine` of each process to (*all)[group->size], in the order of ranks.  The caller frees
 * *all.  EDGEFILE_ERR_NOMEM on all processes: the message begins with the name. */
int edgefile_group_gather(const edgefile_group *group, const char *name, uint64_t mine,
                          uint64_t **all);

/* Whether this is process 0, or the only one. */
static inline bool edgefile_group_leads(const edgefile_group *group)
{
    return group == NULL || group->rank == 0;
}

/*
 * A file under construction.  It is called NAME.partial until it is complete.  It may also be
 * standard output, where offsets must be written in order.
 */

/* The most bytes per system call: Linux cuts calls at 2 GiB. */
#define IO_MAX_CALL ((uint64_t)1 << 30)

typedef struct {
    const edgefile_group *group; /* or NULL */
    bool attached;        /* another process has created the file, and will publish or remove it */
    bool replace;         /* commit may replace an older file of this name */
    char *name, *partial; /* both NULL: standard output */
    int fd;               /* writes through the page cache, and holds the lock; -1: closed */
    int direct_fd;        /* O_DIRECT, for whole pages; -1: not in use */
    uint64_t reserved;    /* bytes of disk space reserved from the beginning of the file */
    _Atomic uint64_t end; /* one more than the highest byte written, by HDF5 too */
    _Atomic bool cancelled; /* a write that waits for the reader of a pipe must fail */
} io_file;

/*
 * file/file.c. Any threads may write different ranges at the same time.  With a group, create,
 * absent, sync and publish are collective.
 *
 * create: makes and locks NAME.partial, or opens standard output for "-". buffered: all writes pass
 *   the page cache, even where the file system has O_DIRECT.
 * absent: replaces create for a graph that has no file of this name.  publish then removes an older
 *   file of that name.  absent fails if that file exists and may not be replaced.
 * reserve: allocates disk space from the beginning, if the file system can.
 * reopen: on a process other than 0, makes the file's new contents visible to this host.
 * publish: syncs the file and renames it.  second: NULL, or another file of the same graph.
 * close: removes a file that was not published.  It may be called twice, and for a file of zeros
 *   with descriptors of -1.
 */
int io_file_create(io_file *f, const char *name, bool replace, bool buffered,
                   const edgefile_group *group);
int io_file_absent(io_file *f, const char *name, bool replace, const edgefile_group *group);
int io_file_reserve(io_file *f, uint64_t bytes);
int io_file_reopen(io_file *f);
int io_file_write(io_file *f, uint64_t offset, const void *data, size_t bytes);
int io_file_sync(const io_file *f);
int io_file_publish(io_file *f, io_file *second);
void io_file_close(io_file *f);

/*
 * file/partial.c: the steps of NAME.partial.
 *
 * names: *full is the path that NAME stands for, absolute on request; *partial is the path of the
 *   partial file.  The caller frees both, even after an error.
 * lock: creates the file if there is none, and locks it.  created may be NULL.
 * remove: removes the file if it is the locked one.
 * room: checks that the file system has room for this many bytes.
 * fits: checks that this file can be this long, and makes it so long, as a hole.
 * rename: on process 0, renames a complete file.  second: as in publish.
 */
int io_partial_names(const char *name, bool absolute, bool replace, char **full, char **partial);
int io_partial_lock(const char *partial, int *fd, bool *created);
void io_partial_remove(const char *partial, int locked);
int io_partial_room(const io_file *f, uint64_t bytes);
int io_partial_fits(const io_file *f, uint64_t bytes);
int io_partial_rename(const io_file *f, const io_file *second);
/* Remembers a partial file for edgefile_abandon(), until its descriptor is about to be closed. */
int io_held_add(int fd, const char *partial);
void io_held_drop(int fd);

/* file/file.c: whether each host caches pages of the file system of a path, so that two hosts may
 * not write parts of one page. */
bool io_caches_pages(const char *path);

#endif
