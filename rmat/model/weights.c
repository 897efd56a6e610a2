/* rmat_weights_of(): the weights of given edges, by the kernels of the generator's instruction
 * set. */
#include "rmat/model/generator.h"

#include <stddef.h>

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
    rmat_cpu_kernels_of(gen->isa)->weights(gen, count, src, dst, id_bytes, weight);
    return RMAT_OK;
}
