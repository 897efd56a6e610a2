/* What gpu.c and gpu_measure.c share: draws into device memory. */
#ifndef APPS_CHUNG_LU_GPU_DRAW_H
#define APPS_CHUNG_LU_GPU_DRAW_H

#include "apps/chung_lu/gpu.h"
#include <cuda_runtime_api.h>

/* 0, or -1 and a text that says what failed. */
int chung_lu_cuda_failed(cudaError_t error, const char *what, int device, char *text, size_t size);

/* Start to draw all sources of the batch that begins at `first`; any draws of the baseline sampler.
 * Both return an alias_status. */
int chung_lu_gpu_draw_sources(const alias_table *table, const chung_lu_stream *s, uint64_t first,
                              int id_bytes, void *out, cudaStream_t stream);
int chung_lu_gpu_draw(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                      int id_bytes, void *out, cudaStream_t stream);

#endif
