/* upload.cuh - memory of a call on the GPU, and a copy there of the view and its tables.
 * Private. */
#ifndef RMAT_ROWS_UPLOAD_CUH
#define RMAT_ROWS_UPLOAD_CUH

#include "rmat/gpu/backend.h"
#include "rmat/rows/tables.h"
#include "rmat/try.h"

#include <cuda_runtime.h>

namespace
{

/* Memory allocated in stream order from a pool (NULL: the current GPU's), and freed at the end.  A
 * pool that gives back freed memory can cost more than a part of the graph: 27 ms per call if the
 * caller frees arrays in between, on a machine with two GPUs. */
struct memory {
    cudaStream_t stream;
    cudaMemPool_t pool;
    void *blocks[12];
    int n;

    explicit memory(cudaStream_t s, cudaMemPool_t p = NULL) : stream(s), pool(p), blocks{}, n(0)
    {
    }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
    ~memory()
    {
        while (n > 0) {
            cudaFreeAsync(blocks[--n], stream);
        }
    }
    template <typename T> int get(T **to, size_t count)
    {
        const size_t bytes = count * sizeof(T) + 1;

        RMAT_CUDA_OR_RETURN(pool != NULL ? cudaMallocFromPoolAsync(&blocks[n], bytes, pool, stream)
                                         : cudaMallocAsync(&blocks[n], bytes, stream));
        *to = (T *)blocks[n++];
        return RMAT_OK;
    }
};

/* Copies the view and its tables, which are in host memory. *v is the copy, *on_gpu its place. */
int upload_view(const rmat_rows_view *view, int tables, memory &m, rmat_rows_view *v,
                rmat_rows_view **on_gpu)
{
    const size_t rows = (size_t)tables * RMAT_ROWS_TABLE;
    uint32_t *fast;
    uint64_t *full;

    RMAT_OR_RETURN(m.get(&fast, rows));
    RMAT_OR_RETURN(m.get(&full, rows));
    RMAT_OR_RETURN(m.get(on_gpu, 1));
    *v = *view;
    v->fast = fast;
    v->full = full;
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(fast, view->fast, rows * sizeof *fast, cudaMemcpyHostToDevice, m.stream));
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(full, view->full, rows * sizeof *full, cudaMemcpyHostToDevice, m.stream));
    RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(*on_gpu, v, sizeof *v, cudaMemcpyHostToDevice, m.stream));
    return rmat_gpu_status(cudaStreamSynchronize(m.stream)); /* *v may change from here on */
}

} // namespace

/* gpu.cu: replaces each of n elements x[i] by the sum of x[0 ... i], with CUB, which takes long to
 * compile.  With scratch NULL it only sets *bytes to the scratch memory that it needs. */
cudaError_t rmat_rows_sum(void *scratch, size_t *bytes, uint64_t *x, uint64_t n,
                          cudaStream_t stream);

#endif
