/* Edges that a sorted block in GPU memory lacks: found in the stream, and put in. */
#include "alias/gpu/state.h"
#include "rmat/sorted/block.h"
#include "rmat/sorted/gpu/block.h"

#include <stdlib.h>

enum { LIST = 1 << 20 };

/* A list of new edges in device memory. */
typedef struct {
    const rmat_block *b;
    gpu_block_keys keys;
    rmat_code last;
    cudaStream_t stream;
    rmat_new *list;
    void *scratch;
    size_t scratch_bytes;
    unsigned long long *counter;
    uint64_t room, n;
} unseen_list;

/* Room for so many, with those that are there. */
static int grow(unseen_list *l, uint64_t room)
{
    rmat_new *more = NULL;
    int st = rmat_gpu_status(cudaMalloc((void **)&more, room * sizeof *more));

    if (!st && l->n) {
        st = rmat_gpu_status(cudaMemcpyAsync(more, l->list, l->n * sizeof *more,
                                             cudaMemcpyDeviceToDevice, l->stream));
        st = st ? st : rmat_gpu_status(cudaStreamSynchronize(l->stream));
    }
    (void)cudaFree(l->list);
    (void)cudaFree(l->scratch);
    l->list = more;
    l->scratch = NULL;
    l->room = room;
    st = st ? st : rmat_gpu_unseen_scratch(room, &l->scratch_bytes);
    return st ? st : rmat_gpu_status(cudaMalloc(&l->scratch, l->scratch_bytes));
}

static int look(unseen_list *l, uint64_t *value)
{
    unsigned long long now = 0;
    int st = rmat_gpu_status(
        cudaMemcpyAsync(&now, l->counter, sizeof now, cudaMemcpyDeviceToHost, l->stream));

    st = st ? st : rmat_gpu_status(cudaStreamSynchronize(l->stream));
    *value = now;
    return st;
}

static int settle(unseen_list *l)
{
    const int st =
        rmat_gpu_settle_unseen(l->list, l->n, l->scratch, l->scratch_bytes, l->counter, l->stream);

    return st ? st : look(l, &l->n);
}

/* Slice by slice; one for whose edges there is no room is made again, as two or with more room:
 * what was kept of it does no harm. */
static int find(unseen_list *l, uint64_t first, uint64_t count, uint64_t most)
{
    uint64_t limit = count;
    int st = grow(l, count < LIST ? count : LIST);

    while (!st && count) {
        const uint64_t slice = count < limit ? count : limit;
        const unsigned long long before = l->n;

        st = rmat_gpu_status(
            cudaMemcpyAsync(l->counter, &before, sizeof before, cudaMemcpyHostToDevice, l->stream));
        st = st ? st
                : rmat_gpu_find_unseen(l->b->gen, first, slice, &l->keys, l->last, l->list, l->room,
                                       l->counter, l->stream);
        st = st ? st : look(l, &l->n);
        if (!st && l->n <= l->room) {
            first += slice;
            count -= slice;
        } else if (!st) {
            l->n = l->room;
            st = settle(l);
            st = st ? st : l->n > most ? RMAT_ERR_FULL : RMAT_OK;
            if (!st && l->n > l->room / 2) {
                st = grow(l, 4 * l->room);
            } else {
                limit = slice > 1 ? slice / 2 : 1;
            }
        }
    }
    st = st ? st : settle(l);
    return st ? st : l->n > most ? RMAT_ERR_FULL : RMAT_OK;
}

static int to_host(const unseen_list *l, rmat_new **list, uint64_t *n)
{
    rmat_new *copy = malloc((l->n ? l->n : 1) * sizeof *copy);
    int st = copy != NULL ? rmat_gpu_status(cudaMemcpy(copy, l->list, l->n * sizeof *copy,
                                                       cudaMemcpyDeviceToHost))
                          : RMAT_ERR_NOMEM;

    if (st) {
        free(copy);
        return st;
    }
    *list = copy;
    *n = l->n;
    return RMAT_OK;
}

int rmat_gpu_block_unseen(const rmat_block *b, uint64_t first, uint64_t count, uint64_t most,
                          rmat_new **list, uint64_t *n)
{
    const gpu_block *s = b->state;
    unseen_list l = {.b = b, .keys = rmat_gpu_block_keys(b), .last = s->gather.last};
    int before, st;

    if (s->single && b->edges) {
        return RMAT_OK;
    }
    st = rmat_alias_status(alias_gpu_enter(s->device, &before));
    if (st) {
        return st;
    }
    st = rmat_gpu_status(cudaStreamCreateWithFlags(&l.stream, cudaStreamNonBlocking));
    st = st ? st : rmat_gpu_status(cudaMalloc((void **)&l.counter, sizeof *l.counter));
    st = st ? st : find(&l, first, count, most);
    st = st ? st : to_host(&l, list, n);
    (void)cudaFree(l.list);
    (void)cudaFree(l.scratch);
    (void)cudaFree(l.counter);
    if (l.stream != NULL) {
        (void)cudaStreamDestroy(l.stream);
    }
    alias_gpu_leave(before);
    return st;
}
