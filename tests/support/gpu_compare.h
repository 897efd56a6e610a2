#ifndef TESTS_SUPPORT_GPU_COMPARE_H
#define TESTS_SUPPORT_GPU_COMPARE_H

#include "alias/alias_gpu.h"

#include <cuda_runtime_api.h>

/* The first row in which two tables of the same size and width differ; else how many there are. */
cudaError_t gpu_first_difference(const alias_view *a, const alias_view *b, uint64_t *first);

#endif
