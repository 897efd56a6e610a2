/* gapbs.h - private to rmat/: GAPBS's list of edges behind its handle. */
#ifndef RMAT_SOURCE_GAPBS_H
#define RMAT_SOURCE_GAPBS_H

#include "rmat/rmat_gapbs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rmat_gapbs {
    /* The vertices that stand for the drawn ones, 2^scale of them.  The index is the drawn vertex
     * with its bits in reverse order: the first level is bit 0. */
    uint32_t *permutation;
    int scale;
    uint32_t seed;
    rmat_isa isa;

    uint32_t *device_permutation; /* a copy in the memory of a GPU, or NULL */
    int device;                   /* its GPU */
};

/* gapbs_shuffle.c: fills g->permutation. */
void rmat_gapbs_permute(rmat_gapbs *g, rmat_gapbs_shuffle shuffle);

/* gpu/gapbs.cu, gpu/gapbs_stub.c: rmat_source.fill_device, whose state is a rmat_gapbs; and what
 * frees g->device_permutation. */
int rmat_gapbs_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                           void *stream);
void rmat_gapbs_leave_device(rmat_gapbs *g);

#ifdef __cplusplus
}
#endif

#endif
