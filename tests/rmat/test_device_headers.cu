/*
 * The headers that CPU and GPU share give the same bits on both, called from the smallest possible
 * kernels: Philox (compared with cuRAND's as well) and draws from alias tables; edges are those of
 * test_rmat_gpu_consumer.cu.  Exits with 77 (skipped) if no GPU is found.
 */
#include "alias/core/draw.h"
#include "tests/support/try_cuda.cuh"

#include <curand_kernel.h>
#include <stdio.h>
#include <vector>

static const int count = 1 << 20;

static __global__ void philox_kernel(uint64_t seed, philox_block *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        out[i] = philox_at(seed, (uint64_t)i << 13, (uint32_t)i, 5);
    }
}

/* cuRAND's word for the same counters and key. */
static __global__ void curand_kernel(uint64_t seed, philox_block *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        uint64_t index = (uint64_t)i << 13;
        uint4 x = curand_Philox4x32_10(
            make_uint4((uint32_t)index, (uint32_t)(index >> 32), (uint32_t)i, 5),
            make_uint2((uint32_t)seed, (uint32_t)(seed >> 32)));

        out[i] = philox_block{{x.x, x.y, x.z, x.w}};
    }
}

static __global__ void draw_kernel(const alias_row8 *rows8, const alias_row16 *rows16, uint64_t n,
                                   int k, uint64_t *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count) {
        uint64_t x = alias_draw_bits(7, (uint64_t)i);

        out[i] = alias_draw8(rows8, n, x) << 32 | alias_draw16(rows16, n, k, x);
    }
}

template <typename T> static T *to_device(const std::vector<T> &host)
{
    T *p;

    TRY(cudaMalloc(&p, host.size() * sizeof(T)));
    TRY(cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <typename T> static std::vector<T> to_host(const T *device)
{
    std::vector<T> host(count);

    TRY(cudaGetLastError());
    TRY(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

static int differ(const char *what, int i)
{
    printf("%s: device and host differ at %d\n", what, i);
    return 1;
}

static int test_philox(const char *what, void (*kernel)(uint64_t, philox_block *))
{
    const uint64_t seed = 0x0123456789abcdef;
    philox_block *device = to_device(std::vector<philox_block>(count));

    kernel<<<count / 256, 256>>>(seed, device);
    std::vector<philox_block> got = to_host(device);
    TRY(cudaFree(device));
    for (int i = 0; i < count; i++) {
        philox_block b = philox_at(seed, (uint64_t)i << 13, (uint32_t)i, 5);

        for (int j = 0; j < 4; j++) {
            if (b.v[j] != got[i].v[j]) {
                return differ(what, i);
            }
        }
    }
    return 0;
}

static int test_draws(void)
{
    const uint64_t n = 12345;
    const int k = 48;
    std::vector<alias_row8> rows8(n);
    std::vector<alias_row16> rows16(n);

    for (uint64_t i = 0; i < n; i++) {
        philox_block b = philox_at(3, i, 0, 9);

        rows8[i] = {b.v[0], (uint32_t)(b.v[1] % n)};
        rows16[i] = {((uint64_t)b.v[2] << 32 | b.v[3]) >> (64 - k), b.v[0] % n};
    }
    alias_row8 *device8 = to_device(rows8);
    alias_row16 *device16 = to_device(rows16);
    uint64_t *device = to_device(std::vector<uint64_t>(count));

    draw_kernel<<<count / 256, 256>>>(device8, device16, n, k, device);
    std::vector<uint64_t> got = to_host(device);
    TRY(cudaFree(device));
    TRY(cudaFree(device8));
    TRY(cudaFree(device16));
    for (int i = 0; i < count; i++) {
        uint64_t x = alias_draw_bits(7, (uint64_t)i);

        if (got[i] !=
            (alias_draw8(rows8.data(), n, x) << 32 | alias_draw16(rows16.data(), n, k, x))) {
            return differ("alias draw", i);
        }
    }
    return 0;
}

int main(void)
{
    int failed = 0;

    need_gpu();
    failed += test_philox("philox", philox_kernel);
    failed += test_philox("cuRAND", curand_kernel);
    failed += test_draws();
    printf("%d failed\n", failed);
    return failed != 0;
}
