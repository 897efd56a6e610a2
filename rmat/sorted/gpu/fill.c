/*
 * Fills an interval in GPU memory: gathers the keys of its edges, sorts them, and drops copies.
 *
 * Unique edges are gathered slice by slice.  A slice is so long that what it adds probably fits,
 * judged by the slices before; if the room runs low, sorting and dropping copies makes more.
 */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdbool.h>

static int gather(const rmat_interval *b, uint64_t first, uint64_t count)
{
    const gpu_interval *s = b->state;
    const rmat_config *c = &b->gen->config;

    return (c->rows_scale <= 32 && c->cols_scale <= 32 ? rmat_gpu_gather : rmat_gpu_gather_wide)(
        b->gen, first, count, &s->gather, s->stream);
}

/* Waits for the stream, and reads the counters. */
static int look(const gpu_interval *s, gpu_interval_counters *now)
{
    int st;

    RMAT_TRY_CUDA(
        cudaMemcpyAsync(now, s->counters, sizeof *now, cudaMemcpyDeviceToHost, s->stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(s->stream));
done:
    return st;
}

/* Sorts what has been gathered, each edge once if they are unique, so that more can be gathered;
 * sets *n to the number of edges left.  RMAT_ERR_FULL, all this done, if there were more than fit.
 */
static int settle(rmat_interval *b, uint64_t *n)
{
    const gpu_interval_sorter *sorter = rmat_gpu_sorter(b->gen);
    gpu_interval *s = b->state;
    gpu_interval_counters now;
    bool full;
    int st;

    RMAT_TRY(rmat_gpu_close_chunks(&s->gather, s->bits, s->stream));
    RMAT_TRY(look(s, &now));
    if (now.taken == s->settled) { /* nothing new */
        *n = s->settled;
        return RMAT_OK;
    }
    full = now.taken > s->room;
    *n = full ? s->room : now.taken;
    st = sorter->sort(s->keys, *n, s->bits, s->scratch, s->scratch_bytes, s->stream);
    *n -= now.holes; /* they sort last, or equal to edges there */
    if (st == RMAT_OK && b->unique && *n) {
        st = sorter->unique(s->keys, n, s->scratch, s->scratch_bytes, &s->counters->result,
                            s->stream);
    }
    now = (gpu_interval_counters){.taken = *n};
    s->gather.keys = s->keys[0];
    s->most = *n;
    RMAT_TRY(st);
    s->settled = *n;
    RMAT_TRY_CUDA(
        cudaMemcpyAsync(s->counters, &now, sizeof now, cudaMemcpyHostToDevice, s->stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(s->stream));
    st = full ? RMAT_ERR_FULL : RMAT_OK;
done:
    return st;
}

/* The share of the stream's edges that were in the interval so far, rounded up. */
static double share_of(const gpu_interval *s)
{
    const double share = s->made ? ((double)s->kept + 1000) / (double)s->made : 1;

    return share < 1 ? share : 1;
}

/* For how many more keys there is room after so many. */
static uint64_t room_after(const rmat_interval *b, uint64_t keys)
{
    return b->capacity > keys ? b->capacity - keys : 0;
}

/* Whether so many edges of the stream probably leave no more in the interval than there is room
 * for. */
static bool fits(const gpu_interval *s, uint64_t edges, uint64_t room)
{
    return share_of(s) * (double)edges < 0.97 * (double)room;
}

/* The length of a slice whose edges in the interval probably fit into so much room. */
static uint64_t slice_for(const gpu_interval *s, uint64_t room)
{
    const double slice = 0.9 * (double)room / share_of(s);

    return slice > (double)room ? slice < 1e18 ? (uint64_t)slice : (uint64_t)1e18 : room;
}

/*
 * Gathers slices that probably fit, and makes room between them.  A slice that does not fit is made
 * again, in smaller ones: what has been kept of it does no harm, as copies are dropped.
 */
static int add_unique(rmat_interval *b, uint64_t first, uint64_t count)
{
    gpu_interval *s = b->state;
    uint64_t limit = UINT64_MAX;
    int st = RMAT_OK;

    while (count) {
        gpu_interval_counters now;
        uint64_t slice, before, n;

        if (count <= room_after(b, s->most)) {
            s->most += count;
            return gather(b, first, count);
        }
        RMAT_TRY(look(s, &now));
        if (now.taken > b->capacity / 8 * 7 && !fits(s, count, room_after(b, now.taken))) {
            RMAT_TRY(settle(b, &n));
            if (n > b->capacity / 4 * 3 && !fits(s, count, room_after(b, n))) {
                return RMAT_ERR_FULL;
            }
            now.taken = n;
        }
        before = s->most = now.taken;
        slice = room_after(b, before);
        slice = fits(s, count, slice) ? count : slice_for(s, slice);
        slice = slice < limit ? slice : limit;
        slice = slice < count ? slice : count;
        RMAT_TRY(gather(b, first, slice));
        RMAT_TRY(look(s, &now));
        s->made += slice;
        s->kept += now.taken - before;
        s->most = now.taken;
        if (now.taken > s->room) {
            st = settle(b, &n);
            if (st != RMAT_OK && st != RMAT_ERR_FULL) {
                return st;
            }
            RMAT_TRY(n > b->capacity / 4 * 3 ? RMAT_ERR_FULL : RMAT_OK);
            limit = slice / 2;
        } else {
            first += slice;
            count -= slice;
        }
    }
done:
    return st;
}

int rmat_gpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count)
{
    gpu_interval *s = b->state;
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

int rmat_gpu_interval_sort(rmat_interval *b)
{
    gpu_interval *s = b->state;
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

static int key_at(const gpu_interval *s, uint64_t i, rmat_code *key)
{
    *key = 0; /* little-endian */
    return rmat_gpu_status(cudaMemcpy(key, (const char *)s->keys[0] + i * (size_t)s->key_bytes,
                                      (size_t)s->key_bytes, cudaMemcpyDeviceToHost));
}

int rmat_gpu_interval_middle(rmat_interval *b, rmat_cell *m)
{
    const int cols_scale = b->gen->config.cols_scale;
    gpu_interval *s = b->state;
    rmat_code code;
    uint64_t n;
    int before, st = rmat_alias_status(alias_gpu_enter(s->device, &before));

    if (st != RMAT_OK) {
        return st;
    }
    st = settle(b, &n);
    if (st == RMAT_OK || st == RMAT_ERR_FULL) {
        st = n ? key_at(s, n / 2, &code) : RMAT_ERR_ARG;
    }
    alias_gpu_leave(before);
    if (st != RMAT_OK) {
        return st;
    }
    code += s->gather.low;
    *m = (rmat_cell){(uint64_t)(code >> cols_scale),
                     (uint64_t)code & (((uint64_t)1 << cols_scale) - 1)};
    if (!rmat_cell_below(&b->first, m)) { /* the first cell: take the next one */
        m->dst++;
        if (m->dst == b->gen->view.cols) {
            *m = (rmat_cell){m->src + 1, 0};
        }
    }
    return RMAT_OK;
}
