/* x */
#include "alias/gpu/state.h"
#include "rmat/sorted/block.h"
#include "rmat/sorted/gpu/block.h"

enum { UPLOAD = 1 << 18 };

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
