/* Gathering the edges of a block in GPU memory, and sorting them. */
#include "alias/gpu/device.h"
#include "rmat/sorted/block.h"
#include "rmat/sorted/gpu/block.h"

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
    const gpu_block_sorter *sorter = rmat_gpu_sorter(b->gen);
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

int rmat_gpu_block_add(rmat_block *b, uint64_t first, uint64_t count)
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

int rmat_gpu_block_sort(rmat_block *b)
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

int rmat_gpu_block_middle(rmat_block *b, rmat_cell *m)
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
