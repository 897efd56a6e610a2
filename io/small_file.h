/*
 * io/small_file.h - a small file (a report, a table, a picture) that appears complete, or not at
 * all.
 *
 * It is published as files of edges are: NAME.partial is created in the same folder, locked against
 * other writers, written, synced and renamed.  If NAME is a symbolic link, its target is replaced
 * and the link stays.  One thread at a time may use an object; different objects are independent of
 * each other.  Functions return an edgefile_status, and edgefile_detail() says more.
 *
 * edgefile_could_create() checks for files of any kind whether they could be made, without making
 * one.  edgefile_get() reads a part of a file.
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
 * Creates NAME.partial.  EDGEFILE_ERR_EXISTS: the file exists and `replace` is false.
 * EDGEFILE_ERR_OPEN: it exists and is not a regular file, or NAME.partial cannot be created, or
 * belongs to another writer.  The new file gets the permission bits of the one that it replaces.
 * After an error *file is NULL; otherwise the caller closes it.
 */
int edgefile_small_create(edgefile_small **file, const char *name, bool replace);

/* Writes the whole contents, once, and publishes them. */
int edgefile_small_publish(edgefile_small *file, const void *data, size_t bytes);

/* Frees the object, and removes NAME.partial if it was not published.  NULL is allowed. */
void edgefile_small_close(edgefile_small *file);

/* Checks whether a file of this many bytes could be made under this name, and optionally whether
 * the name is an absolute path to other processes.  It leaves and changes nothing.  Errors and
 * their texts are those of graphfile_create() and edgefile_small_create(). */
int edgefile_could_create(const char *name, bool absolute, bool replace, uint64_t bytes);

/* Reads `bytes` bytes of the open file from `offset` on, or those up to its end.  It continues
 * after partial and interrupted reads.  Returns the number of bytes: fewer at the end of the file,
 * with errno 0, and after an error, with errno set.  Any number of threads may call it. */
uint64_t edgefile_get(int fd, uint64_t offset, uint64_t bytes, void *to);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
