/*
 * interval.c - the host's part of sorted intervals in GPU memory: allocation; gathering keys,
 * sorting them, dropping copies and inserting cells; counting edges between cells; and reading a
 * sorted interval.  It reads into device memory, or part by part into host memory.  A part is made
 * while the previous one is copied back.
 */
#include "rmat/sorted/gpu/interval.h"
#include "alias/gpu/device.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdlib.h>

/* Sets st to the status of a call, during which the generator's GPU is the current one. */
#define ON_GPU_OF(gen, call)                                                                       \
    do {                                                                                           \
        int before_;                                                                               \
        st = rmat_gpu_enter(gen, &before_);                                                        \
        if (st == RMAT_OK) {                                                                       \
            st = (call);                                                                           \
            alias_gpu_leave(before_);                                                              \
        }                                                                                          \
    } while (0)

/* The places that a warp takes at a time: those of all warps are less than 1/32 of the capacity. */
static uint32_t chunk_of(uint64_t edges)
{
    const uint64_t chunk = edges / (32 * GPU_INTERVAL_WARPS) / 32 * 32;

    return (uint32_t)(chunk < GPU_INTERVAL_MAX_CHUNK ? chunk : GPU_INTERVAL_MAX_CHUNK);
}

/* Measures the memory for `edges` edges: *key_bytes for each of the two arrays of keys, and
 * *other_bytes for the rest.  Unless s->memory is NULL, divides it for that rest. */
static int lay_out(const rmat_gen *gen, gpu_interval *s, uint64_t edges, size_t *key_bytes,
                   size_t *other_bytes)
{
    alias_arena keys = {NULL, 0}, other = {s->memory, 0};
    gpu_interval_gather *g = &s->gather;
    int st;

    g->chunk = chunk_of(edges);
    g->n_chunks = g->chunk ? GPU_INTERVAL_WARPS : 0;
    g->room = edges + (uint64_t)GPU_INTERVAL_WARPS * g->chunk;
    ON_GPU_OF(gen, rmat_gpu_sort_scratch(g->room, &s->scratch_bytes));
    alias_arena_take(&keys, g->room, sizeof *s->keys[0]);
    g->chunks = alias_arena_take(&other, g->n_chunks, sizeof *g->chunks);
    g->counters = alias_arena_take(&other, 1, sizeof *g->counters);
    s->scratch = alias_arena_take(&other, 1, s->scratch_bytes);
    *key_bytes = keys.used;
    *other_bytes = other.used;
    return st;
}

static int bytes_of(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    gpu_interval s = {.memory = NULL};
    size_t keys, other;

    *bytes = SIZE_MAX;
    if (edges >> 48 == 0) {
        RMAT_OR_RETURN(lay_out(gen, &s, edges, &keys, &other));
        *bytes = 2 * keys + other;
    }
    return RMAT_OK;
}

/* If the GPU can run more warps than there are chunks, warps take exactly what they need. */
static int limit_warps(gpu_interval *s)
{
    int multiprocessors, threads;

    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, s->device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, s->device));
    if (multiprocessors * threads / 32 > GPU_INTERVAL_WARPS) {
        s->gather.chunk = s->gather.n_chunks = 0;
    }
    return RMAT_OK;
}

static int allocate(const rmat_interval *b, void *memory, size_t bytes)
{
    const gpu_interval *s = b->state;

    return rmat_gpu_status(b->pooled ? cudaMallocFromPoolAsync((void **)memory, bytes,
                                                               rmat_gpu_pool(b->gen), s->stream)
                                     : cudaMalloc((void **)memory, bytes));
}

