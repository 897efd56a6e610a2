/* Which backend --backend auto stands for. */
#ifndef APPS_CHOOSE_BACKEND_H
#define APPS_CHOOSE_BACKEND_H

#include "io/edgefile.h"
#include "rmat/rmat.h"

/* What the choice depends on. */
typedef struct {
    uint64_t edges;
    int id_bytes;       /* 4 or 8 */
    int threads;        /* of the CPU */
    rmat_isa isa;       /* of the CPU, not AUTO */
    edgefile_path path; /* of the file; AUTO counts as DIRECT */
} backend_job;

/* CPU or GPU, whichever is done sooner by the cost model of choose_backend.c: for a machine that
 * has a GPU. */
rmat_backend choose_backend(const backend_job *job);

#endif
