/*
 * partition.c - a range of the stream, edge by edge to the owners of intervals, on a GPU.
 *
 * A slice of the stream is gathered like an interval: from the first owner's first cell to the last
 * one's end, and no longer than fills the memory, judged by the slices before.  Its keys are
 * counted and scattered by owner (partition.cu), and leave for the buffers of the caller, which may
 * be in pinned host memory.  What is above an owner's quota waits for the next batch.
 *
 * Ranks of one host read each other's buffers through handles of CUDA (IPC), which another process
 * opens; within a process the address itself will do.
 */
#include "alias/gpu/device.h"
#include "rmat/sorted/exchange.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/try.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { OWN_BYTES = 2 << 20 };

typedef struct {
    int device;
    cudaStream_t stream;
    char *memory; /* for all of these, on the GPU */
    void *gathered, *scattered;
    gpu_interval_counters *counters;
    rmat_code *cuts;
    unsigned long long *owned; /* by owner: counts, then the next places */
    gpu_interval_gather gather;
    uint64_t room;                    /* keys of a slice */
    uint64_t first, left;             /* of the stream: not made yet */
    uint64_t made, kept;              /* in slices so far */
    unsigned long long *waiting, *at; /* in host memory, by owner: scattered keys that are left */
} state;

/* Measures the memory, and divides it unless it is NULL. */
static size_t lay_out(state *s, const rmat_partition *p)
{
    alias_arena all = {s->memory, 0};
    const size_t owners = (size_t)p->owners, bytes = (size_t)p->key_bytes;

    s->gathered = alias_arena_take(&all, s->room, bytes);
    s->scattered = alias_arena_take(&all, s->room, bytes);
    s->counters = alias_arena_take(&all, 1, sizeof *s->counters);
    s->cuts = alias_arena_take(&all, 2 * owners, sizeof *s->cuts);
    s->owned = alias_arena_take(&all, owners, sizeof *s->owned);
    return all.used;
}

