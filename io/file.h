/*
 * file.h - a file on its way to its name.  Private.
 *
 * It is called NAME.partial until it is complete; or it is standard output, to which offsets must
 * be written in order.
 */
#ifndef IO_FILE_H
#define IO_FILE_H

#include "io/group.h"
#include "io/small_file.h"

#include <stdatomic.h>

/* At most so many bytes per system call: Linux cuts calls at 2 GiB. */
#define IO_MAX_CALL ((uint64_t)1 << 30)

typedef struct {
    const edgefile_group *group; /* or NULL */
    bool attached;        /* another process has created the file, and will publish or remove it */
    bool replace;         /* an older file of the name */
    char *name, *partial; /* NULL: standard output */
    int fd;               /* writes through the page cache, and holds the lock; -1: closed */
    int direct_fd;        /* O_DIRECT, for whole pages; -1: not in use */
    uint64_t reserved;    /* bytes of disk space that the file has from its beginning */
    _Atomic uint64_t end; /* one more than the highest byte written */
    _Atomic bool cancelled; /* a write that waits for the reader of a pipe is to fail */
} io_file;

/*
 * file/file.c.  Any threads may write different ranges at once.  With a group, create, absent,
 * sync and publish are collective.
 *
 * create: makes and locks NAME.partial, or opens standard output for "-".  buffered: all writes
 * pass the page cache, even where the file system has O_DIRECT.
 * absent: in place of create, where a graph has no file of this name, and an older one is to go
 * when the graph gets its name.  It fails if such a file is there and may not go. reserve:
 * allocates disk space from the beginning, if the file system can do that. reopen: on a process
 * other than 0, makes the file's new contents known to this host. publish: syncs the file and gives
 * it its name.  second: NULL, or another file of the same graph. close: removes what was not
 * published.  It may be called twice, and for a file of zeros with descriptors of -1.
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

/* file/rename.c, on process 0: gives a complete file its name.  second: as of publish. */
int io_file_rename(const io_file *f, const io_file *second);

/* file/partial.c: NAME.partial, step by step.  names: *full is the path that NAME stands for,
 * absolute if asked for, *partial that of the partial file; the caller frees both, on error too.
 * lock: creates the file if there is none, and locks it.  remove: if it is the locked one.  */
int io_partial_names(const char *name, bool absolute, bool replace, char **full, char **partial);
int io_partial_lock(const char *partial, int *fd);
void io_partial_remove(const char *partial, int locked);
/* room: has the file system room for so many bytes?  fits: and can this file, which is empty, be so
 * long?  It then is, as a hole. */
int io_partial_room(const io_file *f, uint64_t bytes);
int io_partial_fits(const io_file *f, uint64_t bytes);
/* Remembers a partial file for edgefile_abandon() until its descriptor is to be closed. */
int io_held_add(int fd, const char *partial);
void io_held_drop(int fd);

/* file/filesystem.c: what matters of a file system to those that write to it. */
enum {
    IO_FS_CACHES = 1, /* each host caches pages: two hosts may not write parts of one page */
    IO_FS_MEMORY = 2  /* no space is to be set aside */
};
unsigned io_filesystem_traits(const char *path);
/* Allocates space for what will be written there.  0 or an errno: EOPNOTSUPP where the file system
 * cannot, or should not. */
int io_set_aside(int fd, uint64_t offset, uint64_t bytes);

#endif
