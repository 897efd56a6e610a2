/*
 * sort.cu - sorts keys, and keeps each once, by CUB.
 *
 * CUB's counts have 32 bits before CUDA 13, so unique goes in pieces.  A piece begins with the last
 * key kept of the one before, and writes it again to its place.
 *
 * A sample sort written for these keys was here before.  On an H200 it made CSR of one interval 1.2
 * to 1.3 times as fast (scales 24 to 28), and took 600 lines.  Graphs by rows (rmat/rows/) need no
 * sort and are three times as fast.
 */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/try.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#define UNIQUE_PIECE ((uint64_t)1 << 30)

extern "C" int rmat_gpu_sort_scratch(uint64_t n, size_t *bytes)
{
    cub::DoubleBuffer<uint64_t> keys;
    const int piece = (int)(n <= UNIQUE_PIECE ? n : UNIQUE_PIECE + 1);
    size_t unique = 0;
    int st;

    *bytes = 0;
    RMAT_TRY_CUDA(ALIAS_GPU_CUB(cub::DeviceRadixSort::SortKeys(NULL, *bytes, keys, n)));
    RMAT_TRY_CUDA(ALIAS_GPU_CUB(cub::DeviceSelect::Unique(NULL, unique, (const uint64_t *)NULL,
                                                          (uint64_t *)NULL,
                                                          (unsigned long long *)NULL, piece)));
done:
    *bytes = unique > *bytes ? unique : *bytes;
    return st;
}

static void swap(uint64_t *keys[2])
{
    uint64_t *first = keys[0];

    keys[0] = keys[1];
    keys[1] = first;
}

extern "C" int rmat_gpu_sort(uint64_t *keys[2], uint64_t n, int bits, void *scratch,
                             size_t scratch_bytes, cudaStream_t stream)
{
    cub::DoubleBuffer<uint64_t> both(keys[0], keys[1]);

    if (n < 2 || bits == 0) {
        return RMAT_OK;
    }
    RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(
        cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, both, n, 0, bits, stream)));
    if (both.Current() != keys[0]) {
        swap(keys);
    }
    return RMAT_OK;
}

extern "C" int rmat_gpu_unique(uint64_t *keys[2], uint64_t *n, void *scratch, size_t scratch_bytes,
                               unsigned long long *result, cudaStream_t stream)
{
    const uint64_t *from = keys[0];
    uint64_t *to = keys[1], kept = 0;

    for (uint64_t at = 0; at < *n;) {
        const uint64_t left = *n - at, piece = left < UNIQUE_PIECE ? left : UNIQUE_PIECE;
        const uint64_t again = at != 0; /* 1: the key before is read again */
        unsigned long long selected = again;

        RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(
            cub::DeviceSelect::Unique(scratch, scratch_bytes, from + (at - again),
                                      to + (kept - again), result, (int)(piece + again), stream)));
        RMAT_CUDA_OR_RETURN(
            cudaMemcpyAsync(&selected, result, sizeof selected, cudaMemcpyDeviceToHost, stream));
        RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(stream));
        kept += selected - again;
        at += piece;
    }
    *n = kept;
    swap(keys);
    return RMAT_OK;
}
