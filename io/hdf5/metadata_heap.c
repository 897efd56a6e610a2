/*
 * metadata_heap.c - checks the global heap of a master, which holds the mappings of its virtual
 * datasets.
 *
 * HDF5 has a checksum over each object in the heap, but none over what surrounds the objects: a
 * header of 16 bytes, another 16 before each object, padding to multiples of 8 bytes, and the rest
 * as an object 0 of zeros.  There is exactly one correct value for each of these bytes.
 */
#include "io/hdf5/metadata_walk.h"
#include "io/private.h"

#include <string.h>

static bool is_zero(const unsigned char *data, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        if (data[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Objects are numbered 1, 2, ... and have no references. */
int edgefile_metadata_heap_check(const metadata_walk *w, uint64_t start, const unsigned char *data,
                                 uint64_t bytes)
{
    static const unsigned char before[8] = {'G', 'C', 'O', 'L', 1};
    uint64_t at = 16, object = 0;

    if (bytes < at || memcmp(data, before, sizeof before) != 0) {
        return edgefile_metadata_damaged(w, "a heap", start);
    }
    while (bytes - at >= 16) {
        uint64_t index = edgefile_metadata_number(data + at, 2),
                 length = edgefile_metadata_number(data + at + 8, 8);
        uint64_t padded = length + (8 - length % 8) % 8;
        if (index == 0) { /* the rest, whose length includes these 16 bytes */
            return length == bytes - at && is_zero(data + at, 8) &&
                           is_zero(data + at + 16, length - 16)
                       ? EDGEFILE_OK
                       : edgefile_metadata_damaged(w, "a heap", start + at);
        }
        if (index != ++object || !is_zero(data + at + 2, 6) || length > bytes - at - 16 ||
            padded > bytes - at - 16 || !edgefile_metadata_sum_ok(data + at + 16, length) ||
            !is_zero(data + at + 16 + length, padded - length)) {
            return edgefile_metadata_damaged(w, "a heap", start + at);
        }
        at += 16 + padded;
    }
    return is_zero(data + at, bytes - at) ? EDGEFILE_OK
                                          : edgefile_metadata_damaged(w, "a heap", start + at);
}
