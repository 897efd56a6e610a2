/*
 * A GPU made of host memory, for the host code of the pipeline where there is no GPU.
 *
 * Each stream is a queue of tasks; they are done when something waits for them, in the order of the
 * stream.  Any call can be made to fail.
 */
#include "tests/support/fake_cuda.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_STREAMS = 16 };

/* Something that a stream has still to do: run(destination, ...). */
typedef struct task {
    struct task *next;
    void (*run)(const struct task *t);
    const rmat_gen *gen;
    void *to;
    rmat_arrays arrays;
    const void *from, *from_too;
    uint64_t first, count;
    int value;
} task;

typedef struct {
    task *head, **tail;
} queue;

typedef struct {
    queue *stream;
    bool fired;
} event;

static queue *streams[MOST_STREAMS];
static int n_streams, live, calls_left;
static bool stays_dead, dead;

void fake_fail(int after, bool for_good)
{
    calls_left = after;
    stays_dead = for_good;
    dead = false;
}

int fake_live(void)
{
    return live;
}

static cudaError_t call(void)
{
    if (!dead && (calls_left < 0 || calls_left-- > 0)) {
        return cudaSuccess;
    }
    calls_left = -1;
    dead = stays_dead;
    return cudaErrorLaunchFailure;
}

static cudaError_t enqueue(void *stream, task t)
{
    cudaError_t error = call();
    queue *q = stream;
    task *copy;

    if (error == cudaSuccess) {
        copy = malloc(sizeof *copy);
        *copy = t;
        copy->next = NULL;
        *q->tail = copy;
        q->tail = &copy->next;
    }
    return error;
}

static void drain(queue *q)
{
    while (q->head != NULL) {
        task *t = q->head;

        q->head = t->next;
        if (!dead) {
            t->run(t);
        }
        free(t);
    }
    q->tail = &q->head;
}

static cudaError_t allocate(void **out, size_t size)
{
    cudaError_t error = call();

    if (error == cudaSuccess) {
        *out = malloc(size);
        memset(*out, 0xAA, size);
        live++;
    }
    return error;
}

static cudaError_t release(void *memory)
{
    live -= memory != NULL;
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **out, size_t size)
{
    return allocate(out, size);
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags)
{
    (void)flags;
    return allocate(out, size);
}

cudaError_t cudaFree(void *memory)
{
    return release(memory);
}

cudaError_t cudaFreeHost(void *memory)
{
    return release(memory);
}

cudaError_t cudaSetDevice(int device)
{
    (void)device;
    return call();
}

cudaError_t cudaHostRegister(void *memory, size_t size, unsigned flags)
{
    cudaError_t error = call();

    (void)flags;
    if (error == cudaSuccess) {
        memset(memory, 0xBB, size); /* so that a sanitizer sees what does not belong to it */
        live++;
    }
    return error;
}

cudaError_t cudaHostUnregister(void *memory)
{
    (void)memory;
    live--;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    cudaError_t error = n_streams < MOST_STREAMS ? call() : cudaErrorMemoryAllocation;

    (void)flags;
    if (error == cudaSuccess) {
        queue *q = malloc(sizeof *q);

        q->head = NULL;
        q->tail = &q->head;
        streams[n_streams++] = q;
        *out = (cudaStream_t)q;
        live++;
    }
    return error;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    for (int i = 0; i < n_streams; i++) {
        if (streams[i] == (queue *)stream) {
            streams[i] = streams[--n_streams];
        }
    }
    drain((queue *)stream);
    return release(stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    cudaError_t error = call();

    (void)flags;
    if (error == cudaSuccess) {
        *out = calloc(1, sizeof(event));
        live++;
    }
    return error;
}

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    return release(e);
}

static void fire(const task *t)
{
    ((event *)t->to)->fired = true;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t stream)
{
    ((event *)e)->stream = (queue *)stream;
    ((event *)e)->fired = false;
    return enqueue(stream, (task){.run = fire, .to = e});
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    cudaError_t error = call();

    if (error == cudaSuccess) {
        drain(((event *)e)->stream);
    }
    return error;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    return dead ? cudaErrorLaunchFailure : ((event *)e)->fired ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaDeviceSynchronize(void)
{
    for (int i = 0; i < n_streams; i++) {
        drain(streams[i]);
    }
    return dead ? cudaErrorLaunchFailure : cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    return cudaSuccess;
}

static void copy_bytes(const task *t)
{
    memcpy(t->to, t->from, t->count);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind;
    return enqueue(stream, (task){.run = copy_bytes, .to = to, .from = from, .count = size});
}

static void set_bytes(const task *t)
{
    memset(t->to, t->value, t->count);
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream)
{
    return enqueue(stream, (task){.run = set_bytes, .to = to, .count = size, .value = value});
}

static void make(const task *t)
{
    rmat_generate_arrays(t->gen, t->first, t->count, &t->arrays);
}

static void add_fingerprint(const task *t)
{
    *(uint64_t *)t->to += rmat_fingerprint(t->from, t->from_too, t->count, t->value);
}

static int rmat_enqueue(void *stream, task t)
{
    return enqueue(stream, t) == cudaSuccess ? RMAT_OK : RMAT_ERR_CUDA;
}

int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream)
{
    return rmat_enqueue(
        stream, (task){.run = make, .gen = gen, .first = first, .count = count, .arrays = *arrays});
}

int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *result, void *stream)
{
    return rmat_enqueue(stream, (task){.run = add_fingerprint,
                                       .from = src,
                                       .from_too = dst,
                                       .count = count,
                                       .value = id_bytes,
                                       .to = result});
}

const char *rmat_gpu_error(void)
{
    return "cudaErrorLaunchFailure";
}

int rmat_used_device(const rmat_gen *gen)
{
    (void)gen;
    return 0;
}
