/* alias/gpu/bench_split.c - the input of PSA's split step, for the benchmark of that step. */
#include "alias/gpu/bench_split.h"

int alias_gpu_split_prepare(alias_gpu_partition *part, const double *weights, uint64_t n,
                            alias_arena *arena, cudaStream_t stream)
{
    alias_gpu_scalars scalars, *device = alias_arena_take(arena, 1, sizeof(*device));
    alias_gpu_plan plan = {.weights = weights, .n = n, .k = 32, .scalars = device};
    int st;

    if (arena->base != NULL) { /* no unusable weight so far */
        ALIAS_GPU_TRY(cudaMemsetAsync(device, 0xff, sizeof(*device), stream));
    }
    ALIAS_TRY(alias_gpu_plan_weights(&plan, arena, stream));
    ALIAS_TRY(alias_gpu_partition_items(part, &plan, arena, stream));
    if (arena->base != NULL) {
        ALIAS_GPU_TRY(cudaStreamSynchronize(stream));
        ALIAS_GPU_TRY(cudaMemcpy(&scalars, device, sizeof(scalars), cudaMemcpyDeviceToHost));
        st = scalars.status;
    }
done:
    return st;
}
