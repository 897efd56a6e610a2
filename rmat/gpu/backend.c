/*
 * backend.c - the GPU backend: copies of tables on several GPUs, and the generator's state on its
 * GPU (tables, a pool of scratch memory).  Also the lists of edges set aside, ranges of
 * edges into device and host memory, and the table of all functions of the backend.  The kernels
 * are in the .cu and .cuh files (rmat_device.cuh explains them).
 */
#include "rmat/gpu/backend.h"
#include "alias/gpu/device.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/model/official.h"
#include "rmat/try.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* Protects all copies.  It is held for microseconds, or once while a copy is made. */
static pthread_mutex_t copies_lock = PTHREAD_MUTEX_INITIALIZER;

static int make_copy(void **copy, const void *host, size_t bytes)
{
    void *memory = NULL;
    int st;

    RMAT_TRY_CUDA(cudaMalloc(&memory, bytes));
    RMAT_TRY_CUDA(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
    RMAT_TRY_CUDA(cudaStreamSynchronize(NULL)); /* for streams that do not wait for this one */
    *copy = memory;
    memory = NULL;
done:
    (void)cudaFree(memory);
    return st;
}

int rmat_gpu_copy(rmat_gpu_copies *copies, const void *host, size_t bytes, const void **copy)
{
    int device, st = RMAT_OK;

    RMAT_CUDA_OR_RETURN(cudaGetDevice(&device));
    if (device >= RMAT_MAX_GPUS) {
        return RMAT_ERR_DEVICE;
    }
    pthread_mutex_lock(&copies_lock);
    if (copies->on[device] == NULL) {
        st = make_copy(&copies->on[device], host, bytes);
    }
    *copy = copies->on[device];
    pthread_mutex_unlock(&copies_lock);
    return st;
}

void rmat_gpu_copies_free(rmat_gpu_copies *copies)
{
    for (int device = 0; device < RMAT_MAX_GPUS; device++) {
        int before;

        if (copies->on[device] != NULL && alias_gpu_enter(device, &before) == ALIAS_OK) {
            (void)cudaFree(copies->on[device]);
            alias_gpu_leave(before);
        }
    }
}

/* The largest fraction of unwanted draws for which the first kernel sets them aside. */
#define RARELY (1.0 / 256)

typedef struct {
    cudaMemPool_t pool;       /* scratch memory of calls, freed in stream order */
    void *tables;             /* a copy of rmat_gen.tables in device memory */
    rmat_view view;           /* points into tables */
    uint32_t capacity, limit; /* of lists; capacity 0: as computed; rmat_gpu_set_ties() */
} gpu_state;

int rmat_alias_status(int alias_status)
{
    switch (alias_status) {
    case ALIAS_OK:
        return RMAT_OK;
    case ALIAS_ERR_NOMEM:
        return RMAT_ERR_NOMEM;
    case ALIAS_ERR_DEVICE:
        return RMAT_ERR_DEVICE;
    case ALIAS_ERR_NO_BACKEND:
        return RMAT_ERR_NO_BACKEND;
    default:
        return RMAT_ERR_CUDA;
    }
}

int rmat_gpu_enter(const rmat_gen *gen, int *before)
{
    return rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), before));
}

int rmat_gpu_status(int error)
{
    return rmat_alias_status(alias_gpu_status((cudaError_t)error));
}

int rmat_gpu_launched(void)
{
    return rmat_alias_status(alias_gpu_launched());
}

/* Allocates everything in device memory and fills it.  rmat_gpu_destroy() frees what exists. */
static int allocate_state(gpu_state *s, const rmat_gen *gen)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice,
                                     .location.id = gen->config.device};
    uint64_t keep = UINT64_MAX;

    RMAT_CUDA_OR_RETURN(cudaMemPoolCreate(&s->pool, &props));
    RMAT_CUDA_OR_RETURN(cudaMemPoolSetAttribute(s->pool, cudaMemPoolAttrReleaseThreshold, &keep));
    if (gen->table_bytes != 0) { /* an edge source has no tables */
        RMAT_CUDA_OR_RETURN(cudaMalloc(&s->tables, gen->table_bytes));
        RMAT_CUDA_OR_RETURN(
            cudaMemcpy(s->tables, gen->tables, gen->table_bytes, cudaMemcpyHostToDevice));
    }
    RMAT_CUDA_OR_RETURN(
        cudaStreamSynchronize(NULL)); /* for streams that do not wait for this one */
    return RMAT_OK;
}

/* The limit that no tie reaches: see rmat_words_to_ends(). */
static uint32_t usual_limit(const gpu_state *s)
{
    return 2u << (32 - rmat_fraction_bits(s->view.groups));
}

