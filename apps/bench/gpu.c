/*
 * A GPU as a backend of measurements: its memory and its clock, whose time is between two events.
 */
#include "apps/bench/bench.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"
#include <cuda_runtime_api.h>

static int status_of(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static int use_gpu(int device)
{
    return status_of(cudaSetDevice(device));
}

static int allocate_on_gpu(void **place, size_t bytes)
{
    return status_of(cudaMalloc(place, bytes));
}

static void release_on_gpu(void *place)
{
    (void)cudaFree(place);
}

static int set_on_gpu(void *place, size_t bytes, int threads)
{
    (void)threads;
    return status_of(cudaMemsetAsync(place, 1, bytes, NULL));
}

static int make_on_gpu(const rmat_gen *gen, uint64_t first, uint64_t n, const rmat_arrays *to)
{
    return rmat_generate_arrays_device(gen, first, n, to, NULL);
}

static int begin_on_gpu(bench_timer *t)
{
    RMAT_CUDA_OR_RETURN(cudaEventCreate(&t->begin));
    RMAT_CUDA_OR_RETURN(cudaEventCreate(&t->end));
    RMAT_CUDA_OR_RETURN(cudaEventRecord(t->begin, NULL));
    return RMAT_OK;
}

static int seconds_between(const bench_timer *t, double *seconds)
{
    float ms;

    RMAT_CUDA_OR_RETURN(cudaEventRecord(t->end, NULL));
    RMAT_CUDA_OR_RETURN(cudaEventSynchronize(t->end));
    RMAT_CUDA_OR_RETURN(cudaEventElapsedTime(&ms, t->begin, t->end));
    *seconds += 1e-3 * (double)ms;
    return RMAT_OK;
}

static int end_on_gpu(bench_timer *t, int status, double *seconds)
{
    status = status == RMAT_OK ? seconds_between(t, seconds) : status;
    if (t->begin != NULL) {
        (void)cudaEventDestroy(t->begin);
    }
    if (t->end != NULL) {
        (void)cudaEventDestroy(t->end);
    }
    return status;
}

static int pin_on_host(void **place, size_t bytes)
{
    return status_of(cudaMallocHost(place, bytes));
}

static void unpin_on_host(void *place)
{
    (void)cudaFreeHost(place);
}

static int copy_to_host(void *to, const void *from, size_t bytes)
{
    return status_of(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, NULL));
}

const bench_backend bench_cuda = {
    .use = use_gpu,
    .allocate = allocate_on_gpu,
    .release = release_on_gpu,
    .set = set_on_gpu,
    .make = make_on_gpu,
    .begin = begin_on_gpu,
    .end = end_on_gpu,
    .pin = pin_on_host,
    .unpin = unpin_on_host,
    .copy = copy_to_host,
};
