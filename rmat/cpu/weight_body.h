/* weight_body.h - the weights (weight.h) of given edges.  Plain loops, which the compiler
 * vectorises for the instruction set of the including file. */
#ifndef RMAT_CPU_WEIGHT_BODY_H
#define RMAT_CPU_WEIGHT_BODY_H

#include "rmat/model/generator.h"
#include "rmat/model/weight.h"

#define WEIGHTS(name, id)                                                                          \
    static void name##_uniform(uint64_t key, uint64_t count, const id *restrict src,               \
                               const id *restrict dst, float *restrict weight)                     \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            weight[i] = rmat_weight_uniform(rmat_weight_bits(key, src[i], dst[i]));                \
        }                                                                                          \
    }                                                                                              \
    static void name##_int(uint64_t key, uint64_t count, const id *restrict src,                   \
                           const id *restrict dst, int32_t *restrict weight, int32_t min,          \
                           uint64_t range)                                                         \
    {                                                                                              \
        for (uint64_t i = 0; i < count; i++) {                                                     \
            weight[i] = rmat_weight_int(rmat_weight_bits(key, src[i], dst[i]), min, range);        \
        }                                                                                          \
    }
WEIGHTS(weights32, uint32_t)
WEIGHTS(weights64, uint64_t)

static void weights(const rmat_gen *gen, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight)
{
    const rmat_config *c = &gen->config;
    const uint64_t key = gen->weight_key;

    if (c->weights == RMAT_WEIGHTS_UNIFORM) {
        if (id_bytes == 4) {
            weights32_uniform(key, count, src, dst, weight);
        } else {
            weights64_uniform(key, count, src, dst, weight);
        }
    } else {
        if (id_bytes == 4) {
            weights32_int(key, count, src, dst, weight, c->weight_min, rmat_weight_range(c));
        } else {
            weights64_int(key, count, src, dst, weight, c->weight_min, rmat_weight_range(c));
        }
    }
}

#endif
