/* Blocks in GPU memory: gathering and sorting.  gpu_block_host.c reads them, gpu_block_late.c puts
 * edges in. */
#include "rmat/gpu_block.h"
#include "alias/gpu_impl.h"
#include "rmat/block_impl.h"

#include <stdlib.h>

/* Room that warps take at once: all of it together is less than 1/32 of the capacity. */
static uint32_t chunk_of(uint64_t edges)
{
    const uint64_t chunk = edges / (32 * GPU_BLOCK_WARPS) / 32 * 32;

    return (uint32_t)(chunk < GPU_BLOCK_MAX_CHUNK ? chunk : GPU_BLOCK_MAX_CHUNK);
}

static const gpu_block_sorter *sorter_of(const rmat_gen *gen)
{
    return rmat_key_bytes(gen) == 8 ? rmat_gpu_sorter8() : rmat_gpu_sorter16();
}

/* The places in s->memory for so many edges, or only how many bytes they take. */
static int lay_out(const rmat_gen *gen, gpu_block *s, uint64_t edges, size_t *bytes)
{
    alias_arena arena = {s->memory, 0};
    int before, st;

    s->key_bytes = rmat_key_bytes(gen);
    s->chunk = chunk_of(edges);
    s->room = edges + (uint64_t)GPU_BLOCK_WARPS * s->chunk;
    st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));
    if (st) {
        return st;
    }
    st = sorter_of(gen)->scratch(s->room, &s->scratch_bytes);
    alias_gpu_leave(before);
    for (int i = 0; i < 2; i++) {
        s->keys[i] = alias_arena_take(&arena, s->room, (size_t)s->key_bytes);
    }
    s->chunks = alias_arena_take(&arena, s->chunk ? GPU_BLOCK_WARPS : 0, sizeof *s->chunks);
    s->counters = alias_arena_take(&arena, 1, sizeof *s->counters);
    s->scratch = alias_arena_take(&arena, 1, s->scratch_bytes);
    *bytes = arena.used;
    return st;
}

static uint64_t bytes_of(const rmat_gen *gen, uint64_t edges)
{
    gpu_block s = {.memory = NULL};
    size_t bytes;

    return edges >> 48 || lay_out(gen, &s, edges, &bytes) ? UINT64_MAX : bytes;
}

/* More warps than anyone has foreseen take what they need. */
static int limit_warps(gpu_block *s)
{
    int multiprocessors, threads, st;

    st = rmat_gpu_status(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, s->device));
    st = st ? st
            : rmat_gpu_status(cudaDeviceGetAttribute(
                  &threads, cudaDevAttrMaxThreadsPerMultiProcessor, s->device));
    if (!st && multiprocessors * threads / 32 > GPU_BLOCK_WARPS) {
        s->chunk = 0;
    }
    return st;
}