static int create(rmat_partition *p)
{
    state *s = calloc(1, sizeof *s);
    int before, st;

    p->state = s;
    if (s == NULL) {
        return RMAT_ERR_NOMEM;
    }
    s->device = rmat_used_device(p->gen);
    s->room = (uint64_t)p->owners * p->quota;
    s->waiting = calloc((size_t)p->owners, sizeof *s->waiting);
    s->at = calloc((size_t)p->owners, sizeof *s->at);
    if (s->waiting == NULL || s->at == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_OR_RETURN(rmat_gpu_enter(p->gen, &before));
    RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    RMAT_TRY_CUDA(cudaMalloc((void **)&s->memory, lay_out(s, p)));
    (void)lay_out(s, p);
done:
    alias_gpu_leave(before);
    return st;
}

static void destroy(rmat_partition *p)
{
    state *s = p->state;
    int before;

    if (s == NULL) {
        return;
    }
    if (alias_gpu_enter(s->device, &before) == ALIAS_OK) {
        if (s->stream != NULL) {
            (void)cudaStreamSynchronize(s->stream);
            (void)cudaStreamDestroy(s->stream);
        }
        (void)cudaFree(s->memory);
        alias_gpu_leave(before);
    }
    (void)cudaGetLastError();
    free(s->waiting);
    free(s->at);
    free(s);
}

static void *allocate(const rmat_gen *gen, size_t bytes, rmat_memory where)
{
    void *memory = NULL;
    int before;

    if (rmat_gpu_enter(gen, &before) != RMAT_OK) {
        return NULL;
    }
    /* Less than OWN_BYTES would share its handle with other memory. */
    bytes = where == RMAT_MEMORY_DEVICE && bytes < OWN_BYTES ? OWN_BYTES : bytes;
    if (rmat_gpu_status(where == RMAT_MEMORY_HOST
                            ? (int)cudaHostAlloc(&memory, bytes, cudaHostAllocPortable)
                            : (int)cudaMalloc(&memory, bytes)) != RMAT_OK) {
        memory = NULL;
    }
    alias_gpu_leave(before);
    return memory;
}

static void release(const rmat_gen *gen, void *memory, rmat_memory where)
{
    int before;

    if (memory != NULL && rmat_gpu_enter(gen, &before) == RMAT_OK) {
        (void)(where == RMAT_MEMORY_HOST ? cudaFreeHost(memory) : cudaFree(memory));
        alias_gpu_leave(before);
    }
}

static int begin(rmat_partition *p, uint64_t first, uint64_t count)
{
    const int cols_scale = p->gen->config.cols_scale;
    state *s = p->state;
    gpu_interval_gather *g = &s->gather;
    int before, st;

    *g = (gpu_interval_gather){.low = rmat_code_of(&p->first, cols_scale),
                               .keys = s->gathered,
                               .room = s->room,
                               .counters = s->counters,
                               .cols_scale = cols_scale,
                               .key_bytes = p->key_bytes};
    g->last = rmat_code_of(&p->end, cols_scale) - g->low - 1;
    rmat_gpu_sieve(p->gen, g);
    s->first = first;
    s->left = count;
    s->made = s->kept = 0;
    memset(s->waiting, 0, (size_t)p->owners * sizeof *s->waiting);
    RMAT_OR_RETURN(rmat_gpu_enter(p->gen, &before));
    RMAT_TRY_CUDA(cudaMemcpyAsync(s->cuts, p->cuts, 2 * (size_t)p->owners * sizeof *s->cuts,
                                  cudaMemcpyHostToDevice, s->stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(s->stream));
done:
    alias_gpu_leave(before);
    return st;
}

/* How many edges to make next: as many as the memory holds always fit.  An eighth is left free, so
 * that no owner's quota is often exceeded. */
static uint64_t slice_for(const state *s)
{
    const double share = s->made > 0 ? ((double)s->kept + 1000) / (double)s->made : 1;
    const double slice = (double)(s->room / 8 * 7) / (share < 1 ? share : 1);

    return slice < (double)s->left ? (uint64_t)slice : s->left;
}

/* Gathers a slice; one that does not fit is made again, half as long. */
static int gather_slice(rmat_partition *p, uint64_t *n)
{
    const rmat_config *c = &p->gen->config;
    state *s = p->state;
    uint64_t slice = slice_for(s);
    gpu_interval_counters now;

    for (;; slice = slice / 2 > s->room ? slice / 2 : s->room) {
        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(s->counters, 0, sizeof *s->counters, s->stream));
        RMAT_OR_RETURN(
            (c->rows_scale <= 32 && c->cols_scale <= 32 ? rmat_gpu_gather : rmat_gpu_gather_wide)(
                p->gen, s->first, slice, &s->gather, s->stream));
        RMAT_CUDA_OR_RETURN(
            cudaMemcpyAsync(&now, s->counters, sizeof now, cudaMemcpyDeviceToHost, s->stream));
        RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(s->stream));
        if (now.taken <= s->room) {
            break;
        }
    }
    s->first += slice;
    s->left -= slice;
    s->made += slice;
    s->kept += now.taken;
    atomic_fetch_add(p->made, slice);
    *n = now.taken;
    return RMAT_OK;
}

/* Sorts n gathered keys by owner. */
static int distribute(const rmat_partition *p, uint64_t n)
{
    state *s = p->state;
    const size_t bytes = (size_t)p->owners * sizeof *s->owned;
    const gpu_partition_keys keys = {s->gathered, n, s->cuts, (uint32_t)p->owners, p->key_bytes};
    unsigned long long sum = 0;

    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(s->owned, 0, bytes, s->stream));
    RMAT_OR_RETURN(rmat_gpu_count_owners(&keys, s->owned, s->stream));
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(s->waiting, s->owned, bytes, cudaMemcpyDeviceToHost, s->stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(s->stream));
    for (int k = 0; k < p->owners; k++) {
        s->at[k] = sum;
        sum += s->waiting[k];
    }
    RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(s->owned, s->at, bytes, cudaMemcpyHostToDevice, s->stream));
    return rmat_gpu_scatter_owners(&keys, s->owned, s->scattered, s->stream);
}

