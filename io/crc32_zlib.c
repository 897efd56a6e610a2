/* crc32_zlib.c - in place of crc32_isal.c, for a build without ISA-L. */
#include "io/private.h"

#include <zlib.h>

uint32_t edgefile_crc32(uint32_t crc, const void *data, size_t bytes)
{
    return (uint32_t)crc32_z(crc, data, bytes);
}
