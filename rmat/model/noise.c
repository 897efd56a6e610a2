/*
 * The matrices that a model draws from: those of its configuration, or noisy ones (STREAM.md,
 * "Noise").  Noise moves each level's matrix by a random mu of its own: b and c grow by mu, a and d
 * shrink in proportion, so that the sum stays 1.
 */
#include "alias/core/philox.h"
#include "rmat/model/generator.h"

#include <stddef.h>

static const rmat_matrix *matrix_of(const rmat_config *c, int level)
{
    return c->levels != NULL ? &c->levels[level] : &c->matrix;
}

/* The matrix of a level, moved by its mu.  STREAM.md says which operations are rounded, so this
 * file is compiled without fused multiply-add. */
static rmat_matrix noisy(const rmat_matrix *m, double noise, uint64_t seed, int level)
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

int rmat_levels(const rmat_config *config, rmat_matrix *levels)
{
    int st = config != NULL && levels != NULL ? rmat_check_config(config) : RMAT_ERR_ARG;

    if (!st && config->stream != RMAT_STREAM_RMAT) {
        st = RMAT_ERR_STREAM;
    }
    for (int l = 0; !st && l < rmat_scale(config); l++) {
        const rmat_matrix *m = matrix_of(config, l);

        levels[l] = config->noise > 0 ? noisy(m, config->noise, config->seed, l) : *m;
    }
    return st;
}
