/*
 * search.c - passes over the stream on a GPU that gather nothing: counting the edges between cells,
 * and finding the first occurrences, in a range, of edges that a sorted interval lacks.
 */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdlib.h>

/* rmat_count_cells() on the GPU. */
typedef struct {
    cudaStream_t stream;
    uint64_t *codes, *host; /* of the cells, in device and in host memory */
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

/*
 * rmat_interval_unseen() on the GPU: a pass over the range lists every edge of the interval that is
 * not among its keys, copies included; sorting the list by cell and index, dropping copies, and
 * sorting it by index leaves the first occurrences.  The pass goes slice by slice, so that a list
 * that overflows can be cleared of copies in between.
 */
enum { LIST = 1 << 20 }; /* room of the list at first */

/* The list, in device memory. */
typedef struct {
    const rmat_interval *b;
    gpu_interval_keys keys;
    cudaStream_t stream;
    rmat_first_seen *list;
    void *scratch;
    size_t scratch_bytes;
    unsigned long long *counter;
    uint64_t room, n;
} unseen_list;

/* Gives the list room for so many, keeping its elements. */
static int grow_list(unseen_list *l, uint64_t room)
{
    rmat_first_seen *more = NULL;
    int st = rmat_gpu_status(cudaMalloc((void **)&more, room * sizeof *more));

    if (st == RMAT_OK && l->n) {
        st = rmat_gpu_status(cudaMemcpyAsync(more, l->list, l->n * sizeof *more,
                                             cudaMemcpyDeviceToDevice, l->stream));
        if (st == RMAT_OK) {
            st = rmat_gpu_status(cudaStreamSynchronize(l->stream));
        }
    }
    (void)cudaFree(l->list);
    (void)cudaFree(l->scratch);
    l->list = more;
    l->scratch = NULL;
    l->room = room;
    RMAT_OR_RETURN(st);
    RMAT_OR_RETURN(rmat_gpu_unseen_scratch(room, &l->scratch_bytes));
    RMAT_CUDA_OR_RETURN(cudaMalloc(&l->scratch, l->scratch_bytes));
    return st;
}

/* Waits for the stream, and reads the counter. */
static int read_count(unseen_list *l, uint64_t *value)
{
    unsigned long long now = 0;
    int st;

    RMAT_TRY_CUDA(cudaMemcpyAsync(&now, l->counter, sizeof now, cudaMemcpyDeviceToHost, l->stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(l->stream));
done:
    *value = now;
    return st;
}

/* Leaves the first occurrence of each listed edge, ordered by index. */
static int settle_list(unseen_list *l)
{
    RMAT_OR_RETURN(
        rmat_gpu_settle_unseen(l->list, l->n, l->scratch, l->scratch_bytes, l->counter, l->stream));
    return read_count(l, &l->n);
}

/* Finds all of them, slice by slice.  A slice whose edges do not fit is made again, in halves or
 * with more room: what has been kept of it does no harm, as copies are dropped. */
static int find_in_slices(unseen_list *l, uint64_t first, uint64_t count, uint64_t most)
{
    uint64_t limit = count;

    RMAT_OR_RETURN(grow_list(l, count < LIST ? count : LIST));
    while (count) {
        const uint64_t slice = count < limit ? count : limit;
        const unsigned long long before = l->n;

        RMAT_CUDA_OR_RETURN(
            cudaMemcpyAsync(l->counter, &before, sizeof before, cudaMemcpyHostToDevice, l->stream));
        RMAT_OR_RETURN(rmat_gpu_find_unseen(l->b->gen, first, slice, &l->keys, l->list, l->room,
                                            l->counter, l->stream));
        RMAT_OR_RETURN(read_count(l, &l->n));
        if (l->n <= l->room) {
            first += slice;
            count -= slice;
        } else {
            l->n = l->room;
            RMAT_OR_RETURN(settle_list(l));
            RMAT_OR_RETURN(l->n > most ? RMAT_ERR_FULL : RMAT_OK);
            if (l->n > l->room / 2) {
                RMAT_OR_RETURN(grow_list(l, 4 * l->room));
            } else {
                limit = slice > 1 ? slice / 2 : 1;
            }
        }
    }
    RMAT_OR_RETURN(settle_list(l));
    return l->n > most ? RMAT_ERR_FULL : RMAT_OK;
}

/* Copies the list to memory of its own. */
static int to_host(const unseen_list *l, rmat_first_seen **list, uint64_t *n)
{
    rmat_first_seen *copy = malloc((l->n ? l->n : 1) * sizeof *copy);
    int st;

    if (copy == NULL) {
        return RMAT_ERR_NOMEM;
    }
    st = rmat_gpu_status(cudaMemcpy(copy, l->list, l->n * sizeof *copy, cudaMemcpyDeviceToHost));
    if (st != RMAT_OK) {
        free(copy);
        return st;
    }
    *list = copy;
    *n = l->n;
    return RMAT_OK;
}

int rmat_gpu_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                             rmat_first_seen **list, uint64_t *n)
{
    const gpu_interval *s = b->state;
    unseen_list l = {.b = b, .keys = rmat_gpu_interval_keys(b)};
    int before, st;

    if (s->single && b->edges) {
        return RMAT_OK;
    }
    RMAT_OR_RETURN(rmat_gpu_enter(b->gen, &before));
    RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
    RMAT_TRY_CUDA(cudaMalloc((void **)&l.counter, sizeof *l.counter));
    RMAT_TRY(find_in_slices(&l, first, count, most));
    RMAT_TRY(to_host(&l, list, n));
done:
    (void)cudaFree(l.list);
    (void)cudaFree(l.scratch);
    (void)cudaFree(l.counter);
    if (l.stream != NULL) {
        (void)cudaStreamDestroy(l.stream);
    }
    alias_gpu_leave(before);
    return st;
}
