/*
 * transform.c - prepares edges from the configuration: the matrices that they are drawn from, the
 * transformation of their ends, their weights, and the permutation of vertices.
 */
#include "alias/core/philox.h"
#include "rmat/model/generator.h"
#include "rmat/model/permutation.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stddef.h>

/* The matrices that a model draws from: those of its configuration, or noisy ones (STREAM.md,
 * "Noise").  Noise moves each level's matrix by its own random mu: b and c grow by mu, and a and d
 * shrink in proportion, so that the sum stays 1. */
static const rmat_matrix *matrix_of(const rmat_config *c, int level)
{
    return c->levels != NULL ? &c->levels[level] : &c->matrix;
}

/* The matrix of a level, moved by its mu.  STREAM.md says which operations are rounded, so this
 * file is compiled without fused multiply-add. */
static rmat_matrix noisy_matrix(const rmat_matrix *m, double noise, uint64_t seed, int level)
{
    const philox_block r = philox_at(seed, (uint64_t)level, 0, PHILOX_NOISE);
    const double u = (double)(((uint64_t)r.v[1] << 32 | r.v[0]) >> 11) * 0x1p-53;
    const double mu = noise * (2 * u - 1), sum = m->a + m->d;
    const double share = sum > 0 ? 2 * mu / sum : 0;

    return (rmat_matrix){m->a - m->a * share, m->b + mu, m->c + mu, m->d - m->d * share};
}

double rmat_noise_limit(const rmat_config *config)
{
    double limit = 1;

    for (int l = 0; l < (config->levels != NULL ? rmat_scale(config) : 1); l++) {
        const rmat_matrix *m = matrix_of(config, l);
        const double bounds[] = {(m->a + m->d) / 2, m->b, m->c};

        for (int i = 0; i < 3; i++) {
            limit = bounds[i] < limit ? bounds[i] : limit;
        }
    }
    return limit;
}

void rmat_levels_of(const rmat_config *config, rmat_matrix *levels)
{
    for (int l = 0; l < rmat_scale(config); l++) {
        const rmat_matrix *m = matrix_of(config, l);

        levels[l] = config->noise > 0 ? noisy_matrix(m, config->noise, config->seed, l) : *m;
    }
}

int rmat_levels(const rmat_config *config, rmat_matrix *levels)
{
    RMAT_OR_RETURN(config != NULL && levels != NULL ? rmat_check_config(config) : RMAT_ERR_ARG);
    if (rmat_is_official(config->stream)) {
        return RMAT_ERR_STREAM;
    }
    rmat_levels_of(config, levels);
    return RMAT_OK;
}

/* The transformation of drawn ends into edges: from the configuration to the fields of rmat_view
 * that all backends use, with the keys of the permutation and of the weights. */

/* Words i and i + 1 of a Philox block as one number. */
static uint64_t word_of(philox_block b, int i)
{
    return (uint64_t)b.v[i + 1] << 32 | b.v[i];
}

/* The permutation of a side (STREAM.md, "Permutation"). */
static rmat_permutation permutation_of(uint64_t seed, uint64_t side, uint64_t vertices, int bits)
{
    rmat_permutation p = {.vertices = vertices, .bits = bits};

    for (uint32_t r = 0; r < RMAT_PERMUTE_MORE_ROUNDS; r++) {
        const philox_block block = philox_at(seed, side, r, PHILOX_PERMUTE);

        p.k[r] = word_of(block, 0);
        p.b[r] = block.v[2] | 1;
    }
    return p;
}

void rmat_set_transform(rmat_gen *gen)
{
    const rmat_config *c = &gen->config;
    rmat_view *v = &gen->view;
    const bool square = rmat_vertices(c, RMAT_ROWS) == rmat_vertices(c, RMAT_COLS);
    const bool drawn = !rmat_has_source(gen); /* edges of a source cannot be drawn again */

    v->rows = rmat_vertices(c, RMAT_ROWS);
    v->cols = rmat_vertices(c, RMAT_COLS);
    v->transform =
        (drawn && (v->rows - 1 < v->src_mask || v->cols - 1 < v->dst_mask) ? RMAT_TRANSFORM_BOUNDED
                                                                           : 0) |
        (drawn && c->no_self_loops ? RMAT_TRANSFORM_NO_LOOPS : 0) |
        (c->permute ? RMAT_TRANSFORM_PERMUTED : 0) |
        (c->direction == RMAT_LOWER ? RMAT_TRANSFORM_LOWER : 0) |
        (c->direction == RMAT_UPPER ? RMAT_TRANSFORM_UPPER : 0) |
        (c->symmetrize ? RMAT_TRANSFORM_SYMMETRIC : 0);
    v->permutation[RMAT_ROWS] = permutation_of(c->seed, 0, v->rows, c->rows_scale);
    v->permutation[RMAT_COLS] = permutation_of(c->seed, square ? 0 : 1, v->cols, c->cols_scale);
    gen->weighing = (rmat_weighing){
        .key = word_of(philox_at(c->seed, 0, 0, PHILOX_WEIGHT), 0), .span = 1, .high = 1};
    if (c->weights == RMAT_WEIGHTS_INT) {
        gen->weighing.range = (uint64_t)((int64_t)c->weight_max - c->weight_min) + 1;
        gen->weighing.min = c->weight_min;
    } else if (c->weights == RMAT_WEIGHTS_FLOAT) {
        gen->weighing.low = c->weight_low;
        gen->weighing.span = c->weight_high - c->weight_low;
        gen->weighing.high = c->weight_high;
    }
}

/*
 * rmat_weights_of(): the weights of given edges, by the kernels of the generator's instruction
 * set.
 */
int rmat_weights_of(const rmat_gen *gen, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight)
{
    if (gen == NULL || (id_bytes != 4 && id_bytes != 8) ||
        (count && (src == NULL || dst == NULL || weight == NULL))) {
        return RMAT_ERR_ARG;
    }
    if (gen->config.weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    rmat_cpu_kernels_of(gen->isa)->weights(&gen->weighing, count, src, dst, id_bytes, weight);
    return RMAT_OK;
}

/* rmat_permute() and rmat_unpermute(): apply the permutation of permutation.h or its inverse to
 * vertex numbers. */

/* Checks all ids, then applies step to them. */
INLINE int apply_to_all(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids,
                        uint64_t (*step)(const rmat_permutation *, uint64_t))
{
    const rmat_permutation *p;

    if (gen == NULL || (side != RMAT_ROWS && side != RMAT_COLS) || (count && ids == NULL)) {
        return RMAT_ERR_ARG;
    }
    p = &gen->view.permutation[side];
    for (uint64_t i = 0; i < count; i++) {
        if (ids[i] >= p->vertices) {
            return RMAT_ERR_VERTEX;
        }
    }
    for (uint64_t i = 0; i < count && gen->config.permute; i++) {
        ids[i] = step(p, ids[i]);
    }
    return RMAT_OK;
}

int rmat_permute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids)
{
    return apply_to_all(gen, side, count, ids, rmat_permute_vertex);
}

int rmat_unpermute(const rmat_gen *gen, rmat_side side, uint64_t count, uint64_t *ids)
{
    return apply_to_all(gen, side, count, ids, rmat_unpermute_vertex);
}
