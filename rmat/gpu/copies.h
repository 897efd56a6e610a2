/*
 * copies.h - private to rmat/: copies of a table in the memory of every GPU that needs one.
 *
 * An edge source does not know which GPUs it will be used on.  The first call on a GPU makes the
 * copy; all are freed together.  Thread-safe.
 */
#ifndef RMAT_GPU_COPIES_H
#define RMAT_GPU_COPIES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rmat_gpu_copies rmat_gpu_copies;

/* Sets *copy to the copy of `bytes` bytes of host memory on the current GPU.  *copies begins as
 * NULL and is to be freed with rmat_gpu_copies_free(), after all work that uses the copies.  0,
 * RMAT_ERR_NOMEM or RMAT_ERR_CUDA. */
int rmat_gpu_copy(rmat_gpu_copies **copies, const void *host, size_t bytes, const void **copy);
void rmat_gpu_copies_free(rmat_gpu_copies *copies); /* NULL is allowed */

#ifdef __cplusplus
}
#endif

#endif
