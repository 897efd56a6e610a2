/*
 * codec.h - pages of a Parquet file, compressed.  Private.
 *
 * Other versions of libzstd may write other bytes of the same content.
 */
#ifndef IO_FORMATS_PARQUET_CODEC_H
#define IO_FORMATS_PARQUET_CODEC_H

#include <stdbool.h>
#include <stddef.h>

/* The most bytes that so many take when they are compressed by zstd. */
size_t parquet_zstd_room(size_t bytes);

/* Returns the bytes that `to` takes, or 0: memory is exhausted. */
size_t parquet_zstd_encode(void *to, size_t room, const void *from, size_t bytes);

/* Can this build decode the codec, by Parquet's number?  Its name, also of those that it cannot. */
bool parquet_codec_is_known(int codec);
const char *parquet_codec_name(int codec);

#endif
