/* Two tables in GPU memory, row by row, for tests/alias/test_alias_gpu_build.c. */
extern "C" {
#include "tests/support/gpu_compare.h"
}

enum { THREADS = 256 };

template <typename T> struct row_words {
    const T *threshold, *alias; /* of row 0 */
    uint64_t step;              /* to those of row 1 */

    explicit row_words(const alias_view &view)
        : threshold((const T *)view.rows),
          alias(view.alias != NULL ? (const T *)view.alias : threshold + 1),
          step(view.alias != NULL ? 1 : 2)
    {
    }
};

template <typename T>
static __global__ void compare(row_words<T> a, row_words<T> b, uint64_t n,
                               unsigned long long *first)
{
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;

    if (i < n && (a.threshold[i * a.step] != b.threshold[i * b.step] ||
                  a.alias[i * a.step] != b.alias[i * b.step])) {
        atomicMin(first, (unsigned long long)i);
    }
}

extern "C" cudaError_t gpu_first_difference(const alias_view *a, const alias_view *b,
                                            uint64_t *first)
{
    const unsigned blocks = (unsigned)((a->n + THREADS - 1) / THREADS);
    unsigned long long *device;
    cudaError_t error = cudaMalloc(&device, sizeof *first);

    if (error != cudaSuccess) {
        return error;
    }
    *first = a->n;
    error = cudaMemcpy(device, first, sizeof *first, cudaMemcpyHostToDevice);
    if (a->row_bytes == 8) {
        compare<<<blocks, THREADS>>>(row_words<uint32_t>(*a), row_words<uint32_t>(*b), a->n,
                                     device);
    } else {
        compare<<<blocks, THREADS>>>(row_words<uint64_t>(*a), row_words<uint64_t>(*b), a->n,
                                     device);
    }
    if (error == cudaSuccess) {
        error = cudaGetLastError();
    }
    if (error == cudaSuccess) {
        error = cudaMemcpy(first, device, sizeof *first, cudaMemcpyDeviceToHost);
    }
    (void)cudaFree(device);
    return error;
}
