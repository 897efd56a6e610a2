/*
 * test_parquet_delta.c - DELTA_BINARY_PACKED: a decoder of our own, bit by bit, gives the values
 * back, at every width and around the ends of blocks.
 */
#include "tests/support/io_util.h"

#include "io/formats/parquet/delta.h"

#include <stdlib.h>

enum { MOST = 1000, MINIBLOCK = 32, MINIBLOCKS = 4 };

static uint64_t get_varint(const uint8_t **from)
{
    uint64_t x = 0;
    int shift = 0;

    for (; **from >= 128; ++*from, shift += 7) {
        x |= (uint64_t)(**from & 127) << shift;
    }
    return x | (uint64_t) * (*from)++ << shift;
}

static uint64_t get_zigzag(const uint8_t **from)
{
    const uint64_t x = get_varint(from);

    return x >> 1 ^ (0 - (x & 1));
}

static uint64_t get_bits(const uint8_t *from, size_t at, unsigned width)
{
    uint64_t x = 0;

    for (unsigned i = 0; i < width; i++) {
        x |= (uint64_t)(from[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    }
    return x;
}

/* Returns how many bytes it took. */
static size_t decode(const uint8_t *from, uint64_t *values, size_t count)
{
    const uint8_t *at = from;
    uint64_t value;

    ck_assert_uint_eq(get_varint(&at), (size_t)MINIBLOCK * MINIBLOCKS);
    ck_assert_uint_eq(get_varint(&at), (uint64_t)MINIBLOCKS);
    ck_assert_uint_eq(get_varint(&at), count);
    value = get_zigzag(&at);
    values[0] = value;
    for (size_t i = 1; i < count;) {
        const uint64_t least = get_zigzag(&at);
        const uint8_t *widths = at;

        at += MINIBLOCKS;
        for (int k = 0; k < MINIBLOCKS; k++) {
            for (size_t j = 0; j < MINIBLOCK && i < count; j++) {
                value += least + get_bits(at, j * widths[k], widths[k]);
                values[i++] = value;
            }
            at += (size_t)widths[k] * MINIBLOCK / 8;
        }
    }
    return (size_t)(at - from);
}

static void check(const uint64_t *values, size_t count, unsigned value_bits)
{
    static uint64_t back[MOST + 1];
    const uint64_t mask = value_bits == 32 ? UINT32_MAX : UINT64_MAX;
    const size_t room = parquet_delta_room(count, value_bits / 8);
    uint32_t narrow[MOST + 1];
    uint8_t *to = malloc(room);
    size_t bytes;

    for (size_t i = 0; i < count; i++) {
        narrow[i] = (uint32_t)values[i];
    }
    bytes =
        value_bits == 32 ? parquet_delta32(to, narrow, count) : parquet_delta64(to, values, count);
    ck_assert_uint_le(bytes, room);
    ck_assert_uint_eq(decode(to, back, count), bytes);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg((back[i] & mask) == (values[i] & mask), "value %zu of %zu, %u bits", i, count,
                      value_bits);
    }
    free(to);
}

/* Differences of so many bits, some of them of all. */
START_TEST(every_width)
{
    static const size_t counts[] = {0, 1, 2, 31, 32, 33, 34, 65, 128, 129, 130, 257, MOST};
    uint64_t values[MOST + 1], state = (uint64_t)_i + 1;
    const uint64_t mask = _i == 0 ? 0 : UINT64_MAX >> (64 - _i);

    values[0] = (uint64_t)_i * 12345;
    for (size_t i = 1; i <= MOST; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = values[i - 1] + ((state >> 32 ^ state) & mask);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        check(values, counts[i], 64);
        check(values, counts[i], 32);
    }
}
END_TEST

START_TEST(extremes)
{
    uint64_t values[MOST];

    for (size_t i = 0; i < MOST; i++) {
        values[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? (uint64_t)INT64_MAX : (uint64_t)INT64_MIN;
    }
    check(values, MOST, 64);
    for (size_t i = 0; i < MOST; i++) {
        values[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? INT32_MAX : (uint32_t)INT32_MIN;
    }
    check(values, MOST, 32);
}
END_TEST

/* As the format's documentation has it: values one apart, which need no bits. */
START_TEST(example)
{
    static const uint32_t values[] = {1, 2, 3, 4, 5};
    static const uint8_t bytes[] = {0x80, 0x01, 4, 5, 2, 2, 0, 0, 0, 0};
    uint8_t to[1024];

    ck_assert_uint_eq(parquet_delta32(to, values, 5), sizeof bytes);
    ck_assert_mem_eq(to, bytes, sizeof bytes);
}
END_TEST

TEST_MAIN(parquet_delta)
{
    TCase *tc = tcase_create("parquet_delta");

    tcase_add_loop_test(tc, every_width, 0, 65);
    tcase_add_test(tc, extremes);
    tcase_add_test(tc, example);
    return run_tests("parquet_delta", tc);
}