int rmat_gpu_prepare(rmat_gen *gen)
{
    const int gpus = alias_gpu_count();
    gpu_state *s = gpus > 0 ? calloc(1, sizeof *s) : NULL;
    const char *host = gen->tables;
    int before, st;

    if (s == NULL) {
        return gpus > 0 ? RMAT_ERR_NOMEM : RMAT_ERR_NO_BACKEND;
    }
    gen->gpu = s;
    if (gen->config.device >= gpus) {
        return RMAT_ERR_DEVICE;
    }
    if (gen->config.device < 0) {
        RMAT_CUDA_OR_RETURN(cudaGetDevice(&gen->config.device));
    }
    RMAT_OR_RETURN(rmat_gpu_enter(gen, &before));
    st = allocate_state(s, gen);
    alias_gpu_leave(before);
    s->view = gen->view;
    for (int g = 0; g < s->view.groups; g++) {
        const char *device = s->tables;

        s->view.full[g] = (const uint64_t *)(device + ((const char *)gen->view.full[g] - host));
        s->view.fast[g] = (const uint32_t *)(device + ((const char *)gen->view.fast[g] - host));
    }
    s->limit = usual_limit(s);
    if ((s->view.transform & RMAT_TRANSFORM_REDRAWN) && 1 - gen->kept > RARELY) {
        s->view.transform |= RMAT_TRANSFORM_OFTEN;
    }
    return st;
}

void rmat_gpu_destroy(rmat_gen *gen)
{
    gpu_state *s = gen->gpu;
    int before;

    if (rmat_gpu_enter(gen, &before) == RMAT_OK) {
        (void)cudaFree(s->tables);
        if (s->pool != NULL) {
            (void)cudaMemPoolDestroy(s->pool);
        }
        alias_gpu_leave(before);
    }
    (void)cudaGetLastError();
    free(s);
}

cudaMemPool_t rmat_gpu_pool(const rmat_gen *gen)
{
    return ((const gpu_state *)gen->gpu)->pool;
}

rmat_view rmat_gpu_view(const rmat_gen *gen)
{
    return ((const gpu_state *)gen->gpu)->view;
}

/*
 * The capacity of a list.  A word ties with its row in at most two of 2^13 or 2^20 cases, for all
 * tables and independently of all others.  Twice the number of ties that the largest number of
 * groups would give, plus 64, is practically never exceeded, unless the block discards most of its
 * draws.  Nor is twice the number of unwanted draws that RARELY allows.  A list that overflows
 * costs time, but loses no edge.
 */
int rmat_ties_begin(const rmat_gen *gen, uint32_t blocks, uint64_t edges, void *stream,
                    rmat_ties *ties)
{
    const gpu_state *s = gen->gpu;
    const int bits = rmat_fraction_bits(s->view.groups);
    uint32_t capacity = s->capacity ? s->capacity
                                    : 64 + (uint32_t)(4 * RMAT_MAX_GROUPS * edges >> bits) +
                                          (s->view.transform & RMAT_TRANSFORM_REDRAWN
                                               ? (uint32_t)(2 * RARELY * (double)edges)
                                               : 0);
    void *memory;

    RMAT_OR_RETURN(rmat_gpu_status(cudaMallocFromPoolAsync(
        &memory, (size_t)(blocks + 1) * (1 + (size_t)capacity) * sizeof(uint32_t), s->pool,
        (cudaStream_t)stream)));
    *ties = (rmat_ties){.found = memory,
                        .edges = (uint32_t *)memory + blocks,
                        .capacity = capacity,
                        .limit = s->limit};
    return RMAT_OK;
}

int rmat_ties_end(const rmat_ties *ties, void *stream)
{
    return rmat_gpu_status(cudaFreeAsync(ties->found, (cudaStream_t)stream));
}

void rmat_gpu_set_ties(rmat_gen *gen, uint32_t capacity, uint32_t limit)
{
    gpu_state *s = gen->gpu;

    s->capacity = capacity;
    s->limit = limit ? limit : usual_limit(s);
}

int rmat_gpu_start(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                   void *stream)
{
    int before, st;

    RMAT_OR_RETURN(rmat_gpu_enter(gen, &before));
    st = rmat_gpu_store(gen, first, count, to, (cudaStream_t)stream);
    alias_gpu_leave(before);
    return st;
}

/* Results of the GPU in host memory, part by part: one part is made while the previous one is
 * copied back.  Two parts are in flight, each with its own stream, so that calls from several
 * threads do not wait for each other. */

/* Elements of a part.  Its arrays, 16 MiB each with 8 bytes per element, take much longer than a
 * launch or the overhead of a copy. */
#define PART ((uint64_t)1 << 21)

