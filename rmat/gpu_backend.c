/*
 * The GPU backend: tables in device memory, ranges into device memory (started) and into host
 * memory (chunk by chunk, one being made while the one before is copied back).
 */
#include "alias/gpu_impl.h"
#include "rmat/gpu_impl.h"
#include "rmat/rmat_impl.h"

#include <stdlib.h>

/* A chunk's arrays, 16 MiB each with wide ids, are far beyond what a launch or a copy costs at
 * least. */
#define CHUNK ((uint64_t)1 << 21)

typedef struct {
    int device;
    cudaMemPool_t pool; /* scratch of calls, freed in stream order */
    void *tables;       /* as rmat_gen.tables */
    uint64_t *tied;     /* device: see rmat_ties.total */
    rmat_view view;
    uint32_t capacity, limit; /* rmat_gpu_set_ties() */
} gpu_state;

static int status_of(int alias_status)
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

int rmat_gpu_status(int error)
{
    return status_of(alias_gpu_status((cudaError_t)error));
}

int rmat_gpu_launched(void)
{
    return status_of(alias_gpu_launched());
}

int rmat_gpu_count(void)
{
    return alias_gpu_count();
}

const char *rmat_gpu_error(void)
{
    return alias_gpu_error();
}

static cudaError_t allocate(gpu_state *s, const rmat_gen *gen, size_t bytes)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice,
                                     .location.id = s->device};
    uint64_t keep = UINT64_MAX;
    cudaError_t error = cudaMemPoolCreate(&s->pool, &props);

    if (error == cudaSuccess) {
        error = cudaMemPoolSetAttribute(s->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc(&s->tables, bytes);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(s->tables, gen->tables, bytes, cudaMemcpyHostToDevice);
    }
    if (error == cudaSuccess) {
        error = cudaMalloc((void **)&s->tied, sizeof *s->tied);
    }
    if (error == cudaSuccess) {
        error = cudaMemset(s->tied, 0, sizeof *s->tied);
    }
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(NULL); /* streams that do not wait for this one may use it */
    }
    return error;
}

/* See rmat_fast_edge(): ties are less than half of it to either side. */
static uint32_t usual_limit(const gpu_state *s)
{
    return 2u << (32 - rmat_fraction_bits(s->view.groups));
}

static int prepare(rmat_gen *gen)
{
    gpu_state *s = calloc(1, sizeof *s);
    const char *host = gen->tables;
    int before, st, tables = 1;

    if (!s) {
        return RMAT_ERR_NOMEM;
    }
    gen->gpu = s;
    s->device = gen->config.device;
    if (s->device >= alias_gpu_count()) {
        return RMAT_ERR_DEVICE;
    }
    if (s->device < 0) {
        st = rmat_gpu_status(cudaGetDevice(&s->device));
        if (st) {
            return st;
        }
    }
    for (int g = 0; g < gen->view.groups; g++) {
        int table = (int)((gen->view.full[g] - gen->view.full[0]) / RMAT_GROUP_PATHS);

        tables = table < tables ? tables : table + 1;
    }
    st = status_of(alias_gpu_enter(s->device, &before));
    if (st) {
        return st;
    }
    st = rmat_gpu_status(allocate(
        s, gen, (size_t)tables * RMAT_GROUP_PATHS * (sizeof(uint64_t) + sizeof(uint32_t))));
    alias_gpu_leave(before);
    s->view = gen->view;
    for (int g = 0; g < s->view.groups; g++) {
        const char *device = s->tables;

        s->view.full[g] = (const uint64_t *)(device + ((const char *)gen->view.full[g] - host));
        s->view.fast[g] = (const uint32_t *)(device + ((const char *)gen->view.fast[g] - host));
    }
    s->limit = usual_limit(s);
    return st;
}

static void destroy(rmat_gen *gen)
{
    gpu_state *s = gen->gpu;
    int before;

    if (!s) {
        return;
    }
    if (alias_gpu_enter(s->device, &before) == ALIAS_OK) {
        (void)cudaFree(s->tables);
        (void)cudaFree(s->tied);
        if (s->pool) {
            (void)cudaMemPoolDestroy(s->pool);
        }
        alias_gpu_leave(before);
    }
    (void)cudaGetLastError();
    free(s);
}

int rmat_used_device(const rmat_gen *gen)
{
    const gpu_state *s = gen->gpu;

    return s ? s->device : -1;
}

int rmat_get_device_view(const rmat_gen *gen, rmat_view *view)
{
    if (!gen || !view || !gen->gpu) {
        return RMAT_ERR_ARG;
    }
    *view = ((const gpu_state *)gen->gpu)->view;
    return RMAT_OK;
}

/*
 * Whatever the tables, a word may tie with its row in at most two of 2^13 or 2^20 cases,
 * independently of all others.  Twice as many as the most groups would give, and 64 more, is beyond
 * a block's luck: a list that overflows costs time, but no edge.
 */
