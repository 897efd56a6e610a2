/*
 * How drawn ends are transformed into edges: from the configuration to the fields of rmat_view that
 * all backends use, with the keys of the permutation and of the weights.
 */
#include "alias/core/philox.h"
#include "rmat/model/generator.h"

#include <stdbool.h>

/* Words i and i + 1 of a Philox block as one number. */
static uint64_t word(philox_block b, int i)
{
    return (uint64_t)b.v[i + 1] << 32 | b.v[i];
}

/* The permutation of a side (STREAM.md, "Permutation"). */
static rmat_permutation permutation(uint64_t seed, uint64_t side, uint64_t vertices, int bits)
{
    rmat_permutation p = {.vertices = vertices, .bits = bits};

    for (uint32_t r = 0; r < RMAT_PERMUTE_MORE_ROUNDS; r++) {
        const philox_block block = philox_at(seed, side, r, PHILOX_PERMUTE);

        p.k[r] = word(block, 0);
        p.b[r] = block.v[2] | 1;
    }
    return p;
}

uint64_t rmat_vertices(const rmat_config *c, rmat_side side)
{
    const uint64_t asked = side == RMAT_ROWS ? c->rows : c->cols;
    const int scale = side == RMAT_ROWS ? c->rows_scale : c->cols_scale;

    return asked ? asked : (uint64_t)1 << scale;
}

void rmat_set_transform(rmat_gen *gen)
{
    const rmat_config *c = &gen->config;
    rmat_view *v = &gen->view;
    const bool square = rmat_vertices(c, RMAT_ROWS) == rmat_vertices(c, RMAT_COLS);

    v->rows = rmat_vertices(c, RMAT_ROWS);
    v->cols = rmat_vertices(c, RMAT_COLS);
    v->transform =
        (v->rows - 1 < v->src_mask || v->cols - 1 < v->dst_mask ? RMAT_TRANSFORM_BOUNDED : 0) |
        (c->no_self_loops ? RMAT_TRANSFORM_NO_LOOPS : 0) |
        (c->permute ? RMAT_TRANSFORM_PERMUTED : 0) |
        (c->direction == RMAT_LOWER ? RMAT_TRANSFORM_LOWER : 0) |
        (c->direction == RMAT_UPPER ? RMAT_TRANSFORM_UPPER : 0) |
        (c->symmetrize ? RMAT_TRANSFORM_SYMMETRIC : 0);
    v->permutation[RMAT_ROWS] = permutation(c->seed, 0, v->rows, c->rows_scale);
    v->permutation[RMAT_COLS] = permutation(c->seed, square ? 0 : 1, v->cols, c->cols_scale);
    gen->weight_key = word(philox_at(c->seed, 0, 0, PHILOX_WEIGHT), 0);
}
