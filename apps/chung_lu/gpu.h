/* What gpu.c and gpu_edges.cu share: draws into device memory. */
#ifndef APPS_CHUNG_LU_GPU_H
#define APPS_CHUNG_LU_GPU_H

#include "alias/core/sections.h"
#include "apps/chung_lu/graph.h"
#include <cuda_runtime_api.h>

/* How the sources of a batch are divided among the sections of their table. */
typedef struct {
    uint64_t first; /* edge of the batch */
    alias_sampler sampler;
    alias_sections layout;
    uint64_t *offsets; /* in device memory; NULL: there is no batch */
} chung_lu_gpu_batch;

/* The sampler of the sources of a batch of so many edges. */
alias_sampler chung_lu_gpu_sampler(const alias_table *table, uint64_t count);

/*
 * All others return an alias_status, and only start their work in the stream.
 *
 * chung_lu_gpu_begin_batch() computes where the sources of the batch come from that begins at
 * `first`; then chung_lu_gpu_draw_edges() makes any of its edges, in any order and as often as
 * asked, until chung_lu_gpu_end_batch().
 */
int chung_lu_gpu_begin_batch(chung_lu_gpu_batch *batch, const alias_table *sources,
                             const chung_lu_stream *s, uint64_t first, cudaStream_t stream);
int chung_lu_gpu_draw_edges(const chung_lu_tables *tables, const chung_lu_stream *s,
                            const chung_lu_gpu_batch *batch, uint64_t first, uint64_t count,
                            const rmat_arrays *to, cudaStream_t stream);
int chung_lu_gpu_end_batch(chung_lu_gpu_batch *batch, cudaStream_t stream);

#endif
