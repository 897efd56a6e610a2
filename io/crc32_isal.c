/* crc32_isal.c - the checksum of zlib's crc32(), by ISA-L, which is about three times as fast. */
#include "io/private.h"

#include <isa-l/crc.h>

uint32_t edgefile_crc32(uint32_t crc, const void *data, size_t bytes)
{
    return crc32_gzip_refl(crc, data, bytes);
}
