/*
 * alias/gpu/allocate.c - the device memory that belongs to a table on a GPU: its rows, the pool for
 * the scratch memory of draws, and the results and the event of its last build.
 */
#include "alias/gpu/state.h"

#include <stdbool.h>
#include <stdlib.h>

int alias_gpu_allocate(alias_table *table)
{
    const uint64_t word = (uint64_t)table->row_bytes / 2;
    const bool soa = table->config.layout == ALIAS_ROWS_SOA;
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice};
    uint64_t keep = UINT64_MAX;
    alias_gpu_state *state = calloc(1, sizeof(*state));
    int device = table->config.device, before, st;

    if (state == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    table->gpu = state;
    st = alias_gpu_choose(&device);
    if (st != ALIAS_OK) {
        return st;
    }
    state->device = device;
    st = alias_gpu_enter(device, &before);
    if (st != ALIAS_OK) {
        return st;
    }
    props.location.id = device;
    ALIAS_GPU_TRY(
        cudaDeviceGetAttribute(&state->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    ALIAS_GPU_TRY(cudaMalloc(&table->rows, table->n * (soa ? word : 2 * word)));
    if (soa) {
        ALIAS_GPU_TRY(cudaMalloc(&state->alias, table->n * word));
    }
    ALIAS_GPU_TRY(cudaMalloc((void **)&state->scalars, sizeof(*state->scalars)));
    ALIAS_GPU_TRY(cudaMemset(state->scalars, 0xff, sizeof(*state->scalars))); /* bad_so_far */
    /* Non-blocking streams, which do not wait for the default stream, may use the scalars. */
    ALIAS_GPU_TRY(cudaStreamSynchronize(NULL));
    ALIAS_GPU_TRY(cudaEventCreateWithFlags(&state->built, cudaEventDisableTiming));
    ALIAS_GPU_TRY(cudaMemPoolCreate(&state->pool, &props));
    ALIAS_GPU_TRY(cudaMemPoolSetAttribute(state->pool, cudaMemPoolAttrReleaseThreshold, &keep));
done:
    alias_gpu_leave(before);
    return st;
}

void alias_gpu_release(alias_table *table)
{
    alias_gpu_state *state = table->gpu;
    int before;

    if (state == NULL) {
        return;
    }
    if (alias_gpu_enter(state->device, &before) == ALIAS_OK) {
        (void)cudaFree(table->rows);
        (void)cudaFree(state->alias);
        (void)cudaFree(state->scalars);
        if (state->built != NULL) {
            (void)cudaEventDestroy(state->built);
        }
        if (state->pool != NULL) {
            (void)cudaMemPoolDestroy(state->pool);
        }
        alias_gpu_leave(before);
    }
    (void)cudaGetLastError();
    free(state);
}
