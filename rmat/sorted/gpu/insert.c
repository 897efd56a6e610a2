/*
 * rmat_interval_insert() on the GPU: the keys of the cells are written behind those of the
 * interval, sorted there, and merged with them into the other buffer.
 */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

enum { UPLOAD = 1 << 18 }; /* elements of the list that are copied to the GPU at once */

/* Writes the keys of the list behind those of the interval. */
static int upload(const gpu_interval *s, const gpu_interval_keys *keys, uint64_t n,
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

static int insert(const rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    const gpu_interval_keys keys = rmat_gpu_interval_keys(b);
    const size_t bytes = (size_t)keys.key_bytes;
    gpu_interval *s = b->state;
    void *const place = (char *)s->keys[0] + keys.n * bytes;
    void *inserted[2] = {place, (char *)s->keys[1] + keys.n * bytes}, *merged = s->keys[1];
    int st;

    RMAT_TRY(upload(s, &keys, n, list));
    RMAT_TRY(rmat_gpu_sorter(b->gen)->sort(inserted, n, s->bits, s->scratch, s->scratch_bytes,
                                           s->stream));
    if (inserted[0] != place) {
        RMAT_TRY_CUDA(
            cudaMemcpyAsync(place, inserted[0], n * bytes, cudaMemcpyDeviceToDevice, s->stream));
    }
    RMAT_TRY(rmat_gpu_merge(&keys, n, merged, s->stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(s->stream));
    s->keys[1] = s->keys[0];
    s->keys[0] = merged;
done:
    return st;
}

int rmat_gpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    const gpu_interval *s = b->state;
    int before, st;

    if (n > s->room - b->edges) {
        return RMAT_ERR_FULL;
    }
    if (!s->single) {
        RMAT_TRY(rmat_alias_status(alias_gpu_enter(s->device, &before)));
        st = insert(b, n, list);
        alias_gpu_leave(before);
        RMAT_TRY(st);
    }
    b->edges += n;
    st = RMAT_OK;
done:
    return st;
}