static int release(const rmat_interval *b, void *memory)
{
    const gpu_interval *s = b->state;

    if (memory == NULL || !b->pooled) {
        return rmat_gpu_status(cudaFree(memory));
    }
    RMAT_CUDA_OR_RETURN(cudaFreeAsync(memory, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

/* Everything that is allocated on the GPU, which is the current one. */
static int allocate_interval(const rmat_interval *b, uint64_t capacity)
{
    gpu_interval *s = b->state;
    size_t keys, other;

    RMAT_OR_RETURN(lay_out(b->gen, s, capacity, &keys, &other));
    RMAT_CUDA_OR_RETURN(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++) {
        RMAT_OR_RETURN(allocate(b, &s->keys[i], keys));
    }
    RMAT_OR_RETURN(allocate(b, &s->memory, other));
    RMAT_OR_RETURN(lay_out(b->gen, s, capacity, &keys, &other));
    return limit_warps(s);
}

static void free_interval(const rmat_interval *b)
{
    gpu_interval *s = b->state;

    if (s->stream != NULL) {
        (void)cudaStreamSynchronize(s->stream);
        (void)release(b, s->keys[0]);
        (void)release(b, s->keys[1]);
        (void)release(b, s->memory);
        (void)cudaStreamDestroy(s->stream);
        s->keys[0] = s->keys[1] = NULL;
        s->memory = NULL;
        s->stream = NULL;
    }
    (void)cudaGetLastError();
}

/* Memory that the generator keeps for its calls may be what is missing. */
static int allocate_with_all(const rmat_interval *b, uint64_t capacity)
{
    const int st = allocate_interval(b, capacity);

    if (st != RMAT_ERR_NOMEM) {
        return st;
    }
    free_interval(b);
    (void)cudaMemPoolTrimTo(rmat_gpu_pool(b->gen), 0);
    return allocate_interval(b, capacity);
}

static int create_interval(rmat_interval *b, uint64_t capacity)
{
    gpu_interval *s = calloc(1, sizeof *s);
    int st;

    b->state = s;
    if (s == NULL) {
        return RMAT_ERR_NOMEM;
    }
    s->device = rmat_used_device(b->gen);
    ON_GPU_OF(b->gen, allocate_with_all(b, capacity));
    return st;
}

static void destroy_interval(rmat_interval *b)
{
    gpu_interval *s = b->state;
    int before;

    if (s != NULL && alias_gpu_enter(s->device, &before) == ALIAS_OK) {
        free_interval(b);
        alias_gpu_leave(before);
    }
    free(s);
}

static int release_second(const rmat_interval *b)
{
    gpu_interval *s = b->state;
    const int st = release(b, s->keys[1]);

    s->keys[1] = NULL;
    return st;
}

static int trim_interval(rmat_interval *b)
{
    int st;

    ON_GPU_OF(b->gen, release_second(b));
    return st;
}

/* Starts setting counters and chunks to 0. */
static int reset_interval(const gpu_interval *s)
{
    const gpu_interval_gather *g = &s->gather;

    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(g->counters, 0, sizeof *g->counters, s->stream));
    return g->n_chunks == 0 ? RMAT_OK
                            : rmat_gpu_status(cudaMemsetAsync(
                                  g->chunks, 0, g->n_chunks * sizeof *g->chunks, s->stream));
}

static int begin_interval(rmat_interval *b)
{
    const int cols_scale = b->gen->config.cols_scale;
    gpu_interval *s = b->state;
    gpu_interval_gather *g = &s->gather;
    int st;

    g->low = rmat_code_of(&b->first, cols_scale);
    g->last = 0;
    g->keys = s->keys[0];
    g->cols_scale = cols_scale;
    if (rmat_cell_below(&b->first, &b->end)) {
        g->last = rmat_code_of(&b->end, cols_scale) - g->low - 1;
    }
    s->bits = 0;
    while (s->bits < 64 && g->last >> s->bits) {
        s->bits++;
    }
    s->settled = 0;
    ON_GPU_OF(b->gen, reset_interval(s));
    return st;
}

/* --- Gathering and sorting --- */

/* Waits for the stream, and reads the counters. */
static int read_counters(const gpu_interval *s, gpu_interval_counters *now)
{
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(now, s->gather.counters, sizeof *now, cudaMemcpyDeviceToHost, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

static int gather_edges(rmat_interval *b, uint64_t first, uint64_t count)
{
    const gpu_interval *s = b->state;
    int st;

    ON_GPU_OF(b->gen, rmat_gpu_gather(b->gen, first, count, &s->gather, s->stream));
    return st;
}

static int gathered_keys(const rmat_interval *b, uint64_t *keys)
{
    const gpu_interval *s = b->state;
    gpu_interval_counters now;
    int st;

    ON_GPU_OF(b->gen, read_counters(s, &now));
    RMAT_OR_RETURN(st);
    *keys = now.taken;
    return now.taken > s->gather.room ? RMAT_ERR_FULL : RMAT_OK;
}

static int settle(const rmat_interval *b, uint64_t *keys)
{
    gpu_interval *s = b->state;
    gpu_interval_counters now;
    uint64_t n;

    RMAT_OR_RETURN(rmat_gpu_close_chunks(&s->gather, s->bits, s->stream));
    RMAT_OR_RETURN(read_counters(s, &now));
    *keys = s->settled;
    if (now.taken == s->settled) { /* nothing new */
        return RMAT_OK;
    }
    n = now.taken < s->gather.room ? now.taken : s->gather.room;
    RMAT_OR_RETURN(rmat_gpu_sort(s->keys, n, s->bits, s->scratch, s->scratch_bytes, s->stream));
    n -= now.holes; /* they sort last, or equal to edges there */
    if (b->unique && n) {
        RMAT_OR_RETURN(rmat_gpu_unique(s->keys, &n, s->scratch, s->scratch_bytes,
                                       &s->gather.counters->result, s->stream));
    }
    now = (gpu_interval_counters){.taken = n};
    s->gather.keys = s->keys[0];
    *keys = s->settled = n;
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(s->gather.counters, &now, sizeof now, cudaMemcpyHostToDevice, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

static int settle_keys(rmat_interval *b, uint64_t *keys)
{
    int st;

    ON_GPU_OF(b->gen, settle(b, keys));
    return st;
}

static int sample(const gpu_interval *s, uint64_t most, rmat_cell *cells, uint64_t *n)
{
    const uint64_t hole = s->bits < 64 ? ((uint64_t)1 << s->bits) - 1 : UINT64_MAX;
    const int cols_scale = s->gather.cols_scale;
    gpu_interval_counters now;
    uint64_t taken;

    RMAT_OR_RETURN(rmat_gpu_close_chunks(&s->gather, s->bits, s->stream));
    RMAT_OR_RETURN(read_counters(s, &now));
    now.taken = now.taken < s->gather.room ? now.taken : s->gather.room;
    taken = now.taken < most ? now.taken : most;
    if (taken > 0) { /* keys to where their sources belong */
        RMAT_CUDA_OR_RETURN(cudaMemcpy2D(cells, sizeof *cells, s->keys[0],
                                         now.taken / taken * sizeof *s->keys[0], sizeof *s->keys[0],
                                         taken, cudaMemcpyDeviceToHost));
    }
    *n = 0;
    for (uint64_t i = 0; i < taken; i++) {
        const uint64_t key = cells[i].src, code = key + s->gather.low;

        if (key != hole) { /* no unused place */
            cells[(*n)++] =
                (rmat_cell){code >> cols_scale, code & (((uint64_t)1 << cols_scale) - 1)};
        }
    }
    return RMAT_OK;
}

static int sample_keys(rmat_interval *b, uint64_t most, rmat_cell *cells, uint64_t *n)
{
    int st;

    ON_GPU_OF(b->gen, sample(b->state, most, cells, n));
    return st;
}

/* Writes the keys of inserted cells after those of the interval, and sorts all again. */
static int sort_with(gpu_interval *s, uint64_t edges, uint64_t n, const uint64_t *keys)
{
    int st;

    RMAT_TRY_CUDA(cudaMemcpyAsync(s->keys[0] + edges, keys, n * sizeof *keys,
                                  cudaMemcpyHostToDevice, s->stream));
    RMAT_TRY(rmat_gpu_sort(s->keys, edges + n, s->bits, s->scratch, s->scratch_bytes, s->stream));
done:
    RMAT_OR_RETURN(st);
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

static int insert_cells(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    gpu_interval *s = b->state;
    uint64_t *keys;
    int st;

    if (n > s->gather.room - b->edges) {
        return RMAT_ERR_FULL;
    }
    keys = malloc(n * sizeof *keys);
    if (keys == NULL) {
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < n; i++) {
        keys[i] = rmat_code_of(&list[i].cell, s->gather.cols_scale) - s->gather.low;
    }
    ON_GPU_OF(b->gen, sort_with(s, b->edges, n, keys));
    free(keys);
    return st;
}

/* --- Counting edges between cells --- */

typedef struct {
    cudaStream_t stream;
    uint64_t *codes, *host; /* of the cells, in device and in host memory */
    unsigned long long *counts;
    uint64_t n; /* parts, one less than cells */
    int cols_scale;
} counting;

/* Creates everything that counting takes; count_cells() frees what exists. */
static int begin_count(counting *k, const rmat_cell *cells)
{
    RMAT_CUDA_OR_RETURN(cudaStreamCreateWithFlags(&k->stream, cudaStreamNonBlocking));
    k->host = malloc((k->n + 1) * sizeof *k->host);
    if (k->host == NULL) {
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i <= k->n; i++) {
        k->host[i] = rmat_code_of(&cells[i], k->cols_scale);
    }
    RMAT_CUDA_OR_RETURN(cudaMalloc((void **)&k->codes, k->n * sizeof *k->codes));
    RMAT_CUDA_OR_RETURN(cudaMalloc((void **)&k->counts, k->n * sizeof *k->counts));
    RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(k->codes, k->host, k->n * sizeof *k->codes,
                                        cudaMemcpyHostToDevice, k->stream));
    return rmat_gpu_status(cudaMemsetAsync(k->counts, 0, k->n * sizeof *k->counts, k->stream));
}

static int count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                       const rmat_cell *cells, uint64_t *counts)
{
    counting k = {.n = n - 1, .cols_scale = gen->config.cols_scale};
    int before, st;

    /* Parts at the end that have no cells: what remains begins before the end of the graph, whose
     * code may be 0. */
    while (k.n > 0 && !rmat_cell_below(&cells[k.n - 1], &cells[k.n])) {
        k.n--;
    }
    if (k.n == 0) {
        return RMAT_OK;
    }
    if (k.n > UINT32_MAX) {
        return RMAT_ERR_ARG;
    }
    RMAT_OR_RETURN(rmat_gpu_enter(gen, &before));
    RMAT_TRY(begin_count(&k, cells));
    RMAT_TRY(rmat_gpu_count_between(gen, first, count, (uint32_t)k.n, k.codes, k.host[0],
                                    k.host[k.n] - k.host[0] - 1, k.cols_scale, k.counts, k.stream));
    RMAT_TRY_CUDA(
        cudaMemcpyAsync(counts, k.counts, k.n * sizeof *counts, cudaMemcpyDeviceToHost, k.stream));
done:
    if (k.stream != NULL) {
        const int end = rmat_gpu_status(cudaStreamSynchronize(k.stream));

        st = st != RMAT_OK ? st : end;
        (void)cudaStreamDestroy(k.stream);
    }
    (void)cudaFree(k.codes);
    (void)cudaFree(k.counts);
    free(k.host);
    alias_gpu_leave(before);
    return st;
}

/* --- Reading --- */

static gpu_interval_keys keys_of(const rmat_interval *b)
{
    const gpu_interval *s = b->state;

    return (gpu_interval_keys){.low = s->gather.low,
                               .last = s->gather.last,
                               .keys = s->keys[0],
                               .n = b->edges,
                               .cols_scale = s->gather.cols_scale,
                               .single = b->counted};
}

static int pointers_device(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t sum,
                           uint64_t *pointers, void *stream)
{
    const gpu_interval_keys keys = keys_of(b);
    int st;

    if ((uintptr_t)pointers % 8) {
        return RMAT_ERR_ARG;
    }
    ON_GPU_OF(b->gen, rmat_gpu_pointers(&keys, first_row, count, sum, pointers, stream));
    return st;
}

static int read_device(const rmat_interval *b, uint64_t first, uint64_t count,
                       const rmat_arrays *to, void *stream)
{
    const gpu_interval_keys keys = keys_of(b);
    const rmat_weighing how = b->gen->weighing;
    const unsigned bytes = (unsigned)to->id_bytes;
    int st;

    if ((uintptr_t)to->src % bytes || (uintptr_t)to->dst % bytes || (uintptr_t)to->weight % 4) {
        return RMAT_ERR_ARG;
    }
    ON_GPU_OF(b->gen, rmat_gpu_read(&keys, first, count, to, &how, stream));
    return st;
}

/* A call of one of the functions below; which fields it uses depends on the function. */
typedef struct {
    gpu_interval_keys keys;
    rmat_weighing how;
    const rmat_arrays *to;
    const rmat_first_seen *cells;
    bool *found;
    uint64_t *counts;
    uint64_t first, sum;
} request;

static int lower_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                      cudaStream_t stream)
{
    const request *r = job;

    (void)room;
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(memory, 0, sizeof(uint64_t), stream));
    RMAT_OR_RETURN(rmat_gpu_lower(&r->keys, (unsigned long long *)memory, stream));
    return rmat_gpu_copy_back(r->counts, at, memory, n, sizeof *r->counts, stream);
}

static int lower_to_host(const rmat_interval *b, uint64_t *edges)
{
    request r = {.keys = keys_of(b), .counts = edges};

    return rmat_gpu_in_parts(b->gen, 1, sizeof *edges, lower_part, &r);
}

static int has_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                    cudaStream_t stream)
{
    const request *r = job;
    rmat_first_seen *cells = (rmat_first_seen *)memory;
    bool *found = (bool *)(cells + room);

    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(cells, r->cells + at, n * sizeof *cells, cudaMemcpyHostToDevice, stream));
    RMAT_OR_RETURN(rmat_gpu_has(&r->keys, n, cells, found, stream));
    return rmat_gpu_copy_back(r->found, at, found, n, sizeof *found, stream);
}

static int has_cells(const rmat_interval *b, uint64_t n, const rmat_first_seen *cells, bool *found)
{
    request r = {.keys = keys_of(b), .cells = cells, .found = found};

    return rmat_gpu_in_parts(b->gen, n, sizeof *cells + sizeof *found, has_part, &r);
}

static int pointers_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                         cudaStream_t stream)
{
    const request *r = job;

    (void)room;
    RMAT_OR_RETURN(
        rmat_gpu_pointers(&r->keys, r->first + at, n, r->sum, (uint64_t *)memory, stream));
    return rmat_gpu_copy_back(r->counts, at, memory, n, sizeof *r->counts, stream);
}

