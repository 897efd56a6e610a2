/*
 * delta_body.h - the encoder of delta.h for values of one width; included by delta.c with UINT, the
 * unsigned type, SINT, the signed one of the same width, and NAME defined.  Differences wrap
 * around, as Parquet wants them to.
 */

/* Bits that x takes. */
static unsigned NAME(width)(UINT x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

/* The differences from values[-1] on, of which there are n; the least one is returned, and stands
 * for those that are missing. */
static SINT NAME(differences)(UINT excess[BLOCK], const UINT *values, size_t n)
{
    SINT least = (SINT)(UINT)(values[0] - values[-1]);

    for (size_t i = 0; i < n; i++) {
        excess[i] = (UINT)(values[i] - values[i - 1]);
        least = (SINT)excess[i] < least ? (SINT)excess[i] : least;
    }
    for (size_t i = n; i < BLOCK; i++) {
        excess[i] = (UINT)least;
    }
    for (size_t i = 0; i < BLOCK; i++) {
        excess[i] = (UINT)(excess[i] - (UINT)least);
    }
    return least;
}

static uint8_t *NAME(block)(uint8_t *to, const UINT *values, size_t n)
{
    UINT excess[BLOCK];
    const SINT least = NAME(differences)(excess, values, n);
    uint8_t *widths;

    widths = to = thrift_put_varint(to, thrift_zigzag(least));
    to += MINIBLOCKS;
    for (size_t k = 0; k < MINIBLOCKS; k++) {
        const UINT *mini = excess + k * MINIBLOCK;
        UINT all = 0;

        for (size_t i = 0; i < MINIBLOCK; i++) {
            all |= mini[i];
        }
        widths[k] = (uint8_t)NAME(width)(all);
        NAME(pack)(to, mini, widths[k]);
        to += (size_t)widths[k] * MINIBLOCK / 8;
    }
    return to;
}

size_t NAME(parquet_delta)(uint8_t *to, const UINT *values, size_t count)
{
    uint8_t *const begin = to;

    to = thrift_put_varint(to, BLOCK);
    to = thrift_put_varint(to, MINIBLOCKS);
    to = thrift_put_varint(to, count);
    to = thrift_put_varint(to, thrift_zigzag(count > 0 ? (SINT)values[0] : 0));
    for (size_t i = 1; i < count; i += BLOCK) {
        to = NAME(block)(to, values + i, count - i < BLOCK ? count - i : BLOCK);
    }
    return (size_t)(to - begin);
}
