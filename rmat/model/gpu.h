/*
 * gpu.h - private to rmat/: the interface of the GPU backend to the rest of rmat/, a table of
 * functions.  A build without CUDA has no such table.
 *
 * A new function is an entry here and a definition, rmat_gpu_NAME(), in a file of rmat/ that only a
 * build with CUDA compiles.
 */
#ifndef RMAT_MODEL_GPU_H
#define RMAT_MODEL_GPU_H

#include "rmat/model/official.h"
#include "rmat/model/permutation.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_source.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Name, result and parameters of each function.
 *
 * prepare: of a generator with its tables or source; destroy: also after a failure of prepare.
 * generate: rmat_generate_arrays() with checked arguments.
 * interval_ops: the backend of intervals.
 * start: rmat_generate_arrays_device() with checked arguments.
 * graph500, gapbs: rmat_source.fill_device of a rmat_graph500 and a rmat_gapbs.
 * allocate, release, finish: memory of a generator's GPU, and waiting for its default stream.
 *   allocate returns NULL with the reason in rmat_gpu_error(); release allows NULL.
 * rows_part, rows_batch: rows/rows.h.
 *
 * The others have the names of functions in rmat_gpu.h and official.h and do the same.
 */
#define RMAT_GPU_FUNCTIONS(F)                                                                      \
    F(prepare, int, (rmat_gen * gen))                                                              \
    F(destroy, void, (rmat_gen * gen))                                                             \
    F(generate, int, (const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)) \
    F(interval_ops, const struct rmat_interval_ops *, (void))                                      \
    F(view, rmat_view, (const rmat_gen *gen))                                                      \
    F(start, int,                                                                                  \
      (const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to, void *stream))  \
    F(fingerprint, int,                                                                            \
      (const void *src, const void *dst, uint64_t count, int id_bytes, uint64_t *result,           \
       void *stream))                                                                              \
    F(copies_free, void, (rmat_gpu_copies * copies))                                               \
    F(graph500, int,                                                                               \
      (void *state, uint64_t first, uint64_t count, const rmat_arrays *to, void *stream))          \
    F(gapbs, int,                                                                                  \
      (void *state, uint64_t first, uint64_t count, const rmat_arrays *to, void *stream))          \
    F(allocate, void *, (const rmat_gen *gen, size_t bytes))                                       \
    F(release, void, (const rmat_gen *gen, void *memory))                                          \
    F(finish, int, (const rmat_gen *gen))                                                          \
    F(rows_part, int, (const struct rmat_rows_target *part, void *stream))                         \
    F(rows_batch, int, (const struct rmat_rows_batch *batch, void *stream))

struct rmat_rows_target; /* rows/rows.h */
struct rmat_rows_batch;

#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_GPU_MEMBER(name, result, parameters)    result(*name) parameters;
#define RMAT_GPU_PROTOTYPE(name, result, parameters) result rmat_gpu_##name parameters;

typedef struct {
    RMAT_GPU_FUNCTIONS(RMAT_GPU_MEMBER)
} rmat_gpu_backend;

RMAT_GPU_FUNCTIONS(RMAT_GPU_PROTOTYPE)

extern const rmat_gpu_backend rmat_gpu_cuda; /* gpu/backend.c */

/* NULL in a build without CUDA. */
static inline const rmat_gpu_backend *rmat_gpu(void)
{
#ifdef RMAT_HAVE_CUDA
    return &rmat_gpu_cuda;
#else
    return NULL;
#endif
}

#ifdef __cplusplus
}
#endif

#endif
