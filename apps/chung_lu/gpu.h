/* Edges of chung_lu from a GPU.  A build without CUDA has these functions too, and they fail. */
#ifndef APPS_CHUNG_LU_GPU_H
#define APPS_CHUNG_LU_GPU_H

#include "apps/chung_lu/edges.h"
#include <stddef.h>

typedef struct chung_lu_gpu chung_lu_gpu;

/* For GPU `device`, where the tables are.  tables and stream are borrowed.  Returns 0, or -1 and
 * why. */
int chung_lu_gpu_open(chung_lu_gpu **out, const chung_lu_tables *tables,
                      const chung_lu_stream *stream, int device, char *text, size_t size);
void chung_lu_gpu_close(chung_lu_gpu *gpu); /* NULL is allowed */

/* Starts filling device memory with edges [first, first + count), in a CUDA stream; one thread at a
 * time.  Returns an alias_status. */
int chung_lu_gpu_fill(chung_lu_gpu *gpu, uint64_t first, uint64_t count, const rmat_arrays *to,
                      void *stream);

#endif
