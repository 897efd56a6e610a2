/* The memory of a table on the GPU. */
#include "alias/gpu/state.h"

#include <stdlib.h>

int alias_gpu_allocate(alias_table *table)
{
    const uint64_t word = (uint64_t)table->row_bytes / 2;
    const int soa = table->config.layout == ALIAS_ROWS_SOA;
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice};
    uint64_t keep = UINT64_MAX;
    alias_gpu_state *state = calloc(1, sizeof(*state));
    int device = table->config.device, before, st;
    cudaError_t error;

    if (state == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    table->gpu = state;
    if (device >= alias_gpu_count()) {
        return ALIAS_ERR_DEVICE;
    }
    if (device < 0) {
        st = alias_gpu_status(cudaGetDevice(&device));
        if (st != ALIAS_OK) {
            return st;
        }
    }
    state->device = device;
    st = alias_gpu_enter(device, &before);
    if (st != ALIAS_OK) {
        return st;
    }
    props.location.id = device;
    error = cudaDeviceGetAttribute(&state->multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess) {
        error = cudaMalloc(&table->rows, table->n * (soa ? word : 2 * word));
    }
    if (error == cudaSuccess && soa) {
        error = cudaMalloc(&state->alias, table->n * word);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&state->scalars, sizeof(*state->scalars));
    }
    if (error == cudaSuccess) {
        error = cudaMemset(state->scalars, 0xff, sizeof(*state->scalars)); /* bad_so_far */
    }
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(NULL); /* streams that do not wait for this one may use it */
    }
    if (error == cudaSuccess) {
        error = cudaEventCreateWithFlags(&state->built, cudaEventDisableTiming);
    }
    if (error == cudaSuccess) {
        error = cudaMemPoolCreate(&state->pool, &props);
    }
    if (error == cudaSuccess) {
        error = cudaMemPoolSetAttribute(state->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    }
    st = alias_gpu_status(error);
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
