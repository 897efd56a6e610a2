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

static void leave_gpu(const int *before)
{
    if (*before >= 0) {
        alias_gpu_leave(*before);
    }
}

/* Makes the generator's GPU the current one until the end of the function, or returns an error. */
#define ON_GPU_OF(gen)                                                                             \
    __attribute__((cleanup(leave_gpu))) int before_ = -1;                                          \
    RMAT_OR_RETURN(rmat_gpu_enter(gen, &before_))

/* The code of a cell.  The end after all cells may have the code 0. */
static uint64_t code_of(const rmat_gen *gen, const rmat_cell *c)
{
    return c->src << gen->config.cols_scale | c->dst;
}

/* The places that a warp takes at a time: those of all warps are less than 1/32 of the capacity. */
static uint32_t chunk_of(uint64_t edges)
{
    const uint64_t chunk = edges / (32 * GPU_INTERVAL_WARPS) / 32 * 32;

    return (uint32_t)(chunk < GPU_INTERVAL_MAX_CHUNK ? chunk : GPU_INTERVAL_MAX_CHUNK);
}

/* Measures the memory for `edges` edges: *key_bytes for each of the two arrays of keys, and
 * *other_bytes for the rest.  Unless s->memory is NULL, divides it for that rest.  The generator's
 * GPU is the current one. */
static int lay_out(gpu_interval *s, uint64_t edges, size_t *key_bytes, size_t *other_bytes)
{
    alias_arena keys = {NULL, 0}, other = {s->memory, 0};
    gpu_interval_gather *g = &s->gather;

    g->chunk = chunk_of(edges);
    g->n_chunks = g->chunk ? GPU_INTERVAL_WARPS : 0;
    g->room = edges + (uint64_t)GPU_INTERVAL_WARPS * g->chunk;
    RMAT_OR_RETURN(rmat_gpu_sort_scratch(g->room, &s->scratch_bytes));
    alias_arena_take(&keys, g->room, sizeof *s->keys[0]);
    g->chunks = alias_arena_take(&other, g->n_chunks, sizeof *g->chunks);
    g->counters = alias_arena_take(&other, 1, sizeof *g->counters);
    s->scratch = alias_arena_take(&other, 1, s->scratch_bytes);
    *key_bytes = keys.used;
    *other_bytes = other.used;
    return RMAT_OK;
}

static int bytes_of(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    gpu_interval s = {.memory = NULL};
    size_t keys, other;
    ON_GPU_OF(gen);

    *bytes = SIZE_MAX;
    if (edges >> 48 == 0) {
        *bytes = 0;
        RMAT_OR_RETURN(lay_out(&s, edges, &keys, &other));
        *bytes = 2 * keys + other;
    }
    return RMAT_OK;
}

