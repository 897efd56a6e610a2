/*
 * fill.c - fills an interval in GPU memory: which edges are gathered through a sieve, gathering,
 * sorting and dropping copies, inserting cells; and counts edges between cells.
 */
#include "alias/gpu/device.h"
#include "rmat/model/generator.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>

/*
 * Which intervals are gathered through the sieve of rmat/gpu/sieve.cuh: those of plain graphs
 * whose rows few edges have.  What an edge costs that passes the sieve has been paid in vain
 * before.
 */
enum { BITS = 2 * RMAT_GROUP_LEVELS /* that a source begins with, as two draws decide them */ };

static double most_share = RMAT_GPU_SIEVED_SHARE;

void rmat_gpu_set_sieve(double share)
{
    most_share = share;
}

/* The probability that a source begins with bits below these. */
static double share_below(const rmat_gen *gen, uint32_t bits)
{
    double sum = 0, same = 1; /* same: the bits so far are equal */

    if (bits >> BITS) {
        return 1;
    }
    for (int l = 0; l < BITS; l++) {
        const rmat_matrix *m = &gen->levels[l];
        const double zero = (m->a + m->b) / (m->a + m->b + m->c + m->d);

        if (bits >> (BITS - 1 - l) & 1) {
            sum += same * zero;
            same *= 1 - zero;
        } else {
            same *= zero;
        }
    }
    return sum;
}

void rmat_gpu_sieve(const rmat_gen *gen, gpu_interval_gather *to)
{
    const int scale = gen->config.rows_scale;
    uint32_t first, last;

    to->sieved = 0;
    if (rmat_has_source(gen) || gen->view.transform != 0 || gen->config.cols_scale != scale ||
        scale < BITS || to->low >> (2 * scale)) {
        return;
    }
    first = (uint32_t)(to->low >> (2 * scale - BITS));
    last = (uint32_t)((to->low + to->last) >> (2 * scale - BITS));
    to->sieved = share_below(gen, last + 1) - share_below(gen, first) <= most_share;
    to->sieve_low = first << (32 - BITS);
    to->sieve_last = ((last - first + 1) << (32 - BITS)) - 1;
}

/*
 * Fills an interval in GPU memory: gathers the keys of its edges, sorts them, and drops copies.
 *
 * Unique edges are gathered slice by slice.  A slice is so long that what it adds probably fits,
 * judged by the slices before; if the room runs low, sorting and dropping copies makes more.
 */
static int gather_slice(const rmat_interval *b, uint64_t first, uint64_t count)
{
    const gpu_interval *s = b->state;
    const rmat_config *c = &b->gen->config;

    return (c->rows_scale <= 32 && c->cols_scale <= 32 ? rmat_gpu_gather : rmat_gpu_gather_wide)(
        b->gen, first, count, &s->gather, s->stream);
}

/* Waits for the stream, and reads the counters. */
static int read_counters(const gpu_interval *s, gpu_interval_counters *now)
{
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(now, s->counters, sizeof *now, cudaMemcpyDeviceToHost, s->stream));
    return rmat_gpu_status(cudaStreamSynchronize(s->stream));
}

/* Sorts what has been gathered, each edge once if they are unique, so that more can be gathered;
 * sets *n to the number of edges left.  RMAT_ERR_FULL, all this done, if there were more than fit.
 */
static int settle_slice(rmat_interval *b, uint64_t *n)
{
    const gpu_interval_sorter *sorter = rmat_gpu_sorter(b->gen);
    gpu_interval *s = b->state;
    gpu_interval_counters now;
    bool full;
    int st;

    RMAT_OR_RETURN(rmat_gpu_close_chunks(&s->gather, s->bits, s->stream));
    RMAT_OR_RETURN(read_counters(s, &now));
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
    int before, st;

    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    st = settle_slice(b, &n);
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

/*
 * rmat_interval_insert() on the GPU: the keys of the cells are written behind those of the
 * interval, sorted there, and merged with them into the other buffer.
 */
enum { UPLOAD = 1 << 18 }; /* elements of the list that are copied to the GPU at once */

/* Writes the keys of the list behind those of the interval. */
static int upload_cells(const gpu_interval *s, const gpu_interval_keys *keys, uint64_t n,
                        const rmat_first_seen *list)
{
    char *to = (char *)s->keys[0] + keys->n * (size_t)s->key_bytes;
    rmat_first_seen *part = NULL;
    int st;

    RMAT_TRY_CUDA(cudaMalloc((void **)&part, UPLOAD * sizeof *part));
    for (uint64_t at = 0; at < n; at += UPLOAD) {
        const uint64_t count = n - at < UPLOAD ? n - at : UPLOAD;

        RMAT_TRY_CUDA(cudaMemcpyAsync(part, list + at, count * sizeof *part, cudaMemcpyHostToDevice,
                                      s->stream));
        RMAT_TRY(rmat_gpu_keys_of(keys, count, part, to + at * (size_t)s->key_bytes, s->stream));
    }
    RMAT_TRY_CUDA(cudaStreamSynchronize(s->stream));
done:
    (void)cudaFree(part);
    return st;
}

static int merge_cells(const rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    const gpu_interval_keys keys = rmat_gpu_interval_keys(b);
    const size_t bytes = (size_t)keys.key_bytes;
    gpu_interval *s = b->state;
    void *const place = (char *)s->keys[0] + keys.n * bytes;
    void *inserted[2] = {place, (char *)s->keys[1] + keys.n * bytes}, *merged = s->keys[1];

    RMAT_OR_RETURN(upload_cells(s, &keys, n, list));
    RMAT_OR_RETURN(rmat_gpu_sorter(b->gen)->sort(inserted, n, s->bits, s->scratch, s->scratch_bytes,
                                                 s->stream));
    if (inserted[0] != place) {
        RMAT_CUDA_OR_RETURN(
            cudaMemcpyAsync(place, inserted[0], n * bytes, cudaMemcpyDeviceToDevice, s->stream));
    }
    RMAT_OR_RETURN(rmat_gpu_merge(&keys, n, merged, s->stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(s->stream));
    s->keys[1] = s->keys[0];
    s->keys[0] = merged;
    return RMAT_OK;
}

int rmat_gpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    const gpu_interval *s = b->state;
    int before, st;

    if (n > s->room - b->edges) {
        return RMAT_ERR_FULL;
    }
    if (!s->single) {
        RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
        st = merge_cells(b, n, list);
        alias_gpu_leave(before);
        RMAT_OR_RETURN(st);
    }
    b->edges += n;
    return RMAT_OK;
}

/* rmat_count_cells() on the GPU: one pass over the stream by the kernel of search.cu. */
typedef struct {
    cudaStream_t stream;
    rmat_code *codes, *host; /* of the cells, in device and in host memory */
    unsigned long long *counts;
    uint64_t n; /* parts, one less than cells */
    int cols_scale;
} counting;

/* Creates everything that counting takes; rmat_gpu_count_cells() frees what exists. */
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

int rmat_gpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts)
{
    counting k = {.n = n - 1, .cols_scale = gen->config.cols_scale};
    int before, st;

    if (!rmat_cell_below(&cells[0], &cells[n - 1])) {
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
