/* delta.c - DELTA_BINARY_PACKED: see delta.h. */
#include "io/formats/parquet/delta.h"
#include "io/formats/parquet/thrift.h"

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
