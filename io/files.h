/* files.h - files on their way to their names, and the processes that write them.  Private. */
#ifndef IO_FILES_H
#define IO_FILES_H

#include "io/small_file.h"
#include "io/status.h"

#include <stdbool.h>

/* At most so many bytes per system call or HDF5 call: Linux cuts calls at 2 GiB. */
#define EDGEFILE_MAX_CALL ((uint64_t)1 << 30)

/* write/group.c: collective calls, to be made without the lock of edgefile_hdf5_begin().  agree
 * returns 0 if all processes pass 0, else the status of one that failed, with its message.  Without
 * a group (NULL) agree returns status, broadcast and sum do nothing, and the others may not be
 * called. */
int edgefile_group_check(const edgefile_group *group);
int edgefile_group_agree(const edgefile_group *group, int status);
void edgefile_group_sum(const edgefile_group *group, uint64_t *values, size_t count);
void edgefile_group_broadcast(const edgefile_group *group, void *data, size_t bytes);
/* What all processes have: `mine` of each, by their ranks, to all[group->size]. */
void edgefile_group_gather(const edgefile_group *group, uint64_t mine, uint64_t *all);
/* The sum of `mine` over the lower ranks, and over all.  EDGEFILE_ERR_NOMEM, on all: the message
 * begins with the name. */
int edgefile_group_share(const edgefile_group *group, const char *name, uint64_t mine,
                         uint64_t *before, uint64_t *all);

/* write/partial_file.c: what matters of a file system to those that write to it. */
enum {
    EDGEFILE_FS_CACHES = 1, /* each host caches pages: two hosts may not write parts of one page */
    EDGEFILE_FS_MEMORY = 2  /* no space is to be set aside */
};
unsigned edgefile_filesystem_traits(const char *path);
/* Allocates space for what will be written there.  0 or an errno: EOPNOTSUPP where the file system
 * cannot, or should not. */
int edgefile_set_aside(int fd, uint64_t offset, uint64_t bytes);

/* write/positional.c: writes to a file that is open as fd and, unless direct_fd is -1, a second
 * time with O_DIRECT.  Returns the bytes written; on error fewer than asked for, and errno says
 * why. open_direct returns -1 if the file system refuses O_DIRECT; probe is an offset that may be
 * read. */
uint64_t edgefile_put(int fd, int direct_fd, uint64_t offset, uint64_t bytes, const char *from);
int edgefile_open_direct(const char *path, uint64_t probe);

/* write/partial_file.c: NAME.partial, step by step.  names: *full is the path that NAME stands for,
 * absolute if asked for, *partial that of the partial file; the caller frees both, on error too. */
int edgefile_partial_names(const char *name, bool absolute, bool replace, char **full,
                           char **partial);
int edgefile_partial_lock(const char *partial, int *fd);
void edgefile_partial_remove(const char *partial, int locked); /* if it is the locked one */
/* Does the file system have room for so many bytes?  fits: and can this file, which is empty, be so
 * long?  It then is, as a hole. */
int edgefile_partial_room(int fd, const char *name, uint64_t bytes);
int edgefile_partial_fits(int fd, const char *name, uint64_t bytes);

/* write/partial_file.c: remembers a locked partial file until its descriptor is to be closed. */
int edgefile_held_add(int fd, const char *partial);
void edgefile_held_drop(int fd);

/* write/publish.c, on process 0: gives a complete file its name, in place of what has it if
 * `replace` is set; and a second file of the same graph, unless NULL, its own. */
typedef struct {
    const char *partial; /* NULL: the graph has no second file, and an older one goes */
    const char *name;
} edgefile_second;
int edgefile_publish(const char *partial, const char *name, bool replace,
                     const edgefile_second *second);

/* write/group.c: do the other processes see the files that process 0 made? */
typedef struct {
    char bytes[16];
} edgefile_token;
int edgefile_token_write(const char *path, uint64_t offset, uint64_t most, edgefile_token *token);
int edgefile_token_check(int rank, const char *path, uint64_t offset, uint64_t most,
                         const edgefile_token *token);

#endif
