/*
 * zstd.h - pages of a Parquet file compressed by zstd.  Private.
 *
 * Other versions of libzstd may write other bytes of the same content.
 */
#ifndef IO_FORMATS_PARQUET_ZSTD_H
#define IO_FORMATS_PARQUET_ZSTD_H

#include <stdbool.h>
#include <stddef.h>

/* The most bytes that so many take when they are compressed. */
size_t parquet_zstd_room(size_t bytes);

/* Returns the bytes that `to` takes, or 0: memory is exhausted. */
size_t parquet_zstd_encode(void *to, size_t room, const void *from, size_t bytes);

/* Decodes what may be anything.  False: it is not exactly `count` bytes, or memory is exhausted. */
bool parquet_zstd_decode(void *to, size_t count, const void *from, size_t bytes);

#endif
