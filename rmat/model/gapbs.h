/* gapbs.h - private to rmat/: GAPBS's list of edges behind its handle. */
#ifndef RMAT_MODEL_GAPBS_H
#define RMAT_MODEL_GAPBS_H

#include "rmat/model/gpu_copies.h"
#include "rmat/rmat_gapbs.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rmat_gapbs {
    pthread_mutex_t lock; /* while the permutation is made */
    int ready;            /* it is made; atomic */
    /* The vertices that stand for the drawn ones, 2^scale of them.  The index is the drawn vertex
     * with its bits in reverse order: the first level is bit 0. */
    uint32_t *permutation;
    int scale;
    uint32_t seed;
    rmat_gapbs_shuffle shuffle;
    rmat_isa isa;
    rmat_gpu_copies *copies; /* of permutation */
};

/* g->permutation, which the first call makes. */
const uint32_t *rmat_gapbs_permutation(const rmat_gapbs *g);

/* gapbs_shuffle.c: fills g->permutation. */
void rmat_gapbs_permute(rmat_gapbs *g);

/* gpu/gapbs.cu: rmat_source.fill_device, whose state is a rmat_gapbs; NULL in builds without CUDA.
 */
rmat_source_fill_device *rmat_gpu_gapbs(void);

#ifdef __cplusplus
}
#endif

#endif
