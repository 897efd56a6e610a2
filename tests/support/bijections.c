/* The bijections of permutation_battery.h. */
#include "alias/core/philox.h"
#include "tests/support/must.h"
#include "tests/support/permutation_battery.h"

#include <stdlib.h>

enum { PURPOSE = 78 };

static uint64_t random_word(uint64_t seed, uint64_t i)
{
    const philox_block block = philox_at(seed, i, 0, PURPOSE);

    return (uint64_t)block.v[1] << 32 | block.v[0];
}

/* As the library makes it of the seed, without the rest of a generator. */
static void make_permutation(rmat_permutation *p, int bits, uint64_t seed, uint64_t side)
{
    p->bits = bits;
    p->vertices = UINT64_C(1) << bits;
    for (uint32_t r = 0; r < (uint32_t)rmat_permute_rounds(p); r++) {
        const philox_block block = philox_at(seed, side, r, PHILOX_PERMUTE);

        p->k[r] = (uint64_t)block.v[1] << 32 | block.v[0];
        p->b[r] = block.v[2] | 1;
    }
}

static uint32_t *shuffled(int bits, uint64_t seed)
{
    uint32_t *table = malloc(sizeof *table << bits);

    must(table != NULL, "no memory for a permutation of %d bits", bits);
    for (uint64_t i = 0; i >> bits == 0; i++) {
        const uint64_t other = (random_word(seed, i) >> 32) * (i + 1) >> 32;

        table[i] = table[other];
        table[other] = (uint32_t)i;
    }
    return table;
}

bijection bijection_create(bijection_family family, int bits, uint64_t seed)
{
    bijection b = {.family = family, .bits = bits};

    if (family <= BIJECTION_VERSION_2) {
        make_permutation(&b.permutation, bits, seed, family == BIJECTION_COLS);
    } else if (family == BIJECTION_RANDOM) {
        b.table = shuffled(bits, seed);
    } else {
        for (uint64_t i = 0; i < 3; i++) {
            b.key[i] = random_word(seed, i);
        }
    }
    return b;
}

void bijection_free(bijection b)
{
    free(b.table);
}

static uint64_t some_rounds(const bijection *b, int rounds, uint64_t x, uint64_t mask)
{
    const rmat_permutation *p = &b->permutation;

    for (int r = 0; r < rounds; r++) {
        x = r == 0 ? x : rmat_permute_reverse(x, b->bits);
        x = (x * (2 * (uint32_t)x + p->b[r]) + p->k[r]) & mask;
    }
    return x;
}

static uint64_t version_1(const bijection *b, uint64_t x, uint64_t mask)
{
    static const uint32_t multiplier[] = {0x9FC7EB59u, 0xAB0F14B3u, 0xDCB79869u};

    for (int r = 0; r < 3; r++) {
        x = (x * multiplier[r] + b->key[r]) & mask;
        x ^= x >> (b->bits + 1) / 2;
    }
    return x;
}

uint64_t bijection_image(const bijection *b, uint64_t x)
{
    const uint64_t mask = (UINT64_C(1) << b->bits) - 1;

    switch (b->family) {
    case BIJECTION_TWO_ROUNDS:
        return some_rounds(b, 2, x, mask);
    case BIJECTION_VERSION_2:
        return some_rounds(b, 3, x, mask);
    case BIJECTION_VERSION_1:
        return version_1(b, x, mask);
    case BIJECTION_RANDOM:
        return b->table[x];
    case BIJECTION_IDENTITY:
        return x;
    case BIJECTION_XOR:
        return x ^ (b->key[0] & mask);
    case BIJECTION_AFFINE:
        return (x * (b->key[0] | 1) + b->key[1]) & mask;
    default:
        return rmat_permute_vertex(&b->permutation, x);
    }
}
