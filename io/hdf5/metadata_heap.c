/*
 * metadata_heap.c - the global heap of a master, which holds what its virtual datasets are made of.
 *
 * HDF5 sums up each object in it, but not what is around them: a header of 16 bytes, one such
 * before each object, fill to multiples of 8 bytes, and the rest as an object 0 of zeros.  There is
 * one right value for each of these.
 */
#include "io/hdf5/metadata_walk.h"
#include "io/private.h"

#include <string.h>

static int is_zero(const unsigned char *data, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        if (data[i] != 0) {
            return 0;
        }
    }
    return 1;
}

/* Objects 1, 2, ... of no references each. */
int metadata_heap_check(const metadata_walk *w, uint64_t start, const unsigned char *data,
                        uint64_t bytes)
{
    static const unsigned char before[8] = {'G', 'C', 'O', 'L', 1};
    uint64_t at = 16, object = 0;

    if (bytes < at || memcmp(data, before, sizeof before) != 0) {
        return metadata_damaged(w, "a heap", start);
    }
    while (bytes - at >= 16) {
        uint64_t index = metadata_number(data + at, 2), length = metadata_number(data + at + 8, 8);
        uint64_t padded = length + (8 - length % 8) % 8;
        if (index == 0) { /* the rest; its length counts these 16 bytes too */
            return length == bytes - at && is_zero(data + at, 8) &&
                           is_zero(data + at + 16, length - 16)
                       ? EDGEFILE_OK
                       : metadata_damaged(w, "a heap", start + at);
        }
        if (index != ++object || !is_zero(data + at + 2, 6) || length > bytes - at - 16 ||
            padded > bytes - at - 16 || !metadata_sum_ok(data + at + 16, length) ||
            !is_zero(data + at + 16 + length, padded - length)) {
            return metadata_damaged(w, "a heap", start + at);
        }
        at += 16 + padded;
    }
    return is_zero(data + at, bytes - at) ? EDGEFILE_OK : metadata_damaged(w, "a heap", start + at);
}
