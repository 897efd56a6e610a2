/* GPU memory, streams and copies: the table of binding_cuda() (private.h). */
#include "alias/gpu/device.h"
#include "apps/binding/graph.h"
#include "apps/binding/private.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdlib.h>

enum { GPUS = 64 };

/* Memory that stays with the pool when blocks are freed, for those that come next: asking the
 * driver again takes longer than making the edges. */
#define POOL_KEEPS ((uint64_t)2 << 30)

static cudaMemPool_t pools[GPUS];
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

static int check_cuda(cudaError_t error)
{
    if (error == cudaSuccess) {
        return BINDING_OK;
    }
    (void)cudaGetLastError();
    return binding_fail(error == cudaErrorMemoryAllocation ? BINDING_ERR_NOMEM : BINDING_ERR_CUDA,
                        "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
}

/* Makes the GPU the thread's current one. */
static int enter_device(int device, int *before)
{
    const int status = alias_gpu_enter(device, before);

    return status == ALIAS_OK
               ? BINDING_OK
               : binding_fail(BINDING_ERR_CUDA, "device %d: %s", device, alias_strerror(status));
}

/* A pool of our own: the settings of the default one are the application's. */
static int pool_of(int device, cudaMemPool_t *pool)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice,
                                     .location.id = device};
    uint64_t keep = POOL_KEEPS;
    int status = BINDING_OK;

    if (device < 0 || device >= GPUS) {
        return binding_fail(BINDING_ERR_CUDA, "device %d is out of range, allowed: 0 to %d", device,
                            GPUS - 1);
    }
    pthread_mutex_lock(&pools_lock);
    if (pools[device] == NULL) {
        status = check_cuda(cudaMemPoolCreate(&pools[device], &props));
        if (status == BINDING_OK) {
            status = check_cuda(
                cudaMemPoolSetAttribute(pools[device], cudaMemPoolAttrReleaseThreshold, &keep));
        }
    }
    *pool = pools[device];
    pthread_mutex_unlock(&pools_lock);
    return status;
}

static int allocate_on_gpu(void **data, int device, uint64_t bytes, void *stream)
{
    cudaMemPool_t pool = NULL;
    int before, status = enter_device(device, &before);

    if (status != BINDING_OK) {
        return status;
    }
    status = pool_of(device, &pool);
    if (status == BINDING_OK) {
        status = check_cuda(cudaMallocFromPoolAsync(data, bytes > 0 ? bytes : 1, pool, stream));
    }
    alias_gpu_leave(before);
    return status;
}

/* Nobody knows which streams have used the memory, so it is freed as cudaFree() frees: after all
 * work of the GPU. */
static void release_on_gpu(void *data, int device)
{
    int before;

    if (enter_device(device, &before) == BINDING_OK) {
        (void)cudaFree(data);
        (void)cudaGetLastError(); /* the driver may be gone already where the process ends */
        alias_gpu_leave(before);
    }
}

static int wait_for_stream(int device, void *stream)
{
    int before, status = enter_device(device, &before);

    if (status == BINDING_OK) {
        status = check_cuda(cudaStreamSynchronize(stream));
        alias_gpu_leave(before);
    }
    return status;
}

static int order_streams(int device, void *earlier, void *later)
{
    cudaEvent_t event;
    int before, status = enter_device(device, &before);

    if (status != BINDING_OK) {
        return status;
    }
    status = check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    if (status == BINDING_OK) {
        status = check_cuda(cudaEventRecord(event, earlier));
        if (status == BINDING_OK) {
            status = check_cuda(cudaStreamWaitEvent(later, event, 0));
        }
        (void)cudaEventDestroy(event);
    }
    alias_gpu_leave(before);
    return status;
}

static int copy_to_host(void *to, const void *from, uint64_t bytes, int device, void *stream)
{
    int before, status = enter_device(device, &before);

    if (status == BINDING_OK) {
        status = check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
        if (status == BINDING_OK) {
            status = check_cuda(cudaStreamSynchronize(stream));
        }
        alias_gpu_leave(before);
    }
    return status;
}

const binding_backend binding_of_cuda = {allocate_on_gpu, release_on_gpu, wait_for_stream,
                                         order_streams, copy_to_host};
