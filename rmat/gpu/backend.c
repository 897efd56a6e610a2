/*
 * The GPU backend: the generator's state on its GPU (tables, a pool of scratch memory, counters),
 * the lists of edges set aside, and ranges of edges into device memory.  host.c has ranges into
 * host memory; the kernels are in the .cuh files (rmat_device.cuh explains them).
 */
#include "rmat/gpu/backend.h"
#include "alias/gpu/device.h"
#include "rmat/gpu/source.h"
#include "rmat/model/generator.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>

/* The largest share of unwanted draws for which they are set aside. */
#define RARELY (1.0 / 256)

enum { SET_ASIDE, REDRAWS, COUNTERS }; /* of gpu_state.counters */

typedef struct {
    int device;
    cudaMemPool_t pool; /* scratch memory of calls, freed in stream order */
    void *tables;       /* a copy of rmat_gen.tables in device memory */
    uint64_t *counters; /* in device memory: rmat_ties.total and .redraws */
    rmat_view view;     /* points into tables */
    rmat_weighing weighing;
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

int rmat_gpu_status(int error)
{
    return rmat_alias_status(alias_gpu_status((cudaError_t)error));
}

int rmat_gpu_launched(void)
{
    return rmat_alias_status(alias_gpu_launched());
}

int rmat_gpu_count(void)
{
    return alias_gpu_count();
}

const char *rmat_gpu_error(void)
{
    return alias_gpu_error();
}

/* Allocates everything in device memory and fills it.  destroy() frees what exists. */
static int allocate(gpu_state *s, const rmat_gen *gen, size_t bytes)
{
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice,
                                     .location.id = s->device};
    uint64_t keep = UINT64_MAX;
    int st;

    RMAT_TRY_CUDA(cudaMemPoolCreate(&s->pool, &props));
    RMAT_TRY_CUDA(cudaMemPoolSetAttribute(s->pool, cudaMemPoolAttrReleaseThreshold, &keep));
    if (bytes != 0) { /* an edge source has no tables */
        RMAT_TRY_CUDA(cudaMalloc(&s->tables, bytes));
        RMAT_TRY_CUDA(cudaMemcpy(s->tables, gen->tables, bytes, cudaMemcpyHostToDevice));
    }
    RMAT_TRY_CUDA(cudaMalloc((void **)&s->counters, COUNTERS * sizeof *s->counters));
    RMAT_TRY_CUDA(cudaMemset(s->counters, 0, COUNTERS * sizeof *s->counters));
    RMAT_TRY_CUDA(cudaStreamSynchronize(NULL)); /* for streams that do not wait for this one */
done:
    return st;
}

/* The limit that no tie reaches: see rmat_words_to_ends(). */
static uint32_t usual_limit(const gpu_state *s)
{
    return 2u << (32 - rmat_fraction_bits(s->view.groups));
}

/* The number of different tables, which are contiguous. */
static int count_tables(const rmat_view *view)
{
    int tables = view->groups > 0 ? 1 : 0;

    for (int g = 0; g < view->groups; g++) {
        const int table = (int)((view->full[g] - view->full[0]) / RMAT_GROUP_PATHS);

        tables = table < tables ? tables : table + 1;
    }
    return tables;
}

static int prepare(rmat_gen *gen)
{
    const size_t table_bytes = RMAT_GROUP_PATHS * (sizeof(uint64_t) + sizeof(uint32_t));
    gpu_state *s = calloc(1, sizeof *s);
    const char *host = gen->tables;
    int before, st;

    if (s == NULL) {
        return RMAT_ERR_NOMEM;
    }
    gen->gpu = s;
    s->device = gen->config.device;
    if (s->device >= alias_gpu_count()) {
        return RMAT_ERR_DEVICE;
    }
    if (s->device < 0) {
        RMAT_TRY_CUDA(cudaGetDevice(&s->device));
    }
    RMAT_TRY(rmat_alias_status(alias_gpu_enter(s->device, &before)));
    st = allocate(s, gen, (size_t)count_tables(&gen->view) * table_bytes);
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
    s->weighing.key = gen->weight_key;
    if (gen->config.weights == RMAT_WEIGHTS_INT) {
        s->weighing.range = rmat_weight_range(&gen->config);
        s->weighing.min = gen->config.weight_min;
    }
done:
    return st;
}

