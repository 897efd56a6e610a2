/* zstd.c - pages of a Parquet file compressed by zstd: see zstd.h. */
#include "io/formats/parquet/zstd.h"

#include <zstd.h>

enum { LEVEL = 1 };

size_t parquet_zstd_room(size_t bytes)
{
    return ZSTD_compressBound(bytes);
}

size_t parquet_zstd_encode(void *to, size_t room, const void *from, size_t bytes)
{
    const size_t n = ZSTD_compress(to, room, from, bytes, LEVEL);

    return ZSTD_isError(n) ? 0 : n;
}

bool parquet_zstd_decode(void *to, size_t count, const void *from, size_t bytes)
{
    return ZSTD_decompress(to, count, from, bytes) == count;
}
