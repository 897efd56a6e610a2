/* Which backend --backend auto stands for. */
#ifndef APPS_ENGINE_CHOOSE_BACKEND_H
#define APPS_ENGINE_CHOOSE_BACKEND_H

#include "rmat/rmat.h"
#include <stdbool.h>

/* What the choice depends on.  Several ranks of a host share its disk and its GPUs: they count
 * together, and all choose alike. */
typedef struct {
    uint64_t edges;   /* that this host makes */
    int id_bytes;     /* 4 or 8 */
    int weight_bytes; /* 4, or 0: no weights */
    int threads;      /* of the CPU, all ranks' */
    rmat_isa isa;     /* of the CPU, not AUTO */
    bool sorted;      /* the edges are sorted before the first is written */
} backend_job;

/* CPU or GPU, whichever is done sooner by the cost model of backend.c: for a machine that
 * has a GPU. */
rmat_backend choose_backend(const backend_job *job);

#endif
