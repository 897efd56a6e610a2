/* Edges that a sorted block in GPU memory lacks: found in the stream, and put in. */
#include "alias/gpu/device.h"
#include "rmat/sorted/block.h"
#include "rmat/sorted/gpu/block.h"

#include <stdlib.h>

enum { LIST = 1 << 20, UPLOAD = 1 << 18 };

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
} new_list;

/* Room for so many, with those that are there. */
static int grow(new_list *l, uint64_t room)
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
    st = st ? st : rmat_gpu_news_scratch(room, &l->scratch_bytes);
    return st ? st : rmat_gpu_status(cudaMalloc(&l->scratch, l->scratch_bytes));
}

static int look(new_list *l, uint64_t *value)
{
    unsigned long long now = 0;
    int st = rmat_gpu_status(
        cudaMemcpyAsync(&now, l->counter, sizeof now, cudaMemcpyDeviceToHost, l->stream));

    st = st ? st : rmat_gpu_status(cudaStreamSynchronize(l->stream));
    *value = now;
    return st;
}

static int settle(new_list *l)
{
    const int st =
        rmat_gpu_settle_news(l->list, l->n, l->scratch, l->scratch_bytes, l->counter, l->stream);

    return st ? st : look(l, &l->n);
}

/* Slice by slice; one for whose edges there is no room is made again, as two or with more room:
 * what was kept of it does no harm. */
static int find(new_list *l, uint64_t first, uint64_t count, uint64_t most)
{
    uint64_t limit = count;
    int st = grow(l, count < LIST ? count : LIST);

    while (!st && count) {
        const uint64_t slice = count < limit ? count : limit;
        const unsigned long long before = l->n;

        st = rmat_gpu_status(
            cudaMemcpyAsync(l->counter, &before, sizeof before, cudaMemcpyHostToDevice, l->stream));
        st = st ? st
                : rmat_gpu_find_news(l->b->gen, first, slice, &l->keys, l->last, l->list, l->room,
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

static int to_host(const new_list *l, rmat_new **list, uint64_t *n)
{
    rmat_new *copy = malloc((l->n ? l->n : 1) * sizeof *copy);
    int st = copy ? rmat_gpu_status(
                        cudaMemcpy(copy, l->list, l->n * sizeof *copy, cudaMemcpyDeviceToHost))
                  : RMAT_ERR_NOMEM;

    if (st) {
        free(copy);
        return st;
    }
    *list = copy;
    *n = l->n;
    return RMAT_OK;
}

int rmat_gpu_block_news(const rmat_block *b, uint64_t first, uint64_t count, uint64_t most,
                        rmat_new **list, uint64_t *n)
{
    const gpu_block *s = b->state;
    new_list l = {.b = b, .keys = rmat_gpu_block_keys(b), .last = s->gather.last};
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
    if (l.stream) {
        (void)cudaStreamDestroy(l.stream);
    }
    alias_gpu_leave(before);
    return st;
}

/* The keys of the list, behind those of the block. */
static int upload(const gpu_block *s, const gpu_block_keys *keys, uint64_t n, const rmat_new *list)
{
    char *to = (char *)s->keys[0] + keys->n * (size_t)s->key_bytes;
    rmat_new *part = NULL;
    int st = rmat_gpu_status(cudaMalloc((void **)&part, UPLOAD * sizeof *part));

    for (uint64_t at = 0; !st && at < n; at += UPLOAD) {
        const uint64_t count = n - at < UPLOAD ? n - at : UPLOAD;

        st = rmat_gpu_status(cudaMemcpyAsync(part, list + at, count * sizeof *part,
                                             cudaMemcpyHostToDevice, s->stream));
        st = st ? st
                : rmat_gpu_keys_of(keys, count, part, to + at * (size_t)s->key_bytes, s->stream);
    }
    if (!st) {
        st = rmat_gpu_status(cudaStreamSynchronize(s->stream));
    }
    (void)cudaFree(part);
    return st;
}

static int insert(const rmat_block *b, uint64_t n, const rmat_new *list)
{
    const gpu_block_keys keys = rmat_gpu_block_keys(b);
    const size_t bytes = (size_t)keys.key_bytes;
    gpu_block *s = b->state;
    void *const place = (char *)s->keys[0] + keys.n * bytes;
    void *late[2] = {place, (char *)s->keys[1] + keys.n * bytes}, *merged = s->keys[1];
    int st = upload(s, &keys, n, list);

    st = st ? st
            : rmat_gpu_sorter(b->gen)->sort(late, n, s->bits, s->scratch, s->scratch_bytes,
                                            s->stream);
    if (!st && late[0] != place) {
        st = rmat_gpu_status(
            cudaMemcpyAsync(place, late[0], n * bytes, cudaMemcpyDeviceToDevice, s->stream));
    }
    st = st ? st : rmat_gpu_merge(&keys, n, merged, s->stream);
    st = st ? st : rmat_gpu_status(cudaStreamSynchronize(s->stream));
    if (!st) {
        s->keys[1] = s->keys[0];
        s->keys[0] = merged;
    }
    return st;
}

int rmat_gpu_block_insert(rmat_block *b, uint64_t n, const rmat_new *list)
{
    const gpu_block *s = b->state;
    int before, st = RMAT_OK;

    if (n > s->room - b->edges) {
        return RMAT_ERR_FULL;
    }
    if (!s->single) {
        st = rmat_alias_status(alias_gpu_enter(s->device, &before));
        if (st) {
            return st;
        }
        st = insert(b, n, list);
        alias_gpu_leave(before);
    }
    b->edges += st ? 0 : n;
    return st;
}
