/* The bijections of bijections.h. */
#include "tests/support/bijections.h"
#include "alias/core/philox.h"
#include "tests/support/must.h"

#include <stdlib.h>

enum { PURPOSE = 78 };

static uint64_t mask_of(const bijection *b)
{
    return (UINT64_C(1) << b->bits) - 1;
}

static uint64_t random_word(uint64_t seed, uint64_t i)
{
    const philox_block block = philox_at(seed, i, 0, PURPOSE);

    return (uint64_t)block.v[1] << 32 | block.v[0];
}

static bijection keyed(int bits, uint64_t seed, uint64_t (*image)(const bijection *b, uint64_t x))
{
    bijection b = {.image = image, .bits = bits};

    for (uint64_t i = 0; i < 3; i++) {
        b.key[i] = random_word(seed, i);
    }
    return b;
}

void bijection_free(bijection *b)
{
    free(b->table);
}

static uint64_t permuted(const bijection *b, uint64_t x)
{
    return rmat_permute_vertex(&b->permutation, x);
}

/* As the library makes it of the seed, without the rest of a generator. */
static bijection of_side(int bits, uint64_t seed, uint64_t side)
{
    bijection b = {.image = permuted, .bits = bits};
    rmat_permutation *p = &b.permutation;

    p->bits = bits;
    p->vertices = UINT64_C(1) << bits;
    for (uint32_t r = 0; r < (uint32_t)rmat_permute_rounds(p); r++) {
        const philox_block block = philox_at(seed, side, r, PHILOX_PERMUTE);

        p->k[r] = (uint64_t)block.v[1] << 32 | block.v[0];
        p->b[r] = block.v[2] | 1;
    }
    return b;
}

bijection bijection_rows(int bits, uint64_t seed)
{
    return of_side(bits, seed, 0);
}

bijection bijection_cols(int bits, uint64_t seed)
{
    return of_side(bits, seed, 1);
}

static uint64_t looked_up(const bijection *b, uint64_t x)
{
    return b->table[x];
}

bijection bijection_random(int bits, uint64_t seed)
{
    bijection b = {.image = looked_up, .bits = bits};

    b.table = malloc(sizeof *b.table << bits);
    must(b.table != NULL, "no memory for a permutation of %d bits", bits);
    for (uint64_t i = 0; i >> bits == 0; i++) {
        const uint64_t other = (random_word(seed, i) >> 32) * (i + 1) >> 32;

        b.table[i] = b.table[other];
        b.table[other] = (uint32_t)i;
    }
    return b;
}

static uint64_t version_1(const bijection *b, uint64_t x)
{
    static const uint32_t multiplier[] = {0x9FC7EB59u, 0xAB0F14B3u, 0xDCB79869u};

    for (int r = 0; r < 3; r++) {
        x = (x * multiplier[r] + b->key[r]) & mask_of(b);
        x ^= x >> (b->bits + 1) / 2;
    }
    return x;
}

bijection bijection_version_1(int bits, uint64_t seed)
{
    return keyed(bits, seed, version_1);
}

static uint64_t identity(const bijection *b, uint64_t x)
{
    (void)b;
    return x;
}

bijection bijection_identity(int bits, uint64_t seed)
{
    return keyed(bits, seed, identity);
}

static uint64_t exclusive_or(const bijection *b, uint64_t x)
{
    return x ^ (b->key[0] & mask_of(b));
}

bijection bijection_xor(int bits, uint64_t seed)
{
    return keyed(bits, seed, exclusive_or);
}

static uint64_t affine(const bijection *b, uint64_t x)
{
    return (x * (b->key[0] | 1) + b->key[1]) & mask_of(b);
}

bijection bijection_affine(int bits, uint64_t seed)
{
    return keyed(bits, seed, affine);
}

static uint64_t some_rounds(const bijection *b, int rounds, uint64_t x)
{
    const rmat_permutation *p = &b->permutation;

    for (int r = 0; r < rounds; r++) {
        x = r == 0 ? x : rmat_permute_reverse(x, b->bits);
        x = (x * (2 * (uint32_t)x + p->b[r]) + p->k[r]) & mask_of(b);
    }
    return x;
}

static uint64_t two_rounds(const bijection *b, uint64_t x)
{
    return some_rounds(b, 2, x);
}

bijection bijection_two_rounds(int bits, uint64_t seed)
{
    bijection b = of_side(bits, seed, 0);

    b.image = two_rounds;
    return b;
}

static uint64_t three_rounds(const bijection *b, uint64_t x)
{
    return some_rounds(b, 3, x);
}

bijection bijection_version_2(int bits, uint64_t seed)
{
    bijection b = of_side(bits, seed, 0);

    b.image = three_rounds;
    return b;
}