static int make_parts(uint64_t count, uint64_t room, rmat_gpu_part *make, void *job,
                      char *const memory[2], const cudaStream_t stream[2])
{
    int st = RMAT_OK, slot = 0;

    for (uint64_t at = 0; at < count; at += room, slot ^= 1) {
        const uint64_t n = count - at < room ? count - at : room;

        /* Waits for the copies that used the memory before.  Copies to pageable memory were
         * complete when their calls returned. */
        RMAT_TRY_CUDA(cudaStreamSynchronize(stream[slot]));
        RMAT_TRY(make(job, at, n, room, memory[slot], stream[slot]));
    }
done:
    for (slot = 0; slot < 2; slot++) {
        const int end = rmat_gpu_status(cudaStreamSynchronize(stream[slot]));

        st = st != RMAT_OK ? st : end;
    }
    return st;
}

int rmat_gpu_in_parts(const rmat_gen *gen, uint64_t count, size_t bytes, rmat_gpu_part *make,
                      void *job)
{
    const uint64_t room = count < PART ? (count + 15) & ~(uint64_t)15 : PART; /* aligned */
    cudaStream_t stream[2] = {NULL, NULL};
    char *memory[2] = {NULL, NULL};
    int before, st;

    RMAT_OR_RETURN(rmat_gpu_enter(gen, &before));
    for (int slot = 0; slot < 2; slot++) {
        RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&stream[slot], cudaStreamNonBlocking));
        RMAT_TRY_CUDA(cudaMallocFromPoolAsync((void **)&memory[slot], room * bytes,
                                              rmat_gpu_pool(gen), stream[slot]));
    }
    RMAT_TRY(make_parts(count, room, make, job, memory, stream));
done:
    for (int slot = 0; slot < 2; slot++) {
        if (memory[slot] != NULL) {
            (void)cudaFreeAsync(memory[slot], stream[slot]);
        }
        if (stream[slot] != NULL) {
            (void)cudaStreamDestroy(stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}

int rmat_gpu_copy_back(void *to, uint64_t at, const void *from, uint64_t n, size_t bytes,
                       cudaStream_t stream)
{
    return to == NULL ? RMAT_OK
                      : rmat_gpu_status(cudaMemcpyAsync((char *)to + at * bytes, from, n * bytes,
                                                        cudaMemcpyDeviceToHost, stream));
}

typedef struct {
    const rmat_gen *gen;
    uint64_t first;
    const rmat_arrays *to;
} generate_job;

/* The memory has sources, then destinations, then weights. */
static int generate_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                         cudaStream_t stream)
{
    const generate_job *j = job;
    const size_t bytes = (size_t)j->to->id_bytes;
    char *dst = memory + room * bytes, *weight = dst + room * bytes;
    const rmat_arrays made = {memory, dst, j->to->weight != NULL ? weight : NULL, j->to->id_bytes};

    RMAT_OR_RETURN(rmat_gpu_store(j->gen, j->first + at, n, &made, stream));
    RMAT_OR_RETURN(rmat_gpu_copy_back(j->to->src, at, memory, n, bytes, stream));
    RMAT_OR_RETURN(rmat_gpu_copy_back(j->to->dst, at, dst, n, bytes, stream));
    return rmat_gpu_copy_back(j->to->weight, at, weight, n, sizeof(uint32_t), stream);
}

int rmat_gpu_generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    generate_job job = {gen, first, to};

    return rmat_gpu_in_parts(gen, count,
                             2 * (size_t)to->id_bytes + (to->weight != NULL ? sizeof(uint32_t) : 0),
                             generate_part, &job);
}

void *rmat_gpu_allocate(const rmat_gen *gen, size_t bytes)
{
    void *memory = NULL;
    int before;

    if (rmat_gpu_enter(gen, &before)) {
        return NULL;
    }
    if (rmat_gpu_status(cudaMalloc(&memory, bytes))) {
        /* The generator may keep memory that this allocation lacks. */
        memory = NULL;
        (void)cudaMemPoolTrimTo(rmat_gpu_pool(gen), 0);
        if (rmat_gpu_status(cudaMalloc(&memory, bytes))) {
            memory = NULL;
        }
    }
    alias_gpu_leave(before);
    return memory;
}

void rmat_gpu_release(const rmat_gen *gen, void *memory)
{
    int before;

    if (memory != NULL && !rmat_gpu_enter(gen, &before)) {
        (void)cudaFree(memory);
        alias_gpu_leave(before);
    }
}

int rmat_gpu_finish(const rmat_gen *gen)
{
    int before, st;

    RMAT_OR_RETURN(rmat_gpu_enter(gen, &before));
    st = rmat_gpu_status(cudaStreamSynchronize(NULL));
    alias_gpu_leave(before);
    return st;
}

#define ENTRY(name, result, parameters) .name = rmat_gpu_##name,

const rmat_gpu_backend rmat_gpu_cuda = {RMAT_GPU_FUNCTIONS(ENTRY)};
