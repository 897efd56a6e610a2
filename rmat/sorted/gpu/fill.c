/*
 * fill.c - fills an interval in GPU memory: gathers the keys of its edges, sorts them, drops
 * copies, and inserts cells.
 *
 * Unique edges are gathered slice by slice.  A slice is so long that what it adds probably fits,
 * judged by the slices before; if the room runs low, sorting and dropping copies makes more.
 */
#include "alias/gpu/device.h"
#include "rmat/model/generator.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>

static int gather_slice(const rmat_interval *b, uint64_t first, uint64_t count)
{
    const gpu_interval *s = b->state;

    return rmat_gpu_gather(b->gen, first, count, &s->gather, s->stream);
}

/* Waits for the stream, and reads the counters. */
static int read_counters(const gpu_interval *s, gpu_interval_counters *now)
{
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(now, s->counters, sizeof *now, cudaMemcpyDeviceToHost, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

static int sort_keys(gpu_interval *s, uint64_t n)
{
    return rmat_gpu_sort(s->keys, n, s->bits, s->scratch, s->scratch_bytes, s->stream);
}

/* Sorts what has been gathered, each edge once if they are unique, so that more can be gathered;
 * sets *n to the number of edges left.  RMAT_ERR_FULL if there were more than fit: only unique ones
 * are sorted then. */
static int settle_slice(rmat_interval *b, uint64_t *n)
{
    gpu_interval *s = b->state;
    gpu_interval_counters now;
    bool full;
    int st;

    RMAT_OR_RETURN(rmat_gpu_close_chunks(&s->gather, s->bits, s->stream));
    RMAT_OR_RETURN(read_counters(s, &now));
    *n = s->settled;
    if (now.taken == s->settled) { /* nothing new */
        return RMAT_OK;
    }
    full = now.taken > s->room;
    if (full && !b->unique) {
        return RMAT_ERR_FULL;
    }
    *n = full ? s->room : now.taken;
    st = sort_keys(s, *n);
    *n -= now.holes; /* they sort last, or equal to edges there */
    if (st == RMAT_OK && b->unique && *n) {
        st = rmat_gpu_unique(s->keys, n, s->scratch, s->scratch_bytes, &s->counters->result,
                             s->stream);
    }
    now = (gpu_interval_counters){.taken = *n};
    s->gather.keys = s->keys[0];
    s->most = *n;
    RMAT_OR_RETURN(st);
    s->settled = *n;
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(s->counters, &now, sizeof now, cudaMemcpyHostToDevice, s->stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(s->stream));
    return full ? RMAT_ERR_FULL : RMAT_OK;
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
static bool slice_fits(const gpu_interval *s, uint64_t edges, uint64_t room)
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
    int st;

    while (count) {
        gpu_interval_counters now;
        uint64_t slice, before, n;

        if (count <= room_after(b, s->most)) {
            s->most += count;
            return gather_slice(b, first, count);
        }
        RMAT_OR_RETURN(read_counters(s, &now));
        if (now.taken > b->capacity / 8 * 7 && !slice_fits(s, count, room_after(b, now.taken))) {
            RMAT_OR_RETURN(settle_slice(b, &n));
            if (n > b->capacity / 4 * 3 && !slice_fits(s, count, room_after(b, n))) {
                return RMAT_ERR_FULL;
            }
            now.taken = n;
        }
        before = s->most = now.taken;
        slice = room_after(b, before);
        slice = slice_fits(s, count, slice) ? count : slice_for(s, slice);
        slice = slice < limit ? slice : limit;
        slice = slice < count ? slice : count;
        RMAT_OR_RETURN(gather_slice(b, first, slice));
        RMAT_OR_RETURN(read_counters(s, &now));
        s->made += slice;
        s->kept += now.taken - before;
        s->most = now.taken;
        if (now.taken > s->room) {
            st = settle_slice(b, &n);
            if (st != RMAT_OK && st != RMAT_ERR_FULL) {
                return st;
            }
            RMAT_OR_RETURN(n > b->capacity / 4 * 3 ? RMAT_ERR_FULL : RMAT_OK);
            limit = slice / 2;
        } else {
            first += slice;
            count -= slice;
        }
    }
    return RMAT_OK;
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
    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    st = b->unique ? add_unique(b, first, count) : gather_slice(b, first, count);
    alias_gpu_leave(before);
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
    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    st = settle_slice(b, &b->edges);
    alias_gpu_leave(before);
    return st;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sets *key to the median of evenly spaced keys, in no order; 0 if there are none. */
static int median_of(const gpu_interval *s, uint64_t *key)
{
    const uint64_t most = 1 << 16, hole = s->bits < 64 ? ((uint64_t)1 << s->bits) - 1 : UINT64_MAX;
    gpu_interval_counters now;
    uint64_t *sample, n, keys = 0;
    int st;

    *key = 0;
    RMAT_OR_RETURN(rmat_gpu_close_chunks(&s->gather, s->bits, s->stream));
    RMAT_OR_RETURN(read_counters(s, &now));
    now.taken = now.taken < s->room ? now.taken : s->room;
    n = now.taken < most ? now.taken : most;
    if (n == 0) {
        return RMAT_OK;
    }
    sample = malloc(n * sizeof *sample);
    if (sample == NULL) {
        return RMAT_ERR_NOMEM;
    }
    st = rmat_gpu_status(cudaMemcpy2D(sample, sizeof *sample, s->keys[0],
                                      now.taken / n * sizeof *sample, sizeof *sample, n,
                                      cudaMemcpyDeviceToHost));
    for (uint64_t i = 0; i < n && st == RMAT_OK; i++) { /* without unused places */
        sample[keys] = sample[i];
        keys += sample[i] != hole;
    }
    if (keys > 0) {
        qsort(sample, keys, sizeof *sample, compare_keys);
        *key = sample[keys / 2];
    }
    free(sample);
    return st;
}

int rmat_gpu_interval_middle(rmat_interval *b, rmat_cell *m)
{
    const int cols_scale = b->gen->config.cols_scale;
    const gpu_interval *s = b->state;
    uint64_t key;
    int before, st;

    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    st = median_of(s, &key);
    alias_gpu_leave(before);
    key += s->gather.low;
    *m = (rmat_cell){key >> cols_scale, key & (((uint64_t)1 << cols_scale) - 1)};
    return st;
}

/* rmat_interval_insert() on the GPU: the keys of the cells are written behind those of the
 * interval, and all sorted again. */
static int sort_with(gpu_interval *s, uint64_t edges, uint64_t n, const uint64_t *keys)
{
    int st;

    RMAT_TRY_CUDA(cudaMemcpyAsync(s->keys[0] + edges, keys, n * sizeof *keys,
                                  cudaMemcpyHostToDevice, s->stream));
    RMAT_TRY(sort_keys(s, edges + n));
done:
    RMAT_OR_RETURN(st);
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

int rmat_gpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    gpu_interval *s = b->state;
    uint64_t *keys;
    int before, st = RMAT_OK;

    if (n > s->room - b->edges) {
        return RMAT_ERR_FULL;
    }
    keys = malloc(n * sizeof *keys);
    if (keys == NULL) {
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < n; i++) {
        keys[i] = rmat_code_of(&list[i].cell, s->gather.cols_scale) - s->gather.low;
        st = keys[i] <= s->gather.last ? st : RMAT_ERR_ARG;
    }
    if (st == RMAT_OK && !s->single) {
        RMAT_TRY(rmat_gpu_enter(b->gen, &before));
        st = sort_with(s, b->edges, n, keys);
        alias_gpu_leave(before);
    }
    b->edges += st == RMAT_OK ? n : 0;
done:
    free(keys);
    return st;
}
