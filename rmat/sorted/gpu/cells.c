/* Edges of the stream counted by intervals of cells. */
#include "alias/gpu/device.h"
#include "rmat/sorted/block.h"
#include "rmat/sorted/gpu/block.h"

#include <stdlib.h>

typedef struct {
    cudaStream_t stream;
    rmat_code *codes, *host;
    unsigned long long *counts;
    uint64_t n; /* intervals */
    int cols_scale;
} counting;

static int begin(counting *k, const rmat_cell *cells)
{
    int st = rmat_gpu_status(cudaStreamCreateWithFlags(&k->stream, cudaStreamNonBlocking));

    k->host = malloc((k->n + 1) * sizeof *k->host);
    if (!st && !k->host) {
        st = RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; !st && i <= k->n; i++) {
        k->host[i] = rmat_code_of(&cells[i], k->cols_scale);
    }
    st = st ? st : rmat_gpu_status(cudaMalloc((void **)&k->codes, k->n * sizeof *k->codes));
    st = st ? st : rmat_gpu_status(cudaMalloc((void **)&k->counts, k->n * sizeof *k->counts));
    st = st ? st
            : rmat_gpu_status(cudaMemcpyAsync(k->codes, k->host, k->n * sizeof *k->codes,
                                              cudaMemcpyHostToDevice, k->stream));
    return st ? st
              : rmat_gpu_status(cudaMemsetAsync(k->counts, 0, k->n * sizeof *k->counts, k->stream));
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
        return RMAT_ERR_RANGE;
    }
    st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));
    if (st) {
        return st;
    }
    st = begin(&k, cells);
    st = st ? st
            : rmat_gpu_count_between(gen, first, count, (uint32_t)k.n, k.codes, k.host[0],
                                     k.host[k.n] - k.host[0] - 1, k.cols_scale, k.counts, k.stream);
    st = st ? st
            : rmat_gpu_status(cudaMemcpyAsync(counts, k.counts, k.n * sizeof *counts,
                                              cudaMemcpyDeviceToHost, k.stream));
    if (k.stream) {
        const int end = rmat_gpu_status(cudaStreamSynchronize(k.stream));

        st = st ? st : end;
        (void)cudaStreamDestroy(k.stream);
    }
    (void)cudaFree(k.codes);
    (void)cudaFree(k.counts);
    free(k.host);
    alias_gpu_leave(before);
    return st;
}
