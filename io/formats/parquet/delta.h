/*
 * delta.h - Parquet's encoding DELTA_BINARY_PACKED.  Private.
 *
 * Blocks of 128 differences between neighbouring values: the least of them, then for each 32 of
 * them, a miniblock, how many bits the largest excess over the least needs, then the excesses in so
 * many bits each.  Sorted edges take few: sources hardly change, destinations rise within a row.
 */
#ifndef IO_FORMATS_PARQUET_DELTA_H
#define IO_FORMATS_PARQUET_DELTA_H

#include <stddef.h>
#include <stdint.h>

/* The most bytes that so many values of so many bytes can take. */
size_t parquet_delta_room(size_t count, size_t value_bytes);

/* Encodes values, int32 or int64 by their bits.  Returns the number of bytes. */
size_t parquet_delta32(uint8_t *to, const uint32_t *values, size_t count);
size_t parquet_delta64(uint8_t *to, const uint64_t *values, size_t count);

#endif
