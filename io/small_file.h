/*
 * io/small_file.h - a small file (a report, a table, a picture) that appears under its name
 * complete, or not at all.
 *
 * The same code as for files of edges publishes it: NAME.partial is created beside the file, locked
 * against other writers, written, synced and renamed.  Where NAME is a symbolic link, its target is
 * replaced and the link stays.  One thread at a time may use an object; different objects are
 * independent of each other.  Functions return an edgefile_status, and edgefile_detail() says more.
 *
 * edgefile_could_create() tells of files of any kind whether they can be made, without making one,
 * and edgefile_get() reads a part of one.
 */
#ifndef IO_SMALL_FILE_H
#define IO_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct edgefile_small edgefile_small;

/*
 * Create NAME.partial.  EDGEFILE_ERR_EXISTS: the file exists and `replace` is false.
 * EDGEFILE_ERR_OPEN: it exists and is not a regular file, or NAME.partial cannot be created, or
 * belongs to another writer.  A file that is replaced passes its permission bits on.  *file is NULL
 * after an error; otherwise the caller closes it.
 */
int edgefile_small_create(edgefile_small **file, const char *name, bool replace);

/* Write the whole contents, once, and publish them. */
int edgefile_small_publish(edgefile_small *file, const void *data, size_t bytes);

/* Free the object, and remove NAME.partial if it was not published.  NULL is allowed. */
void edgefile_small_close(edgefile_small *file);

/*
 * Could a file of so many bytes be made under this name, and be an absolute path to other
 * processes, if it is to be?  Nothing is left there or changed.  Errors, and their texts, are those
 * of graphfile_create() and edgefile_small_create().
 */
int edgefile_could_create(const char *name, bool absolute, bool replace, uint64_t bytes);

/*
 * Read what the open file has of the bytes from `offset` on, also where the system reads less at a
 * time or is interrupted.  Returns how many: fewer at the end of the file, and after an error;
 * errno is 0 or says why.  Any number of threads may call it.
 */
uint64_t edgefile_get(int fd, uint64_t offset, uint64_t bytes, void *to);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
