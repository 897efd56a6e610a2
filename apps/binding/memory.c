/* memory.c - GPU memory with a reference count, from a pool that keeps some of the freed memory;
 * DLPack tensors of this memory, and the destructor of their capsules. */
#include "alias/gpu/device.h"
#include "apps/binding/graph.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { GPUS = 64 };

/* Memory that stays with the pool when blocks are freed, for those that come next: asking the
 * driver again takes longer than making the edges. */
#define POOL_KEEPS ((uint64_t)2 << 30)

static cudaMemPool_t pools[GPUS];
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

struct binding_block {
    void *data;
    int device;
    atomic_int references;
};

static int check_cuda(cudaError_t error)
{
    if (error == cudaSuccess) {
        return BINDING_OK;
    }
    (void)cudaGetLastError();
    return binding_fail(error == cudaErrorMemoryAllocation ? BINDING_ERR_NOMEM : BINDING_ERR_CUDA,
                        "%s: %s", cudaGetErrorName(error), cudaGetErrorString(error));
}

/* Makes the GPU the thread's current one, until leave_device(). */
static int enter_device(int device, int *before)
{
    const int status = alias_gpu_enter(device, before);

    return status == ALIAS_OK
               ? BINDING_OK
               : binding_fail(BINDING_ERR_CUDA, "device %d: %s", device, alias_strerror(status));
}

/* The status of what was done meanwhile. */
static int leave_device(int before, cudaError_t error)
{
    const int status = check_cuda(error);

    alias_gpu_leave(before);
    return status;
}

/* A pool of our own: the settings of the default one are the application's. */
static cudaError_t pool_of(int device, cudaMemPool_t *pool)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice,
                                     .location.id = device};
    uint64_t keep = POOL_KEEPS;
    cudaError_t error = cudaSuccess;

    pthread_mutex_lock(&pools_lock);
    if (pools[device] == NULL) {
        error = cudaMemPoolCreate(&pools[device], &props);
        if (error == cudaSuccess) {
            error = cudaMemPoolSetAttribute(pools[device], cudaMemPoolAttrReleaseThreshold, &keep);
        }
    }
    *pool = pools[device];
    pthread_mutex_unlock(&pools_lock);
    return error;
}

static int allocate(void **data, int device, uint64_t bytes, void *stream)
{
    cudaMemPool_t pool = NULL;
    cudaError_t error;
    int before, status;

    if (device < 0 || device >= GPUS) {
        return binding_fail(BINDING_ERR_CUDA, "device %d is out of range, allowed: 0 to %d", device,
                            GPUS - 1);
    }
    status = enter_device(device, &before);
    if (status != BINDING_OK) {
        return status;
    }
    error = pool_of(device, &pool);
    if (error == cudaSuccess) {
        error = cudaMallocFromPoolAsync(data, bytes > 0 ? bytes : 1, pool, stream);
    }
    return leave_device(before, error);
}

int binding_block_create(binding_block **out, int device, uint64_t bytes, void *stream)
{
    binding_block *b = calloc(1, sizeof *b);
    const int status = b == NULL ? BINDING_ERR_NOMEM : allocate(&b->data, device, bytes, stream);

    *out = NULL;
    if (status != BINDING_OK) {
        free(b);
        return status;
    }
    b->device = device;
    atomic_init(&b->references, 1);
    *out = b;
    return BINDING_OK;
}

void *binding_block_data(const binding_block *b)
{
    return b->data;
}

void binding_block_release(binding_block *b)
{
    int before;

    if (b == NULL || atomic_fetch_sub(&b->references, 1) > 1) {
        return;
    }
    if (enter_device(b->device, &before) == BINDING_OK) {
        /* Nobody knows which streams have used the memory, so it is freed after all work of the
         * GPU.  Where the process ends the driver may be gone already. */
        (void)cudaFree(b->data);
        (void)cudaGetLastError();
        alias_gpu_leave(before);
    }
    free(b);
}

int binding_wait(int device, void *stream)
{
    int before;
    const int status = enter_device(device, &before);

    return status != BINDING_OK ? status : leave_device(before, cudaStreamSynchronize(stream));
}

int binding_order(int device, void *earlier, void *later)
{
    cudaEvent_t event;
    cudaError_t error;
    int before;
    const int status = enter_device(device, &before);

    if (status != BINDING_OK) {
        return status;
    }
    error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (error == cudaSuccess) {
        error = cudaEventRecord(event, earlier);
        if (error == cudaSuccess) {
            error = cudaStreamWaitEvent(later, event, 0);
        }
        (void)cudaEventDestroy(event);
    }
    return leave_device(before, error);
}

int binding_copy_to_host(void *to, const void *from, uint64_t bytes, int device, void *stream)
{
    cudaError_t error;
    int before;
    const int status = enter_device(device, &before);

    if (status != BINDING_OK) {
        return status;
    }
    error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(stream);
    }
    return leave_device(before, error);
}

/*
 * DLPack tensors of GPU memory (github.com/dmlc/dlpack, "Python Specification").
 *
 * The structs are DLPack's binary interface, as its documentation defines it: one from before
 * version 1.0, and one of version 1, whose first member is the version.
 */

enum { DEVICE_CUDA = 2 };

typedef struct {
    void *data;
    struct {
        int32_t type, id;
    } device;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

/* What a tensor needs to stay: allocated with it, and freed by its deleter. */
typedef struct {
    union {
        dl_managed managed;
        dl_versioned versioned;
    } as; /* first: the consumer's pointer is that of the whole */
    binding_block *block;
    int64_t shape, stride;
} holder;

static void free_holder(holder *h)
{
    binding_block_release(h->block);
    free(h);
}

static void delete_managed(dl_managed *self)
{
    free_holder(self->context);
}

static void delete_versioned(dl_versioned *self)
{
    free_holder(self->context);
}

void *binding_dlpack(binding_block *block, int64_t size, int code, int bits, int versioned)
{
    holder *h = calloc(1, sizeof *h);
    dl_tensor tensor = {.data = block->data,
                        .device = {DEVICE_CUDA, block->device},
                        .ndim = 1,
                        .dtype = {(uint8_t)code, (uint8_t)bits, 1}};

    if (h == NULL) {
        return NULL;
    }
    atomic_fetch_add(&block->references, 1);
    h->block = block;
    h->shape = size;
    h->stride = 1;
    tensor.shape = &h->shape;
    tensor.strides = &h->stride;
    if (versioned) {
        h->as.versioned = (dl_versioned){
            .version = {1, 0}, .context = h, .deleter = delete_versioned, .tensor = tensor};
    } else {
        h->as.managed = (dl_managed){.tensor = tensor, .context = h, .deleter = delete_managed};
    }
    return h;
}

/* Two functions of Python, to which this library is not linked: they are there where an interpreter
 * has loaded it. */
void *PyCapsule_GetPointer(void *capsule, const char *name) __attribute__((weak));
int PyCapsule_IsValid(void *capsule, const char *name) __attribute__((weak));

/* A consumer renames the capsule whose tensor it takes over. */
void binding_free_dlpack(void *capsule)
{
    static const char *const names[] = {"dltensor", "dltensor_versioned"};

    for (int i = 0; i < 2; i++) {
        if (PyCapsule_IsValid(capsule, names[i])) {
            free_holder(PyCapsule_GetPointer(capsule, names[i]));
            return;
        }
    }
}
