/*
 * metadata_checksum.c - the checksum of HDF5's metadata: Bob Jenkins' lookup3 (2006, public domain)
 * over bytes, as the appendix "Checksum" of HDF5's file format specification names it.
 */
#include "io/private.h"

#include <string.h>

static uint32_t word(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static void mix(uint32_t s[3])
{
    static const int by[6] = {4, 6, 8, 16, 19, 4};

    for (int i = 0; i < 6; i++) {
        uint32_t *x = &s[i % 3], *y = &s[(i + 1) % 3], *z = &s[(i + 2) % 3];
        *x = (*x - *z) ^ rotate(*z, by[i]);
        *z += *y;
    }
}

static void finish(uint32_t s[3])
{
    static const int by[7] = {14, 11, 25, 16, 4, 14, 24};

    for (int i = 0; i < 7; i++) {
        uint32_t *x = &s[(i + 2) % 3], *y = &s[(i + 1) % 3];
        *x = (*x ^ *y) - rotate(*y, by[i]);
    }
}

uint32_t edgefile_metadata_checksum(const unsigned char *data, size_t bytes)
{
    unsigned char last[12] = {0};
    uint32_t start = 0xdeadbeef + (uint32_t)bytes, s[3] = {start, start, start};

    if (bytes == 0) {
        return start;
    }
    for (; bytes > sizeof last; data += sizeof last, bytes -= sizeof last) {
        for (int i = 0; i < 3; i++) {
            s[i] += word(data + 4 * i);
        }
        mix(s);
    }
    memcpy(last, data, bytes);
    for (int i = 0; i < 3; i++) {
        s[i] += word(last + 4 * i);
    }
    finish(s);
    return s[2];
}
