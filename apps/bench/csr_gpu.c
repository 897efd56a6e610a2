/* bench_csr in the memory of the current GPU. */
#include "apps/bench/csr.h"
#include "rmat/rmat_gpu.h"

#include <cuda_runtime_api.h>

static int cuda(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static uint64_t memory(void)
{
    size_t unused = 0, total;

    return cudaMemGetInfo(&unused, &total) == cudaSuccess ? unused : 0;
}

static void release(csr_place *place)
{
    (void)cudaFree(place->pointers);
    (void)cudaFree(place->indices);
}

static int reserve(csr_place *place)
{
    const int st =
        cuda(cudaMalloc((void **)&place->pointers, place->rows * sizeof *place->pointers));

    return st ? st : cuda(cudaMalloc(&place->indices, place->edges * (size_t)place->id_bytes));
}

static int wait_for_it(void)
{
    return cuda(cudaDeviceSynchronize());
}

static int pointers(const rmat_interval *b, uint64_t first_row, uint64_t rows, const csr_place *to)
{
    return rmat_interval_pointers_device(b, first_row, rows, 0, to->pointers, NULL);
}

static int indices(const rmat_interval *b, uint64_t first, uint64_t count, const csr_place *to)
{
    return rmat_interval_read_device(
        b, first, count, &(rmat_arrays){.dst = to->indices, .id_bytes = to->id_bytes}, NULL);
}

const csr_backend *csr_on_gpu(void)
{
    static const csr_backend gpu = {"gpu",       memory,   reserve, release,
                                    wait_for_it, pointers, indices};

    return rmat_gpu_count() > 0 ? &gpu : NULL;
}
