/* graph500.h - private to rmat/: what is behind the handle of Graph500's stream. */
#ifndef RMAT_SOURCE_GRAPH500_H
#define RMAT_SOURCE_GRAPH500_H

#include "rmat/gpu/copies.h"
#include "rmat/model/mrg.h"
#include "rmat/rmat_graph500.h"

struct rmat_graph500 {
    mrg_view view;
    rmat_gpu_copies *copies; /* of view */
    rmat_isa isa;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Returns rmat_source.fill_device; NULL if this build has no GPUs. */
rmat_source_fill_device *rmat_gpu_graph500(void);

#ifdef __cplusplus
}
#endif

#endif
