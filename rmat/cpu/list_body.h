/* list_body.h - list_lanes() of kernel_body.h for processors that have no instruction for it. */
#ifndef RMAT_CPU_LIST_BODY_H
#define RMAT_CPU_LIST_BODY_H

#include "rmat/cpu/vec_body.h"

INLINE uint64_t list_lanes(unsigned bits, uint32_t i, uint32_t *list)
{
    uint64_t n = 0;

    for (uint32_t l = 0; l < W; l++) {
        list[n] = i + l; /* written whether it is kept or not: cheaper than a branch */
        n += bits >> l & 1;
    }
    return n;
}

#endif
