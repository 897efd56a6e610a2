/* Edges of chung_lu from a GPU.  A build without CUDA has these functions too, and they fail. */
#ifndef APPS_CHUNG_LU_GPU_H
#define APPS_CHUNG_LU_GPU_H

#include "apps/chung_lu/chung_lu.h"

typedef struct chung_lu_gpu chung_lu_gpu;

/* Room for the sources of a batch in the memory of GPU `device`, where the table is.  table and
 * stream are borrowed.  Returns 0, or -1 and why. */
int chung_lu_gpu_open(chung_lu_gpu **out, const alias_table *table, const chung_lu_stream *stream,
                      int device, char *text, size_t size);
void chung_lu_gpu_close(chung_lu_gpu *gpu); /* NULL is allowed */

/* For the pipeline, with a plan of apps/engine/pipeline/gpu.h whose chunks divide a batch.  gpu is
 * borrowed. */
pipeline_producer chung_lu_gpu_producer(chung_lu_gpu *gpu);

/* Make all edges 1 + repeat times in the GPU's memory, as many at a time as fit into it, and time
 * it by the GPU's clock.  Returns 0, or -1 and why. */
int chung_lu_gpu_measure(const alias_table *table, const chung_lu_stream *stream, int device,
                         uint64_t repeat, chung_lu_measured *m, char *text, size_t size);

#endif
