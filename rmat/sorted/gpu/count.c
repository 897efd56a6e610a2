/* rmat_count_cells() on the GPU: one pass over the stream by the kernel of count.cu. */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdlib.h>

typedef struct {
    cudaStream_t stream;
    rmat_code *codes, *host; /* of the cells, in device and in host memory */
    unsigned long long *counts;
    uint64_t n; /* parts, one less than cells */
    int cols_scale;
} counting;

/* Creates everything that counting takes; rmat_gpu_count_cells() frees what exists. */
static int begin(counting *k, const rmat_cell *cells)
{
    int st;

    RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&k->stream, cudaStreamNonBlocking));
    k->host = malloc((k->n + 1) * sizeof *k->host);
    if (k->host == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    for (uint64_t i = 0; i <= k->n; i++) {
        k->host[i] = rmat_code_of(&cells[i], k->cols_scale);
    }
    RMAT_TRY_CUDA(cudaMalloc((void **)&k->codes, k->n * sizeof *k->codes));
    RMAT_TRY_CUDA(cudaMalloc((void **)&k->counts, k->n * sizeof *k->counts));
    RMAT_TRY_CUDA(cudaMemcpyAsync(k->codes, k->host, k->n * sizeof *k->codes,
                                  cudaMemcpyHostToDevice, k->stream));
    RMAT_TRY_CUDA(cudaMemsetAsync(k->counts, 0, k->n * sizeof *k->counts, k->stream));
done:
    return st;
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
    st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));
    if (st != RMAT_OK) {
        return st;
    }
    RMAT_TRY(begin(&k, cells));
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
