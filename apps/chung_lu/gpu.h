/* Edges of chung_lu from a GPU. */
#ifndef APPS_CHUNG_LU_GPU_H
#define APPS_CHUNG_LU_GPU_H

#include "apps/chung_lu/edges.h"
#include <stddef.h>

typedef struct chung_lu_gpu chung_lu_gpu;

typedef struct {
    /* For GPU `device`, where the tables are.  tables and stream are borrowed.  Returns 0, or -1
     * and why. */
    int (*open)(chung_lu_gpu **out, const chung_lu_tables *tables, const chung_lu_stream *stream,
                int device, char *text, size_t size);
    void (*close)(chung_lu_gpu *gpu);

    /* Starts filling device memory with edges [first, first + count), in a CUDA stream; one thread
     * at a time.  Returns an alias_status. */
    int (*fill)(chung_lu_gpu *gpu, uint64_t first, uint64_t count, const rmat_arrays *to,
                void *stream);
} chung_lu_backend;

/* NULL in a build without CUDA, where no table is on a GPU. */
static inline const chung_lu_backend *chung_lu_cuda(void)
{
#ifdef RMAT_HAVE_CUDA
    extern const chung_lu_backend chung_lu_of_cuda; /* gpu.c */

    return &chung_lu_of_cuda;
#else
    return NULL;
#endif
}

#endif
