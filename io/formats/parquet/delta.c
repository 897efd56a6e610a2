/* delta.c - DELTA_BINARY_PACKED: see delta.h. */
#include "io/formats/parquet/delta.h"
#include "io/formats/parquet/thrift.h"
#include "io/formats/parquet/thrift_reader.h"

#include <string.h>

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

size_t parquet_delta_room(size_t count, size_t value_bytes)
{
    const size_t blocks = count / BLOCK + 1;

    return 4 * THRIFT_VARINT + blocks * (THRIFT_VARINT + MINIBLOCKS + BLOCK * value_bytes);
}

/* 32 values of so many bits, up to 64, one after the other, the lowest bit first.  Words of 64 bits
 * are filled and stored; an odd width ends with half of one. */
static inline __attribute__((always_inline)) void pack(uint8_t *to, const void *values,
                                                       size_t value_bytes, unsigned width)
{
    uint64_t word = 0;
    unsigned fill = 0;

#pragma GCC unroll 32
    for (size_t i = 0; i < MINIBLOCK; i++) {
        const uint64_t x =
            value_bytes == 4 ? ((const uint32_t *)values)[i] : ((const uint64_t *)values)[i];

        word |= x << fill;
        fill += width;
        if (fill >= 64) {
            memcpy(to, &word, 8);
            to += 8;
            fill -= 64;
            word = fill > 0 ? x >> (width - fill) : 0;
        }
    }
    if (fill > 0) {
        memcpy(to, &word, 4);
    }
}

/* Each width has its own straight code. */
#define CASE(width)                                                                                \
    case width:                                                                                    \
        pack(to, values, 4, width);                                                                \
        break;
#define CASES(width) CASE(width) CASE((width) + 1) CASE((width) + 2) CASE((width) + 3)

static void pack32(uint8_t *to, const uint32_t *values, unsigned width)
{
    switch (width) {
        CASES(1)
        CASES(5)
        CASES(9)
        CASES(13)
        CASES(17)
        CASES(21)
        CASES(25)
        CASES(29)
    default: /* no bits */
        break;
    }
}

static void pack64(uint8_t *to, const uint64_t *values, unsigned width)
{
    uint32_t narrow[MINIBLOCK];

    if (width > 32) {
        pack(to, values, 8, width);
        return;
    }
    for (size_t i = 0; i < MINIBLOCK; i++) {
        narrow[i] = (uint32_t)values[i];
    }
    pack32(to, narrow, width);
}

#define UINT       uint32_t
#define SINT       int32_t
#define NAME(name) name##32
#include "io/formats/parquet/delta_body.h"
#undef UINT
#undef SINT
#undef NAME

#define UINT       uint64_t
#define SINT       int64_t
#define NAME(name) name##64
#include "io/formats/parquet/delta_body.h"

/* Reads DELTA_BINARY_PACKED: see delta.h. */

enum { MOST_BLOCK = 4096, MOST_MINIBLOCKS = 128, UNIT = 32 };

/* Value i of those packed in `width` bits each; at most 8 bytes are read beyond its own. */
static uint64_t unpack(const uint8_t *from, size_t i, unsigned width)
{
    const size_t bit = i * width;
    uint64_t low, high = 0;

    memcpy(&low, from + bit / 8, 8);
    low >>= bit % 8;
    if (bit % 8 + width > 64) {
        high = (uint64_t)from[bit / 8 + 8] << (64 - bit % 8);
    }
    return width == 64 ? low | high : (low | high) & (((uint64_t)1 << width) - 1);
}

/* A miniblock, of which n values are wanted. */
static bool add_miniblock(thrift_reader *r, uint64_t *value, int64_t *to, size_t n, size_t size,
                          unsigned width, uint64_t least, bool narrow)
{
    uint8_t packed[MOST_BLOCK * 8 + 16];
    const size_t bytes = size * width / 8;

    if (width > 64 || bytes > (size_t)(r->end - r->at)) {
        return false;
    }
    memcpy(packed, r->at, bytes);
    memset(packed + bytes, 0, 16);
    r->at += bytes;
    for (size_t i = 0; i < n; i++) {
        *value += least + unpack(packed, i, width);
        to[i] = narrow ? (int32_t)(uint32_t)*value : (int64_t)*value;
    }
    return true;
}

bool parquet_delta_decode(int64_t *to, size_t count, const uint8_t *from, size_t bytes, bool narrow)
{
    thrift_reader r = {.at = from, .end = from + bytes};
    const uint64_t block = thrift_varint(&r), minis = thrift_varint(&r), n = thrift_varint(&r);
    const uint64_t size = minis > 0 ? block / minis : 0;
    uint64_t value = (uint64_t)thrift_integer(&r);
    size_t done = 1;

    if (r.bad || block == 0 || block > MOST_BLOCK || minis == 0 || minis > MOST_MINIBLOCKS ||
        size * minis != block || size % UNIT != 0 || n != count) {
        return false;
    }
    if (count == 0) {
        return true;
    }
    to[0] = narrow ? (int32_t)(uint32_t)value : (int64_t)value;
    while (done < count) {
        const uint64_t least = (uint64_t)thrift_integer(&r);
        const uint8_t *widths = r.at;

        if (r.bad || minis > (uint64_t)(r.end - r.at)) {
            return false;
        }
        r.at += minis;
        for (uint64_t k = 0; k < minis && done < count; k++) {
            const size_t some = count - done < size ? count - done : (size_t)size;

            if (!add_miniblock(&r, &value, to + done, some, (size_t)size, widths[k], least,
                               narrow)) {
                return false;
            }
            done += some;
        }
    }
    return true;
}