/* If the GPU can run more warps than there are chunks, warps take exactly what they need. */
static int limit_warps(const rmat_gen *gen, gpu_interval *s)
{
    const int device = rmat_used_device(gen);
    int multiprocessors, threads;

    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
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

/* Everything that is allocated on the GPU. */
static int allocate_interval(const rmat_interval *b)
{
    gpu_interval *s = b->state;
    size_t keys, other;

    RMAT_OR_RETURN(lay_out(s, b->capacity, &keys, &other));
    RMAT_CUDA_OR_RETURN(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    for (int i = 0; i < 2; i++) {
        RMAT_OR_RETURN(allocate(b, &s->keys[i], keys));
    }
    RMAT_OR_RETURN(allocate(b, &s->memory, other));
    RMAT_OR_RETURN(lay_out(s, b->capacity, &keys, &other));
    return limit_warps(b->gen, s);
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
static int create_interval(rmat_interval *b)
{
    int st;
    ON_GPU_OF(b->gen);

    b->state = calloc(1, sizeof(gpu_interval));
    if (b->state == NULL) {
        return RMAT_ERR_NOMEM;
    }
    st = allocate_interval(b);
    if (st == RMAT_ERR_NOMEM) {
        free_interval(b);
        (void)cudaMemPoolTrimTo(rmat_gpu_pool(b->gen), 0);
        st = allocate_interval(b);
    }
    return st;
}

static void destroy_interval(rmat_interval *b)
{
    int before;

    if (b->state != NULL && rmat_gpu_enter(b->gen, &before) == RMAT_OK) {
        free_interval(b);
        alias_gpu_leave(before);
    }
    free(b->state);
}

static int trim_interval(rmat_interval *b)
{
    gpu_interval *s = b->state;
    uint64_t *second = s->keys[1];
    ON_GPU_OF(b->gen);

    s->keys[1] = NULL;
    return release(b, second);
}

static int begin_interval(rmat_interval *b)
{
    gpu_interval *s = b->state;
    gpu_interval_gather *g = &s->gather;
    ON_GPU_OF(b->gen);

    g->low = code_of(b->gen, &b->first);
    g->last = rmat_cell_below(&b->first, &b->end) ? code_of(b->gen, &b->end) - g->low - 1 : 0;
    g->keys = s->keys[0];
    g->cols_scale = b->gen->config.cols_scale;
    s->bits = 0;
    while (s->bits < 64 && g->last >> s->bits) {
        s->bits++;
    }
    s->settled = 0;
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(g->counters, 0, sizeof *g->counters, s->stream));
    return g->n_chunks == 0 ? RMAT_OK
                            : rmat_gpu_status(cudaMemsetAsync(
                                  g->chunks, 0, g->n_chunks * sizeof *g->chunks, s->stream));
}

/* --- Gathering and sorting --- */

/* Waits for the stream, and reads the counters. */
static int read_counters(const gpu_interval *s, gpu_interval_counters *now)
{
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(now, s->gather.counters, sizeof *now, cudaMemcpyDeviceToHost, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

static int gather_edges(rmat_interval *b, uint64_t first, uint64_t count, uint64_t *keys)
{
    const gpu_interval *s = b->state;
    gpu_interval_counters now;
    ON_GPU_OF(b->gen);

    RMAT_OR_RETURN(rmat_gpu_gather(b->gen, first, count, &s->gather, s->stream));
    RMAT_OR_RETURN(read_counters(s, &now));
    *keys = now.taken;
    return now.taken > s->gather.room ? RMAT_ERR_FULL : RMAT_OK;
}

static int settle_keys(rmat_interval *b, uint64_t *keys)
{
    gpu_interval *s = b->state;
    gpu_interval_counters now;
    uint64_t n;
    ON_GPU_OF(b->gen);

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

/* The keys of cells, which the caller frees; NULL: out of memory. */
static uint64_t *keys_of_cells(const rmat_interval *b, uint64_t n, const rmat_first_seen *cells)
{
    uint64_t *keys = malloc(n * sizeof *keys);

    for (uint64_t i = 0; keys != NULL && i < n; i++) {
        keys[i] = code_of(b->gen, &cells[i].cell) - code_of(b->gen, &b->first);
    }
    return keys;
}

/* Writes the keys of inserted cells after those of the interval, and sorts all again. */
static int insert_cells(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    gpu_interval *s = b->state;
    uint64_t *keys;
    int st;
    ON_GPU_OF(b->gen);

    if (n > s->gather.room - b->edges) {
        return RMAT_ERR_FULL;
    }
    keys = keys_of_cells(b, n, list);
    if (keys == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_TRY_CUDA(cudaMemcpyAsync(s->keys[0] + b->edges, keys, n * sizeof *keys,
                                  cudaMemcpyHostToDevice, s->stream));
    RMAT_TRY(
        rmat_gpu_sort(s->keys, b->edges + n, s->bits, s->scratch, s->scratch_bytes, s->stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(s->stream));
done:
    free(keys);
    return st;
}

/* --- Reading, and counting edges between cells --- */

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
    ON_GPU_OF(b->gen);

    return (uintptr_t)pointers % 8
               ? RMAT_ERR_ARG
               : rmat_gpu_pointers(&keys, first_row, count, sum, pointers, stream);
}

static int read_device(const rmat_interval *b, uint64_t first, uint64_t count,
                       const rmat_arrays *to, void *stream)
{
    const gpu_interval_keys keys = keys_of(b);
    const rmat_weighing how = b->gen->weighing;
    const unsigned bytes = (unsigned)to->id_bytes;
    ON_GPU_OF(b->gen);

    if ((uintptr_t)to->src % bytes || (uintptr_t)to->dst % bytes || (uintptr_t)to->weight % 4) {
        return RMAT_ERR_ARG;
    }
    return rmat_gpu_read(&keys, first, count, to, &how, stream);
}

/* A call of one of the functions below; which members it uses depends on the function. */
typedef struct {
    const rmat_interval *b;
    const rmat_gen *gen;
    const rmat_arrays *to;
    const rmat_cell *cells;
    const uint64_t *codes; /* or keys */
    bool *found;
    uint64_t *counts;
    uint64_t first, count, sum;
} request;

static int count_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                      cudaStream_t stream)
{
    const request *r = job;
    const uint64_t low = r->codes[at], last = r->codes[at + n] - low - 1;
    uint64_t *codes = (uint64_t *)memory, *counts = codes + room;

    if (!rmat_cell_below(&r->cells[at], &r->cells[at + n])) {
        return RMAT_OK;
    }
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(codes, r->codes + at, n * sizeof *codes, cudaMemcpyHostToDevice, stream));
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(counts, 0, n * sizeof *counts, stream));
    RMAT_OR_RETURN(rmat_gpu_count_between(r->gen, r->first, r->count, (uint32_t)n, codes, low, last,
                                          r->gen->config.cols_scale, (unsigned long long *)counts,
                                          stream));
    return rmat_gpu_copy_back(r->counts, at, counts, n, sizeof *counts, stream);
}

static int count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                       const rmat_cell *cells, uint64_t *counts)
{
    uint64_t *codes = malloc(n * sizeof *codes);
    request r = {.gen = gen,
                 .first = first,
                 .count = count,
                 .cells = cells,
                 .codes = codes,
                 .counts = counts};
    int st = RMAT_ERR_NOMEM;

    if (codes != NULL) {
        for (uint64_t i = 0; i < n; i++) {
            codes[i] = code_of(gen, &cells[i]);
        }
        st = rmat_gpu_in_parts(gen, n - 1, 2 * sizeof *codes, count_part, &r);
    }
    free(codes);
    return st;
}

static int count_lower(const rmat_interval *b, uint64_t *edges)
{
    const gpu_interval *s = b->state;
    const gpu_interval_keys keys = keys_of(b);
    unsigned long long *result = &s->gather.counters->result;
    ON_GPU_OF(b->gen);

    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(result, 0, sizeof *result, s->stream));
    RMAT_OR_RETURN(rmat_gpu_lower(&keys, result, s->stream));
    RMAT_OR_RETURN(rmat_gpu_copy_back(edges, 0, result, 1, sizeof *edges, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

static int has_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                    cudaStream_t stream)
{
    const request *r = job;
    const gpu_interval_keys keys = keys_of(r->b);
    uint64_t *wanted = (uint64_t *)memory;
    bool *found = (bool *)(wanted + room);

    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(wanted, r->codes + at, n * sizeof *wanted, cudaMemcpyHostToDevice, stream));
    RMAT_OR_RETURN(rmat_gpu_has(&keys, n, wanted, found, stream));
    return rmat_gpu_copy_back(r->found, at, found, n, sizeof *found, stream);
}

static int has_cells(const rmat_interval *b, uint64_t n, const rmat_first_seen *cells, bool *found)
{
    uint64_t *keys = keys_of_cells(b, n, cells);
    request r = {.b = b, .codes = keys, .found = found};
    const int st = keys != NULL
                       ? rmat_gpu_in_parts(b->gen, n, sizeof *keys + sizeof *found, has_part, &r)
                       : RMAT_ERR_NOMEM;

    free(keys);
    return st;
}

static int pointers_part(void *job, uint64_t at, uint64_t n, uint64_t room, char *memory,
                         cudaStream_t stream)
{
    const request *r = job;

    (void)room;
    RMAT_OR_RETURN(pointers_device(r->b, r->first + at, n, r->sum, (uint64_t *)memory, stream));
    return rmat_gpu_copy_back(r->counts, at, memory, n, sizeof *r->counts, stream);
}

static int pointers_to_host(const rmat_interval *b, uint64_t first_row, uint64_t count,
                            uint64_t sum, uint64_t *pointers)
{
    request r = {.b = b, .first = first_row, .sum = sum, .counts = pointers};

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

    RMAT_OR_RETURN(read_device(r->b, r->first + at, n, &made, stream));
    RMAT_OR_RETURN(rmat_gpu_copy_back(r->to->src, at, src, n, bytes, stream));
    RMAT_OR_RETURN(rmat_gpu_copy_back(r->to->dst, at, dst, n, bytes, stream));
    return rmat_gpu_copy_back(r->to->weight, at, weight, n, sizeof(uint32_t), stream);
}

static int read_to_host(const rmat_interval *b, uint64_t first, uint64_t count,
                        const rmat_arrays *to)
{
    request r = {.b = b, .first = first, .to = to};

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
                                          .settle = settle_keys,
                                          .trim = trim_interval,
                                          .lower = count_lower,
                                          .pointers = pointers_to_host,
                                          .read = read_to_host,
                                          .pointers_device = pointers_device,
                                          .read_device = read_device,
                                          .has = has_cells,
                                          .insert = insert_cells,
                                          .count_cells = count_cells};

    return &ops;
}
