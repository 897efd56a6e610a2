/* Memory and time of a GPU, by CUDA. */
#include "apps/bench/device.h"
#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>

static int cuda(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

int device_select(int device, uint64_t *available)
{
    size_t free_bytes = 0, total;
    int status = cuda(cudaSetDevice(device));

    if (status == RMAT_OK) {
        status = cuda(cudaMemGetInfo(&free_bytes, &total));
    }
    *available = free_bytes;
    return status;
}

int device_alloc(void **place, size_t bytes)
{
    return cuda(cudaMalloc(place, bytes));
}

void device_release(void *place)
{
    (void)cudaFree(place);
}

int device_wait(void)
{
    return cuda(cudaDeviceSynchronize());
}

int device_span_begin(device_span *span)
{
    int status;

    *span = (device_span){NULL, NULL};
    status = cuda(cudaEventCreate((cudaEvent_t *)&span->begin));
    if (status == RMAT_OK) {
        status = cuda(cudaEventCreate((cudaEvent_t *)&span->end));
    }
    return status == RMAT_OK ? cuda(cudaEventRecord(span->begin, NULL)) : status;
}

static int elapsed(const device_span *span, double *seconds)
{
    float ms = 0;
    int status = cuda(cudaEventRecord(span->end, NULL));

    if (status == RMAT_OK) {
        status = cuda(cudaEventSynchronize(span->end));
    }
    if (status == RMAT_OK) {
        status = cuda(cudaEventElapsedTime(&ms, span->begin, span->end));
    }
    *seconds = 1e-3 * (double)ms;
    return status;
}

int device_span_end(device_span *span, double *seconds)
{
    int status = RMAT_ERR_CUDA;

    if (span->end != NULL) {
        status = elapsed(span, seconds);
        (void)cudaEventDestroy(span->end);
    }
    if (span->begin != NULL) {
        (void)cudaEventDestroy(span->begin);
    }
    return status;
}
