/* Files without a name, which are gone when they are closed; standard input or a pipe as such a
 * file. */
#ifndef APPS_ENGINE_SOURCE_SPOOL_H
#define APPS_ENGINE_SOURCE_SPOOL_H

#include "apps/engine/engine.h"

#include <stdbool.h>
#include <stddef.h>

/* Where they lie: the folder itself, or for NULL TMPDIR, or /tmp. */
const char *spool_folder(const char *folder);

/* A new one in that folder; what: it is a copy of this, for messages.  Returns an engine_status. */
int spool_create(int *fd, const char *folder, const char *what);

bool spool_write(int fd, const void *data, size_t bytes); /* false: errno says why not */

/* *fd: standard input itself where it is a file at its beginning, else a copy in that folder.
 * Returns an engine_status. */
int spool_stdin(int *fd, const char *folder, const engine_watch *watch);

/* Has the name a pipe or a terminal: <(zcat x.gz), /dev/stdin?  *fd: a copy of all it brings. */
bool spool_is_pipe(const char *name);
int spool_pipe(int *fd, const char *name, const char *folder, const engine_watch *watch);

#endif
