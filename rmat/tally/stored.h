/* stored.h - private to this repository: counts of edges that are stored in device memory; in a
 * build with CUDA alone. */
#ifndef RMAT_TALLY_STORED_H
#define RMAT_TALLY_STORED_H

#include "rmat/model/permutation.h"
#include "rmat/rmat_tally.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RMAT_TALLY_CHUNK = 1 << 12 };

/*
 * Starts adding the bits of levels to *tally, all in the memory of the current GPU.  gen: of any
 * backend, whose permutation is undone first, in place; or NULL.  Ids are below the number of its
 * vertices.  Both arrays have room for a multiple of RMAT_TALLY_CHUNK ids.  tally->edges does not
 * change.  0, RMAT_ERR_CUDA.
 */
int rmat_tally_stored(const rmat_gen *gen, void *src, void *dst, uint64_t count, int id_bytes,
                      rmat_tally *tally, void *stream);

/* stored.cu: permutations of rows and of columns, or NULL. */
int rmat_gpu_tally_stored(const rmat_permutation *p, void *src, void *dst, uint64_t count,
                          int id_bytes, rmat_tally *tally, void *stream);

#ifdef __cplusplus
}
#endif

#endif
