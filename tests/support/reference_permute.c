/* The reference's permutation (STREAM.md, "Permutation") and its inverse, one bit at a time. */
#include "tests/support/reference_impl.h"

enum { MOST_ROUNDS = 9 };

static const uint64_t spread = 0xD2511F53;

typedef struct {
    int bits, rounds;
    uint64_t vertices, factor[MOST_ROUNDS], addend[MOST_ROUNDS];
} side_permutation;

/* A square graph has one permutation, that of side 0. */
static side_permutation permutation_of(const reference *r, int side)
{
    const reference_config *c = &r->config;
    uint64_t number = c->rows == c->cols ? 0 : (uint64_t)side;
    side_permutation p;

    p.bits = side ? c->cols_scale : c->rows_scale;
    p.rounds = p.bits < 12 ? 9 : 4;
    p.vertices = side ? c->cols : c->rows;
    for (int round = 0; round < p.rounds; round++) {
        reference_block block = reference_philox(c->seed, number, (uint32_t)round, 3);

        p.addend[round] = block.v[0] + TWO_TO_32 * block.v[1];
        p.factor[round] = block.v[2] % 2 ? block.v[2] : block.v[2] + 1;
    }
    return p;
}

static uint64_t power_of_two(int n)
{
    return UINT64_C(1) << n;
}

/* The lowest `bits` bits of x in reverse order. */
static uint64_t reverse(uint64_t x, int bits)
{
    uint64_t reversed = 0;

    for (int k = 0; k < bits; k++) {
        reversed = 2 * reversed + x / power_of_two(k) % 2;
    }
    return reversed;
}

static uint64_t turn(const side_permutation *p, uint64_t x)
{
    uint64_t low = x % TWO_TO_32, high = x / TWO_TO_32;

    return p->bits <= 32 ? reverse(x, p->bits)
                         : high * TWO_TO_32 + reverse((low + spread * high) % TWO_TO_32, 32);
}

static uint64_t turn_back(const side_permutation *p, uint64_t x)
{
    uint64_t high = x / TWO_TO_32;

    return p->bits <= 32
               ? reverse(x, p->bits)
               : high * TWO_TO_32 + (reverse(x % TWO_TO_32, 32) - spread * high) % TWO_TO_32;
}

static uint64_t multiply(const side_permutation *p, int round, uint64_t x)
{
    uint64_t m = (2 * x + p->factor[round]) % TWO_TO_32;

    return (x * m + p->addend[round]) % power_of_two(p->bits);
}

/* The x with multiply(x) = y: bit k of x decides bit k, and leaves the lower ones alone. */
static uint64_t divide(const side_permutation *p, int round, uint64_t y)
{
    uint64_t x = 0;

    for (int k = 0; k < p->bits; k++) {
        if ((multiply(p, round, x) / power_of_two(k) + y / power_of_two(k)) % 2) {
            x += power_of_two(k);
        }
    }
    return x;
}

uint64_t reference_permute(const reference *r, int side, uint64_t id)
{
    side_permutation p = permutation_of(r, side);

    do {
        for (int round = 0; round < p.rounds; round++) {
            id = multiply(&p, round, round > 0 ? turn(&p, id) : id);
        }
    } while (id >= p.vertices);
    return id;
}

uint64_t reference_unpermute(const reference *r, int side, uint64_t id)
{
    side_permutation p = permutation_of(r, side);

    do {
        for (int round = p.rounds - 1; round >= 0; round--) {
            id = divide(&p, round, id);
            id = round > 0 ? turn_back(&p, id) : id;
        }
    } while (id >= p.vertices);
    return id;
}