static bool has_waiting(const rmat_partition *p)
{
    const state *s = p->state;
    bool waiting = false;

    for (int k = 0; k < p->owners; k++) {
        waiting |= s->waiting[k] != 0;
    }
    return waiting;
}

/* The waiting keys up to the quotas, to their buffers. */
static int hand_out(const rmat_partition *p, void *const *to, uint64_t *counts)
{
    state *s = p->state;
    const size_t bytes = (size_t)p->key_bytes;

    for (int k = 0; k < p->owners; k++) {
        counts[k] = s->waiting[k] < p->quota ? s->waiting[k] : p->quota;
        if (counts[k] > 0) {
            RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(to[k], (char *)s->scattered + s->at[k] * bytes,
                                                counts[k] * bytes, cudaMemcpyDefault, s->stream));
        }
        s->at[k] += counts[k];
        s->waiting[k] -= counts[k];
    }
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

static int batch(rmat_partition *p, void *const *to, uint64_t *counts, bool *more)
{
    state *s = p->state;
    int before, st = RMAT_OK;

    RMAT_OR_RETURN(rmat_gpu_enter(p->gen, &before));
    if (rmat_stops(p->gen)) {
        RMAT_TRY(RMAT_ERR_STOPPED);
    }
    if (!has_waiting(p) && s->left > 0) {
        uint64_t n;

        RMAT_TRY(gather_slice(p, &n));
        RMAT_TRY(distribute(p, n));
    }
    RMAT_TRY(hand_out(p, to, counts));
    *more = has_waiting(p) || s->left > 0;
done:
    alias_gpu_leave(before);
    return st;
}

static uint64_t process;

static void draw_process(void)
{
    if (getrandom(&process, sizeof process, 0) != (ssize_t)sizeof process) {
        process = 0;
    }
}

/* The number of this process, which no other has. */
static uint64_t own_process(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, draw_process);
    return process;
}

static void offer(const rmat_gen *gen, void *memory, rmat_peer_memory *p)
{
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");
    cudaIpcMemHandle_t handle;
    int before;

    _Static_assert(sizeof handle == sizeof p->handle, "as CUDA has it");
    *p = (rmat_peer_memory){.address = (uintptr_t)memory};
    if (boot != NULL && fgets(p->host, sizeof p->host, boot) != NULL &&
        rmat_gpu_enter(gen, &before) == RMAT_OK) {
        if (cudaIpcGetMemHandle(&handle, memory) == cudaSuccess) {
            memcpy(p->handle, &handle, sizeof handle);
            p->process = own_process();
        }
        (void)cudaGetLastError();
        alias_gpu_leave(before);
    }
    if (boot != NULL) {
        fclose(boot);
    }
}

static void *open_memory(const rmat_gen *gen, const rmat_peer_memory *p)
{
    cudaIpcMemHandle_t handle;
    void *memory = NULL;
    int before;

    if (p->process == own_process()) {
        return (void *)(uintptr_t)p->address;
    }
    if (rmat_gpu_enter(gen, &before) == RMAT_OK) {
        memcpy(&handle, p->handle, sizeof handle);
        if (cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
            memory = NULL;
        }
        (void)cudaGetLastError();
        alias_gpu_leave(before);
    }
    return memory;
}

static void close_memory(const rmat_gen *gen, const rmat_peer_memory *p, void *memory)
{
    int before;

    if (memory != NULL && p->process != own_process() && rmat_gpu_enter(gen, &before) == RMAT_OK) {
        (void)cudaIpcCloseMemHandle(memory);
        (void)cudaGetLastError();
        alias_gpu_leave(before);
    }
}

const rmat_partition_ops *rmat_gpu_partition_ops(void)
{
    static const rmat_partition_ops ops = {create, destroy, allocate,    release,     begin,
                                           batch,  offer,   open_memory, close_memory};

    return &ops;
}
