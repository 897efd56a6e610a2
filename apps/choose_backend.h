/* Which backend --backend auto stands for. */
#ifndef APPS_CHOOSE_BACKEND_H
#define APPS_CHOOSE_BACKEND_H

#include "io/edgefile.h"
#include "rmat/rmat.h"
#include <stdbool.h>

/* What the choice depends on. */
typedef struct {
    uint64_t edges;
    int id_bytes;       /* 4 or 8 */
    int threads;        /* of the CPU */
    edgefile_path path; /* of the file; AUTO counts as DIRECT */
    bool gpu_present;
} backend_job;

/* The backend that is done sooner by the cost model of choose_backend.c; the CPU if in doubt. */
rmat_backend faster_backend(const backend_job *job);

/* The same, within what --backend auto may choose. */
rmat_backend choose_backend(const backend_job *job);

#endif
