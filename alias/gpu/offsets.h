/*
 * alias/gpu/offsets.h - the number of draws in each section of a sectioned batch from a GPU table,
 * for the samplers and alias_device.cuh.  alias/core/sections.h has the method.
 */
#ifndef ALIAS_GPU_OFFSETS_H
#define ALIAS_GPU_OFFSETS_H

#include "alias/alias.h"
#include "alias/core/sections.h"

#include <cuda_runtime_api.h>
#include <stdint.h>

/* alias_device.cuh uses these too. */
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns the sections of a GPU table in *layout, and starts to compute on the stream the offsets
 * of all sections in the batch. *offsets points to layout->sections + 1 values in device memory;
 * the last one is count.  The table's GPU must be the current one.  Returns 0 or an alias_status;
 * on an error *offsets is NULL.
 */
int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets);

/* Frees the offsets in stream order. */
int alias_sections_end(uint64_t *offsets, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