static int create(rmat_block *b, uint64_t capacity)
{
    gpu_block *s = calloc(1, sizeof *s);
    size_t bytes;
    int before, st;

    b->state = s;
    if (!s) {
        return RMAT_ERR_NOMEM;
    }
    s->device = rmat_used_device(b->gen);
    st = lay_out(b->gen, s, capacity, &bytes);
    st = st ? st : rmat_alias_status(alias_gpu_enter(s->device, &before));
    if (st) {
        return st;
    }
    st = rmat_gpu_status(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
    st = st ? st : rmat_gpu_status(cudaMalloc((void **)&s->memory, bytes));
    st = st ? st : lay_out(b->gen, s, capacity, &bytes);
    st = st ? st : limit_warps(s);
    alias_gpu_leave(before);
    return st;
}

static void destroy(rmat_block *b)
{
    gpu_block *s = b->state;
    int before;

    if (!s) {
        return;
    }
    if (alias_gpu_enter(s->device, &before) == ALIAS_OK) {
        if (s->stream) {
            (void)cudaStreamSynchronize(s->stream);
            (void)cudaStreamDestroy(s->stream);
        }
        (void)cudaFree(s->memory);
        alias_gpu_leave(before);
    }
    (void)cudaGetLastError();
    free(s);
}

static int reset(gpu_block *s)
{
    int st = rmat_gpu_status(cudaMemsetAsync(s->counters, 0, sizeof *s->counters, s->stream));

    return st || !s->gather.n_chunks
               ? st
               : rmat_gpu_status(cudaMemsetAsync(
                     s->chunks, 0, s->gather.n_chunks * sizeof *s->chunks, s->stream));
}

static int begin(rmat_block *b)
{
    const int cols_scale = b->gen->config.cols_scale;
    gpu_block *s = b->state;
    gpu_block_gather *g = &s->gather;
    int before, st;

    *g = (gpu_block_gather){.low = rmat_code_of(&b->first, cols_scale),
                            .keys = s->keys[0],
                            .room = s->room,
                            .counters = s->counters,
                            .chunks = s->chunks,
                            .n_chunks = s->chunk ? GPU_BLOCK_WARPS : 0,
                            .chunk = s->chunk,
                            .cols_scale = cols_scale,
                            .key_bytes = s->key_bytes};
    if (rmat_cell_below(&b->first, &b->end)) {
        g->last = rmat_code_of(&b->end, cols_scale) - g->low - 1;
    }
    s->bits = 0;
    while (s->bits < 8 * s->key_bytes && g->last >> s->bits) {
        s->bits++;
    }
    s->single = rmat_is_single(b, b->gen->view.cols);
    s->counted = s->most = s->made = s->kept = 0;
    st = rmat_alias_status(alias_gpu_enter(s->device, &before));
    if (!st) {
        st = reset(s);
        alias_gpu_leave(before);
    }
    return st;
}

static int gather(const rmat_block *b, uint64_t first, uint64_t count)
{
    const gpu_block *s = b->state;
    const rmat_config *c = &b->gen->config;

    return (c->rows_scale <= 32 && c->cols_scale <= 32 ? rmat_gpu_gather : rmat_gpu_gather_wide)(
        b->gen, first, count, &s->gather, s->stream);
}

static int look(const gpu_block *s, gpu_block_counters *now)
{
    const int st = rmat_gpu_status(
        cudaMemcpyAsync(now, s->counters, sizeof *now, cudaMemcpyDeviceToHost, s->stream));

    return st ? st : rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

/* Sorts what was gathered, and leaves each once if asked, so that more can be gathered; *n of them
 * were left.  RMAT_ERR_FULL, all the same, if there was more than room. */
static int settle(rmat_block *b, uint64_t *n)
{
    const gpu_block_sorter *sorter = sorter_of(b->gen);
    gpu_block *s = b->state;
    gpu_block_counters now;
    int st = rmat_gpu_close_chunks(&s->gather, s->bits, s->stream), full;

    st = st ? st : look(s, &now);
    if (st) {
        return st;
    }
    full = now.taken > s->room;
    *n = full ? s->room : now.taken;
    st = sorter->sort(s->keys, *n, s->bits, s->scratch, s->scratch_bytes, s->stream);
    *n -= now.holes; /* the last ones, or the same as these */
    if (!st && b->unique && *n) {
        st = sorter->unique(s->keys, n, s->scratch, s->scratch_bytes, &s->counters->result,
                            s->stream);
    }
    now = (gpu_block_counters){.taken = *n};
    s->gather.keys = s->keys[0];
    s->most = *n;
    st = st ? st
            : rmat_gpu_status(cudaMemcpyAsync(s->counters, &now, sizeof now, cudaMemcpyHostToDevice,
                                              s->stream));
    st = st ? st : rmat_gpu_status(cudaStreamSynchronize(s->stream));
    return st ? st : full ? RMAT_ERR_FULL : RMAT_OK;
}

/* So many edges probably fit into so much room. */
static uint64_t slice_for(const gpu_block *s, uint64_t room)
{
    const double share = s->made ? ((double)s->kept + 1000) / (double)s->made : 1;
    const double slice = 0.9 * (double)room / (share < 1 ? share : 1);

    return slice > (double)room ? slice < 1e18 ? (uint64_t)slice : (uint64_t)1e18 : room;
}

/*
 * Slices that probably fit, with room made between them.  One that does not fit is made again, in
 * smaller ones: what was kept of it does no harm.
 */
static int add_unique(rmat_block *b, uint64_t first, uint64_t count)
{
    gpu_block *s = b->state;
    uint64_t limit = UINT64_MAX;
    int st = RMAT_OK;

    while (!st && count) {
        const uint64_t sure = b->capacity > s->most ? b->capacity - s->most : 0;
        gpu_block_counters now;
        uint64_t slice, before, n;

        if (count <= sure) {
            s->most += count;
            return gather(b, first, count);
        }
        st = look(s, &now);
        if (st) {
            return st;
        }
        if (now.taken > b->capacity / 8 * 7) {
            st = settle(b, &n);
            if (st) {
                return st;
            }
            if (n > b->capacity / 4 * 3) {
                return RMAT_ERR_FULL;
            }
            now.taken = n;
        }
        before = s->most = now.taken;
        slice = slice_for(s, b->capacity - before);
        slice = slice < limit ? slice : limit;
        slice = slice < count ? slice : count;
        st = gather(b, first, slice);
        st = st ? st : look(s, &now);
        if (st) {
            return st;
        }
        s->made += slice;
        s->kept += now.taken - before;
        s->most = now.taken;
        if (now.taken > s->room) {
            st = settle(b, &n);
            if (st && st != RMAT_ERR_FULL) {
                return st;
            }
            st = n > b->capacity / 4 * 3 ? RMAT_ERR_FULL : RMAT_OK;
            limit = slice / 2;
        } else {
            first += slice;
            count -= slice;
        }
    }
    return st;
}

static int add(rmat_block *b, uint64_t first, uint64_t count)
{
    gpu_block *s = b->state;
    int before, st;

    if (s->single) {
        const rmat_cell cells[] = {b->first, b->end};
        uint64_t met = 0;

        st = rmat_gpu_count_cells(b->gen, first, count, 2, cells, &met);
        s->counted += met;
        return st;
    }
    st = rmat_alias_status(alias_gpu_enter(s->device, &before));
    if (!st) {
        st = b->unique ? add_unique(b, first, count) : gather(b, first, count);
        alias_gpu_leave(before);
    }
    return st;
}

static int sort(rmat_block *b)
{
    gpu_block *s = b->state;
    int before, st;

    if (s->single) {
        b->edges = b->unique ? s->counted > 0 : s->counted;
        return RMAT_OK;
    }
    st = rmat_alias_status(alias_gpu_enter(s->device, &before));
    if (!st) {
        st = settle(b, &b->edges);
        alias_gpu_leave(before);
    }
    return st;
}

static int key_at(const gpu_block *s, uint64_t i, rmat_code *key)
{
    *key = 0; /* little-endian */
    return rmat_gpu_status(cudaMemcpy(key, (const char *)s->keys[0] + i * (size_t)s->key_bytes,
                                      (size_t)s->key_bytes, cudaMemcpyDeviceToHost));
}

static int middle(rmat_block *b, rmat_cell *m)
{
    const int cols_scale = b->gen->config.cols_scale;
    gpu_block *s = b->state;
    rmat_code code;
    uint64_t n;
    int before, st = rmat_alias_status(alias_gpu_enter(s->device, &before));

    if (st) {
        return st;
    }
    st = settle(b, &n);
    st = st == RMAT_ERR_FULL ? RMAT_OK : st;
    st = st ? st : n ? key_at(s, n / 2, &code) : RMAT_ERR_ARG;
    alias_gpu_leave(before);
    if (st) {
        return st;
    }
    code += s->gather.low;
    *m = (rmat_cell){(uint64_t)(code >> cols_scale),
                     (uint64_t)code & (((uint64_t)1 << cols_scale) - 1)};
    if (!rmat_cell_below(&b->first, m)) { /* behind it, then */
        m->dst++;
        if (m->dst == b->gen->view.cols) {
            *m = (rmat_cell){m->src + 1, 0};
        }
    }
    return RMAT_OK;
}

gpu_block_keys rmat_gpu_block_keys(const rmat_block *b)
{
    const gpu_block *s = b->state;

    return (gpu_block_keys){.low = s->gather.low,
                            .keys = s->keys[0],
                            .n = b->edges,
                            .cols_scale = s->gather.cols_scale,
                            .key_bytes = s->key_bytes,
                            .single = s->single};
}

static int pointers_device(const rmat_block *b, uint64_t first_row, uint64_t count, uint64_t sum,
                           uint64_t *pointers, void *stream)
{
    const gpu_block_keys keys = rmat_gpu_block_keys(b);
    int before, st;

    if ((uintptr_t)pointers % 8) {
        return RMAT_ERR_ARG;
    }
    st = rmat_alias_status(alias_gpu_enter(rmat_used_device(b->gen), &before));
    if (!st) {
        st = rmat_gpu_pointers(&keys, first_row, count, sum, pointers, stream);
        alias_gpu_leave(before);
    }
    return st;
}

static int read_device(const rmat_block *b, uint64_t first, uint64_t count, const rmat_arrays *to,
                       void *stream)
{
    const gpu_block_keys keys = rmat_gpu_block_keys(b);
    const rmat_weighing how = rmat_gpu_weighing(b);
    const unsigned bytes = (unsigned)to->id_bytes;
    int before, st;

    if ((uintptr_t)to->src % bytes || (uintptr_t)to->dst % bytes || (uintptr_t)to->weight % 4) {
        return RMAT_ERR_ARG;
    }
    st = rmat_alias_status(alias_gpu_enter(rmat_used_device(b->gen), &before));
    if (!st) {
        st = rmat_gpu_read(&keys, first, count, to, &how, stream);
        alias_gpu_leave(before);
    }
    return st;
}

const rmat_block_ops *rmat_gpu_block_ops(void)
{
    static const rmat_block_ops ops = {.bytes = bytes_of,
                                       .create = create,
                                       .destroy = destroy,
                                       .begin = begin,
                                       .add = add,
                                       .middle = middle,
                                       .sort = sort,
                                       .lower = rmat_gpu_block_lower,
                                       .before = rmat_gpu_block_before,
                                       .pointers = rmat_gpu_block_pointers,
                                       .read = rmat_gpu_block_read,
                                       .pointers_device = pointers_device,
                                       .read_device = read_device,
                                       .news = rmat_gpu_block_news,
                                       .insert = rmat_gpu_block_insert,
                                       .count_cells = rmat_gpu_count_cells};

    return &ops;
}
