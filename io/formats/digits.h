/* digits.h - writes numbers as decimal digits, without branches on their length.  Private. */
#ifndef IO_FORMATS_DIGITS_H
#define IO_FORMATS_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first digit is the lowest byte");

enum { GRAPHFILE_DIGITS = 20, GRAPHFILE_FLOAT = 24, GRAPHFILE_SLACK = 8 };

/* The number of decimal digits of x. */
static inline size_t graphfile_n_digits(uint64_t x)
{
    size_t digits = 1;

    for (; x >= 10; x /= 10) {
        digits++;
    }
    return digits;
}

/* The eight decimal digits of x < 10^8, one in each byte.  x is split into halves of 4 digits,
 * these into halves of 2, and these into digits, all halves at once.  The multiplications divide
 * numbers below 10^4 by 100, and numbers below 100 by 10. */
static inline uint64_t graphfile_eight(uint32_t x)
{
    uint64_t v = x / 10000 | (uint64_t)(x % 10000) << 32;
    uint64_t high = v * 10486 >> 20 & 0x7f0000007f;

    v = high | (v - 100 * high) << 16;
    high = v * 103 >> 10 & 0x000f000f000f000f;
    return high | (v - 10 * high) << 8;
}

/* Writes up to GRAPHFILE_DIGITS characters and returns their end.  Up to GRAPHFILE_SLACK bytes
 * after them change as well. */
static inline char *graphfile_put_u64(char *to, uint64_t x)
{
    const uint64_t zeros = 0x3030303030303030;
    uint64_t digits;
    int leading;

    if (x >= 100000000) {
        to = graphfile_put_u64(to, x / 100000000);
        digits = graphfile_eight((uint32_t)(x % 100000000)) + zeros;
        memcpy(to, &digits, 8);
        return to + 8;
    }
    digits = graphfile_eight((uint32_t)x);
    leading =
        __builtin_ctzll(digits | (uint64_t)1 << 56) & 56; /* in bits; one digit stays for x = 0 */
    digits = (digits + zeros) >> leading;
    memcpy(to, &digits, 8);
    return to + 8 - leading / 8;
}

static inline char *graphfile_put_i32(char *to, int32_t x)
{
    *to = '-';
    return graphfile_put_u64(to + (x < 0), x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
}

/* Writes the number at the end of a field of `width` bytes, which ends with a newline.  If every
 * field has the width of the longest number, the place of each is known in advance. */
static inline void graphfile_put_field(char *to, int64_t x, size_t width)
{
    char text[1 + GRAPHFILE_DIGITS + GRAPHFILE_SLACK] = "-";
    const char *end = graphfile_put_u64(text + (x < 0), x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
    const size_t n = (size_t)(end - text);

    memset(to, ' ', width - 1 - n);
    memcpy(to + width - 1 - n, text, n);
    to[width - 1] = '\n';
}

#endif
