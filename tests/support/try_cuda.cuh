/* try_cuda.cuh - for test programs on a GPU: TRY ends the program at the first CUDA call that
 * fails; arrays in the GPU's memory, and their comparison with what is expected. */
#ifndef TESTS_SUPPORT_TRY_CUDA_CUH
#define TESTS_SUPPORT_TRY_CUDA_CUH

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error = (call);                                                                \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Returns to CTest that the test is skipped, if there is no GPU. */
static inline void need_gpu(void)
{
    int devices = 0;

    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        printf("skipped: no GPU\n");
        exit(77);
    }
}

/* Zeros, or a copy of an array of the host. */
template <typename T> struct device_array {
    T *data;
    size_t size;

    explicit device_array(size_t n) : size(n)
    {
        TRY(cudaMalloc(&data, (n + 1) * sizeof(T)));
        TRY(cudaMemset(data, 0, (n + 1) * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &host) : device_array(host.size())
    {
        TRY(cudaMemcpy(data, host.data(), size * sizeof(T), cudaMemcpyHostToDevice));
    }
    device_array(const device_array &) = delete;
    ~device_array()
    {
        (void)cudaFree(data);
    }

    std::vector<T> host() const
    {
        std::vector<T> copy(size);

        TRY(cudaGetLastError());
        TRY(cudaMemcpy(copy.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }
};

/* How many of the first numbers in the GPU's memory are not those expected, up to one, which is
 * printed. */
template <typename T>
static int differ(const char *what, const device_array<T> &device, const std::vector<T> &expected)
{
    const std::vector<T> got = device.host();

    for (size_t i = 0; i < expected.size(); i++) {
        if (got[i] != expected[i]) {
            printf("%s: number %zu is %llx, not %llx\n", what, i, (unsigned long long)got[i],
                   (unsigned long long)expected[i]);
            return 1;
        }
    }
    return 0;
}

/* What consumers of kernels have in common: each thread begins and ends once, and its calls are
 * counted. */
struct call_counter {
    struct state {
        uint32_t calls;
    };
    unsigned long long *counters; /* threads begun, threads ended, calls */

    __device__ void begin(state &s) const
    {
        s.calls = 0;
        atomicAdd(&counters[0], 1ull);
    }
    __device__ void end(state &s) const
    {
        atomicAdd(&counters[1], 1ull);
        atomicAdd(&counters[2], (unsigned long long)s.calls);
    }
};

/* 1, which is printed, unless as many threads ended as began, with so many calls. */
static inline int miscounted(const char *what, const device_array<unsigned long long> &counters,
                             uint64_t calls)
{
    const std::vector<unsigned long long> n = counters.host();
    const bool right = n[0] == n[1] && n[2] == calls;

    if (!right) {
        printf("%s: %llu threads begin and %llu end, with %llu calls\n", what, n[0], n[1], n[2]);
    }
    return !right;
}

#endif
