/* The reference's permutation (STREAM.md, "Permutation") and its inverse, one bit at a time. */
#include "tests/support/reference_impl.h"

static const uint64_t multiplier[3] = {0x9FC7EB59, 0xAB0F14B3, 0xDCB79869};

typedef struct {
    int bits;
    uint64_t vertices, key[3];
} side_permutation;

/* A square graph has one permutation, that of side 0. */
static side_permutation permutation_of(const reference *r, int side)
{
    const reference_config *c = &r->config;
    uint64_t number = c->rows == c->cols ? 0 : (uint64_t)side;
    reference_block first = reference_philox(c->seed, number, 0, 3);
    reference_block second = reference_philox(c->seed, number, 1, 3);
    side_permutation p;

    p.bits = side ? c->cols_scale : c->rows_scale;
    p.vertices = side ? c->cols : c->rows;
    p.key[0] = first.v[0] + TWO_TO_32 * first.v[1];
    p.key[1] = first.v[2] + TWO_TO_32 * first.v[3];
    p.key[2] = second.v[0] + TWO_TO_32 * second.v[1];
    return p;
}

static uint64_t power_of_two(int n)
{
    return UINT64_C(1) << n;
}

static uint64_t fold(const side_permutation *p, uint64_t x)
{
    int half = p->bits / 2 + p->bits % 2;

    return x ^ x / power_of_two(half);
}

/* The x below 2^n with x * m = y modulo 2^n: m is odd, so bit k of x decides bit k. */
static uint64_t divide(uint64_t y, uint64_t m, int n)
{
    uint64_t x = 0;

    for (int k = 0; k < n; k++) {
        if ((x * m / power_of_two(k) + y / power_of_two(k)) % 2) {
            x += power_of_two(k);
        }
    }
    return x;
}

uint64_t reference_permute(const reference *r, int side, uint64_t id)
{
    side_permutation p = permutation_of(r, side);

    do {
        for (int round = 0; round < 3; round++) {
            id = fold(&p, (id * multiplier[round] + p.key[round]) % power_of_two(p.bits));
        }
    } while (id >= p.vertices);
    return id;
}

/* fold() is its own inverse: it leaves the upper half alone. */
uint64_t reference_unpermute(const reference *r, int side, uint64_t id)
{
    side_permutation p = permutation_of(r, side);

    do {
        for (int round = 2; round >= 0; round--) {
            uint64_t y = (fold(&p, id) - p.key[round]) % power_of_two(p.bits);

            id = divide(y, multiplier[round], p.bits);
        }
    } while (id >= p.vertices);
    return id;
}
