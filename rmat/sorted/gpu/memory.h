/* memory.h - private to rmat/: memory of a generator's GPU. */
#ifndef RMAT_SORTED_GPU_MEMORY_H
#define RMAT_SORTED_GPU_MEMORY_H

#include "rmat/rmat.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *rmat_gpu_allocate(const rmat_gen *gen, size_t bytes); /* NULL: rmat_gpu_error() says why */
void rmat_gpu_release(const rmat_gen *gen, void *memory);   /* NULL is allowed */
int rmat_gpu_finish(const rmat_gen *gen);                   /* waits for the default stream */

#ifdef __cplusplus
}
#endif

#endif
