/* count.c - counts the edges of the stream between cells on a GPU: rmat_count_cells(). */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdlib.h>

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
