/* Files that gzip or zstd has compressed. */
#ifndef APPS_ENGINE_SOURCE_DECOMPRESS_H
#define APPS_ENGINE_SOURCE_DECOMPRESS_H

#include "apps/engine/engine.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum { COMPRESSION_NONE, COMPRESSION_GZIP, COMPRESSION_ZSTD } compression;

/* What the end of a file's name says: .gz or .zst.  *length (may be NULL): that of the name without
 * it. */
compression compression_of_name(const char *name, size_t *length);

/* What the first bytes of an open file say. */
compression compression_of_content(int fd);

/*
 * Writes what the file `from` holds to the file `to`, which lies in `folder`.  Several members of
 * gzip, or frames of zstd, one behind the other are one text.  name: of `from`, for messages.
 * Returns an engine_status; the file is damaged, or ends too early: ENGINE_ERR_RUN.
 */
int decompress(int to, const char *folder, int from, const char *name, compression kind,
               const engine_watch *watch);

#endif