int rmat_ties_begin(const rmat_gen *gen, uint32_t blocks, uint64_t edges, void *stream,
                    rmat_ties *ties)
{
    const gpu_state *s = gen->gpu;
    const int bits = rmat_fraction_bits(s->view.groups);
    uint32_t capacity =
        s->capacity ? s->capacity : 64 + (uint32_t)(4 * RMAT_MAX_GROUPS * edges >> bits);
    void *memory;
    int st = rmat_gpu_status(
        cudaMallocFromPoolAsync(&memory, (size_t)blocks * (1 + (size_t)capacity) * sizeof(uint32_t),
                                s->pool, (cudaStream_t)stream));

    if (st) {
        return st;
    }
    *ties = (rmat_ties){.found = memory,
                        .edges = (uint32_t *)memory + blocks,
                        .total = s->tied,
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

int rmat_gpu_tied(const rmat_gen *gen, uint64_t *tied)
{
    const gpu_state *s = gen->gpu;
    int before, st = status_of(alias_gpu_enter(s->device, &before));

    if (!st) {
        st = rmat_gpu_status(cudaMemcpy(tied, s->tied, sizeof *tied, cudaMemcpyDeviceToHost));
        alias_gpu_leave(before);
    }
    return st;
}

/* One range into device memory. */
static int start(const rmat_gen *gen, uint64_t first, uint64_t count, void *src, void *dst,
                 int id_bytes, rmat_layout layout, void *stream)
{
    int before, st = rmat_check_range(gen, first, count, src, dst, id_bytes);

    if (st) {
        return st;
    }
    if (!gen->gpu || (uintptr_t)src % (unsigned)id_bytes || (uintptr_t)dst % (unsigned)id_bytes) {
        return RMAT_ERR_ARG;
    }
    if (!count) {
        return RMAT_OK;
    }
    st = status_of(alias_gpu_enter(rmat_used_device(gen), &before));
    if (!st) {
        st = rmat_gpu_store(gen, first, count, src, dst, id_bytes, layout, (cudaStream_t)stream);
        alias_gpu_leave(before);
    }
    return st;
}

int rmat_generate_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                         uint64_t *dst, void *stream)
{
    return start(gen, first, count, src, dst, 8, RMAT_ARRAYS, stream);
}

int rmat_generate32_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t *src,
                           uint32_t *dst, void *stream)
{
    return start(gen, first, count, src, dst, 4, RMAT_ARRAYS, stream);
}

int rmat_generate_pairs_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *pairs,
                               void *stream)
{
    return start(gen, first, count, pairs, pairs ? pairs + 1 : NULL, 8, RMAT_PAIRS, stream);
}

int rmat_generate_pairs32_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                 uint32_t *pairs, void *stream)
{
    return start(gen, first, count, pairs, pairs ? pairs + 1 : NULL, 4, RMAT_PAIRS, stream);
}

/* Two chunks in flight, each with a stream of the call's own, so that calls of many threads do not
 * wait for each other. */
typedef struct {
    cudaStream_t stream[2];
    char *chunk[2]; /* sources, then destinations */
} host_job;

static int begin(host_job *job, const gpu_state *s, size_t bytes)
{
    int st = RMAT_OK;

    for (int slot = 0; !st && slot < 2; slot++) {
        st = rmat_gpu_status(cudaStreamCreateWithFlags(&job->stream[slot], cudaStreamNonBlocking));
        if (!st) {
            st = rmat_gpu_status(cudaMallocFromPoolAsync((void **)&job->chunk[slot], bytes, s->pool,
                                                         job->stream[slot]));
        }
    }
    return st;
}

static int run(host_job *job, const rmat_gen *gen, uint64_t first, uint64_t count, char *src,
               char *dst, size_t id_bytes, uint64_t chunk)
{
    int st = RMAT_OK, slot = 0;

    for (uint64_t at = 0; !st && at < count; at += chunk, slot ^= 1) {
        const uint64_t n = count - at < chunk ? count - at : chunk;
        const cudaStream_t stream = job->stream[slot];
        char *s = job->chunk[slot], *d = s + chunk * id_bytes;

        /* The copies of two chunks ago: those to pageable memory returned when they were over. */
        st = rmat_gpu_status(cudaStreamSynchronize(stream));
        if (!st) {
            st = rmat_gpu_store(gen, first + at, n, s, d, (int)id_bytes, RMAT_ARRAYS, stream);
        }
        if (!st) {
            st = rmat_gpu_status(cudaMemcpyAsync(src + at * id_bytes, s, n * id_bytes,
                                                 cudaMemcpyDeviceToHost, stream));
        }
        if (!st) {
            st = rmat_gpu_status(cudaMemcpyAsync(dst + at * id_bytes, d, n * id_bytes,
                                                 cudaMemcpyDeviceToHost, stream));
        }
    }
    for (slot = 0; slot < 2; slot++) {
        int end = rmat_gpu_status(cudaStreamSynchronize(job->stream[slot]));

        st = st ? st : end;
    }
    return st;
}

static int generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const gpu_state *s = gen->gpu;
    const uint64_t chunk = count < CHUNK ? (count + 15) & ~(uint64_t)15 : CHUNK; /* aligned */
    const size_t bytes = (size_t)to->id_bytes;
    host_job job = {{NULL}, {NULL}};
    int before, st = status_of(alias_gpu_enter(s->device, &before));

    if (st) {
        return st;
    }
    st = begin(&job, s, 2 * chunk * bytes);
    if (!st) {
        st = run(&job, gen, first, count, to->src, to->dst, bytes, chunk);
    }
    for (int slot = 0; slot < 2; slot++) {
        if (job.chunk[slot]) {
            (void)cudaFreeAsync(job.chunk[slot], job.stream[slot]);
        }
        if (job.stream[slot]) {
            (void)cudaStreamDestroy(job.stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}

static int redraws(const rmat_gen *gen, uint64_t *count)
{
    *count = atomic_load(&gen->redraws);
    return RMAT_OK;
}

const rmat_backend_ops *rmat_gpu_backend(void)
{
    static const rmat_backend_ops ops = {
        .generate = generate, .redraws = redraws, .prepare = prepare, .destroy = destroy};

    return alias_gpu_count() > 0 ? &ops : NULL;
}