static int pointers_to_host(const rmat_interval *b, uint64_t first_row, uint64_t count,
                            uint64_t sum, uint64_t *pointers)
{
    request r = {.keys = keys_of(b), .first = first_row, .sum = sum, .counts = pointers};

    return rmat_gpu_in_parts(b->gen, count, sizeof *pointers, pointers_part, &r);
}

static int read_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                     cudaStream_t stream)
{
    const request *r = job;
    const size_t bytes = (size_t)r->to->id_bytes;
    char *src = memory, *dst = src + room * bytes, *weight = dst + room * bytes;
    const rmat_arrays made = {r->to->src != NULL ? src : NULL, r->to->dst != NULL ? dst : NULL,
                              r->to->weight != NULL ? weight : NULL, r->to->id_bytes};

    RMAT_OR_RETURN(rmat_gpu_read(&r->keys, r->first + at, n, &made, &r->how, stream));
    RMAT_OR_RETURN(rmat_gpu_copy_back(r->to->src, at, src, n, bytes, stream));
    RMAT_OR_RETURN(rmat_gpu_copy_back(r->to->dst, at, dst, n, bytes, stream));
    return rmat_gpu_copy_back(r->to->weight, at, weight, n, sizeof(uint32_t), stream);
}

static int read_to_host(const rmat_interval *b, uint64_t first, uint64_t count,
                        const rmat_arrays *to)
{
    request r = {.keys = keys_of(b), .first = first, .to = to, .how = b->gen->weighing};

    return rmat_gpu_in_parts(b->gen, count, 2 * (size_t)to->id_bytes + sizeof(uint32_t), read_part,
                             &r);
}

const rmat_interval_ops *rmat_gpu_interval_ops(void)
{
    static const rmat_interval_ops ops = {.bytes = bytes_of,
                                          .create = create_interval,
                                          .destroy = destroy_interval,
                                          .begin = begin_interval,
                                          .gather = gather_edges,
                                          .gathered = gathered_keys,
                                          .settle = settle_keys,
                                          .sample = sample_keys,
                                          .trim = trim_interval,
                                          .lower = lower_to_host,
                                          .pointers = pointers_to_host,
                                          .read = read_to_host,
                                          .pointers_device = pointers_device,
                                          .read_device = read_device,
                                          .has = has_cells,
                                          .insert = insert_cells,
                                          .count_cells = count_cells};

    return &ops;
}
