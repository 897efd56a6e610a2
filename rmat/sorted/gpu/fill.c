/*
 * fill.c - fills an interval in GPU memory: gathers the keys of its edges, sorts them, drops
 * copies, and inserts cells.
 */
#include "alias/gpu/device.h"
#include "rmat/model/generator.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdlib.h>

/* Waits for the stream, and reads the counters. */
static int read_counters(const gpu_interval *s, gpu_interval_counters *now)
{
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(now, s->counters, sizeof *now, cudaMemcpyDeviceToHost, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

int rmat_gpu_interval_gathered(const rmat_interval *b, uint64_t *keys)
{
    const gpu_interval *s = b->state;
    gpu_interval_counters now;
    int before, st;

    *keys = s->counted;
    if (s->single) {
        return RMAT_OK;
    }
    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    st = read_counters(s, &now);
    alias_gpu_leave(before);
    RMAT_OR_RETURN(st);
    *keys = now.taken;
    return now.taken > s->room ? RMAT_ERR_FULL : RMAT_OK;
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
    n = now.taken < s->room ? now.taken : s->room;
    RMAT_OR_RETURN(rmat_gpu_sort(s->keys, n, s->bits, s->scratch, s->scratch_bytes, s->stream));
    n -= now.holes; /* they sort last, or equal to edges there */
    if (b->unique && n) {
        RMAT_OR_RETURN(rmat_gpu_unique(s->keys, &n, s->scratch, s->scratch_bytes,
                                       &s->counters->result, s->stream));
    }
    now = (gpu_interval_counters){.taken = n};
    s->gather.keys = s->keys[0];
    *keys = s->settled = n;
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(s->counters, &now, sizeof now, cudaMemcpyHostToDevice, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

int rmat_gpu_interval_settle(rmat_interval *b, uint64_t *keys)
{
    const gpu_interval *s = b->state;
    int before, st;

    if (s->single) {
        *keys = s->counted;
        return RMAT_OK;
    }
    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    st = settle(b, keys);
    alias_gpu_leave(before);
    return st;
}

int rmat_gpu_interval_gather(rmat_interval *b, uint64_t first, uint64_t count)
{
    gpu_interval *s = b->state;
    int before, st;

    if (s->single) {
        const rmat_cell cells[] = {b->first, b->end};
        uint64_t met = 0;

        st = rmat_gpu_count_cells(b->gen, first, count, 2, cells, &met);
        s->counted += b->unique ? met > 0 && s->counted == 0 : met;
        return st;
    }
    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    st = rmat_gpu_gather(b->gen, first, count, &s->gather, s->stream);
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
    RMAT_TRY(rmat_gpu_sort(s->keys, edges + n, s->bits, s->scratch, s->scratch_bytes, s->stream));
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
