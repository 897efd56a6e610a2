/* The weights of edges that are there. */
#include "rmat/rmat_impl.h"
#include "rmat/weight.h"

static uint64_t id(const void *ids, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

int rmat_weights_of(const rmat_gen *gen, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight)
{
    const rmat_config *c;

    if (!gen || (id_bytes != 4 && id_bytes != 8) || (count && (!src || !dst || !weight))) {
        return RMAT_ERR_ARG;
    }
    c = &gen->config;
    if (c->weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits =
            rmat_weight_bits(gen->weight_key, id(src, i, id_bytes), id(dst, i, id_bytes));

        if (c->weights == RMAT_WEIGHTS_UNIFORM) {
            ((float *)weight)[i] = rmat_weight_uniform(bits);
        } else {
            ((int32_t *)weight)[i] = rmat_weight_int(bits, c->weight_min, rmat_weight_range(c));
        }
    }
    return RMAT_OK;
}