static void destroy(rmat_gen *gen)
{
    gpu_state *s = gen->gpu;
    int before;

    if (s == NULL) {
        return;
    }
    if (alias_gpu_enter(s->device, &before) == ALIAS_OK) {
        (void)cudaFree(s->tables);
        (void)cudaFree(s->counters);
        if (s->pool != NULL) {
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

    return s != NULL ? s->device : -1;
}

cudaMemPool_t rmat_gpu_pool(const rmat_gen *gen)
{
    return ((const gpu_state *)gen->gpu)->pool;
}

int rmat_get_device_view(const rmat_gen *gen, rmat_view *view)
{
    if (gen == NULL || view == NULL || gen->gpu == NULL || rmat_has_source(gen)) {
        return RMAT_ERR_ARG;
    }
    *view = ((const gpu_state *)gen->gpu)->view;
    return RMAT_OK;
}

int rmat_gpu_source_of(const rmat_gen *gen, rmat_gpu_source *source)
{
    if (!rmat_has_source(gen)) {
        return 0;
    }
    *source = (rmat_gpu_source){.view = ((const gpu_state *)gen->gpu)->view,
                                .drops_loops = gen->config.no_self_loops,
                                .own_weights = gen->source.weights != RMAT_NO_WEIGHTS};
    return 1;
}

int rmat_gpu_source_fill(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                         cudaStream_t stream)
{
    return gen->source.fill_device(gen->source.state, first, count, to, stream) == 0
               ? RMAT_OK
               : RMAT_ERR_SOURCE;
}

/*
 * The capacity of a list.  Whatever the tables, a word may tie with its row in at most two of 2^13
 * or 2^20 cases, independently of all others.  A block will practically never see twice as many
 * ties as the largest number of groups would give plus 64, unless most of its draws are thrown
 * away; nor twice as many unwanted draws as RARELY allows.  A list that overflows costs time, but
 * no edge.
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
    int st = rmat_gpu_status(cudaMallocFromPoolAsync(
        &memory, (size_t)(blocks + 1) * (1 + (size_t)capacity) * sizeof(uint32_t), s->pool,
        (cudaStream_t)stream));

    if (st) {
        return st;
    }
    *ties = (rmat_ties){.found = memory,
                        .edges = (uint32_t *)memory + blocks,
                        .total = &s->counters[SET_ASIDE],
                        .redraws = &s->counters[REDRAWS],
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

static int counter(const rmat_gen *gen, int which, uint64_t *value)
{
    const gpu_state *s = gen->gpu;
    int before, st = rmat_alias_status(alias_gpu_enter(s->device, &before));

    if (!st) {
        st = rmat_gpu_status(
            cudaMemcpy(value, &s->counters[which], sizeof *value, cudaMemcpyDeviceToHost));
        alias_gpu_leave(before);
    }
    return st;
}

int rmat_gpu_tied(const rmat_gen *gen, uint64_t *tied)
{
    return counter(gen, SET_ASIDE, tied);
}

static int redraws(const rmat_gen *gen, uint64_t *count)
{
    return counter(gen, REDRAWS, count);
}

int rmat_gpu_store(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                   rmat_layout layout, cudaStream_t stream)
{
    const gpu_state *s = gen->gpu;
    rmat_gpu_source source;
    const bool plain =
        !s->view.transform && s->view.src_mask == s->view.dst_mask && to->weight == NULL;

    if (rmat_gpu_source_of(gen, &source)) {
        return rmat_gpu_store_source(gen, &source, first, count, to, &s->weighing, layout, stream);
    }
    return plain ? rmat_gpu_store_plain(gen, first, count, to, layout, stream)
                 : rmat_gpu_store_transformed(gen, first, count, to, &s->weighing, layout, stream);
}

/* Checks, and starts one range into device memory. */
static int start(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                 rmat_layout layout, void *stream)
{
    const unsigned bytes = (unsigned)to->id_bytes;
    int before, st = rmat_check_range(gen, first, count, to->src, to->dst, to->id_bytes);

    if (st) {
        return st;
    }
    if (gen->gpu == NULL || (uintptr_t)to->src % bytes || (uintptr_t)to->dst % bytes ||
        (uintptr_t)to->weight % 4) {
        return RMAT_ERR_ARG;
    }
    if (to->weight != NULL && gen->config.weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    if (!count) {
        return RMAT_OK;
    }
    st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));
    if (!st) {
        st = rmat_gpu_store(gen, rmat_stream_first(gen) + first, count, to, layout,
                            (cudaStream_t)stream);
        alias_gpu_leave(before);
    }
    return st;
}

int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream)
{
    if (arrays == NULL || (arrays->id_bytes != 4 && arrays->id_bytes != 8)) {
        return RMAT_ERR_ARG;
    }
    return start(gen, first, count, arrays, RMAT_ARRAYS, stream);
}

int rmat_generate_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                         uint64_t *dst, void *stream)
{
    return start(gen, first, count, &(rmat_arrays){src, dst, NULL, 8}, RMAT_ARRAYS, stream);
}

int rmat_generate32_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t *src,
                           uint32_t *dst, void *stream)
{
    return start(gen, first, count, &(rmat_arrays){src, dst, NULL, 4}, RMAT_ARRAYS, stream);
}

int rmat_generate_pairs_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *pairs,
                               void *stream)
{
    return start(gen, first, count,
                 &(rmat_arrays){pairs, pairs != NULL ? pairs + 1 : NULL, NULL, 8}, RMAT_PAIRS,
                 stream);
}

int rmat_generate_pairs32_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                 uint32_t *pairs, void *stream)
{
    return start(gen, first, count,
                 &(rmat_arrays){pairs, pairs != NULL ? pairs + 1 : NULL, NULL, 4}, RMAT_PAIRS,
                 stream);
}

const rmat_backend_ops *rmat_gpu_backend(void)
{
    static const rmat_backend_ops ops = {
        .generate = rmat_gpu_generate, .redraws = redraws, .prepare = prepare, .destroy = destroy};

    return alias_gpu_count() > 0 ? &ops : NULL;
}
