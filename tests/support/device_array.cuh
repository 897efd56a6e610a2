/* device_array.cuh - for tests in CUDA C++: arrays in the GPU's memory, their comparison with what
 * is expected, and what consumers of kernels have in common. */
#ifndef TESTS_SUPPORT_DEVICE_ARRAY_CUH
#define TESTS_SUPPORT_DEVICE_ARRAY_CUH

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

extern "C" {
#include "tests/support/device.h"
#include "tests/support/run_suite.h"
}

/* Zeros, or a copy of an array of the host. */
template <typename T> struct device_array {
    T *data;
    size_t size;

    explicit device_array(size_t n) : size(n)
    {
        must_cuda(cudaMalloc(&data, (n + 1) * sizeof(T)));
        must_cuda(cudaMemset(data, 0, (n + 1) * sizeof(T)));
    }
    explicit device_array(const std::vector<T> &host) : device_array(host.size())
    {
        must_cuda(cudaMemcpy(data, host.data(), size * sizeof(T), cudaMemcpyHostToDevice));
    }
    device_array(const device_array &) = delete;
    ~device_array()
    {
        (void)cudaFree(data);
    }

    std::vector<T> host() const
    {
        std::vector<T> copy(size);

        must_cuda(cudaGetLastError());
        must_cuda(cudaMemcpy(copy.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost));
        return copy;
    }
};

/* Fails the test unless the first numbers in the GPU's memory are those expected. */
template <typename T>
static void check_array(const char *what, const device_array<T> &device,
                        const std::vector<T> &expected)
{
    const std::vector<T> got = device.host();

    for (size_t i = 0; i < expected.size(); i++) {
        must(got[i] == expected[i], "%s: number %zu is %llx, not %llx", what, i,
             (unsigned long long)got[i], (unsigned long long)expected[i]);
    }
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

/* Fails the test unless as many threads ended as began, with so many calls. */
static inline void check_calls(const char *what, const device_array<unsigned long long> &counters,
                               uint64_t calls)
{
    const std::vector<unsigned long long> n = counters.host();

    must(n[0] == n[1] && n[2] == calls, "%s: %llu threads begin and %llu end, with %llu calls",
         what, n[0], n[1], n[2]);
}

#endif
