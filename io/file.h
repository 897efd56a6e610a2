/*
 * file.h - a file under construction.  Private.
 *
 * The file is called NAME.partial until it is complete.  It may also be standard output, where
 * offsets must be written in order.
 */
#ifndef IO_FILE_H
#define IO_FILE_H

#include "io/group.h"
#include "io/small_file.h"

#include <stdatomic.h>

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
    _Atomic uint64_t end; /* one more than the highest byte written */
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

/* file/rename.c, on process 0: renames a complete file.  second: as in publish. */
int io_file_rename(const io_file *f, const io_file *second);

/* file/partial.c: the steps of NAME.partial.
 *
 * names: *full is the path that NAME stands for, absolute on request; *partial is the path of the
 *   partial file.  The caller frees both, even after an error.
 * lock: creates the file if there is none, and locks it.
 * remove: removes the file if it is the locked one. */
int io_partial_names(const char *name, bool absolute, bool replace, char **full, char **partial);
int io_partial_lock(const char *partial, int *fd);
void io_partial_remove(const char *partial, int locked);
/* room: checks that the file system has room for this many bytes.  fits: checks that this
 * file can be this long, and makes it so long, as a hole. */
int io_partial_room(const io_file *f, uint64_t bytes);
int io_partial_fits(const io_file *f, uint64_t bytes);
/* Remembers a partial file for edgefile_abandon(), until its descriptor is about to be closed. */
int io_held_add(int fd, const char *partial);
void io_held_drop(int fd);

/* file/filesystem.c: the properties of a file system that writers depend on. */
enum {
    IO_FS_CACHES = 1, /* each host caches pages, so two hosts may not write parts of one page */
    IO_FS_MEMORY = 2  /* files lie in memory: do not reserve space */
};
unsigned io_filesystem_traits(const char *path);
/* Allocates space for later writes. 0 or an errno; EOPNOTSUPP if the file system cannot or should
 * not. */
int io_set_aside(int fd, uint64_t offset, uint64_t bytes);

#endif
