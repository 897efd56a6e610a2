/* sort.cu - sorts keys: those of 8 bytes by a sample sort (sample_sort.h) where that pays, else by
 * CUB. */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/gpu/sample_sort.h"
#include "rmat/try.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

/*
 * Sorting keys of one width, and keeping each once, by CUB.
 *
 * CUB's counts have 32 bits before CUDA 13, so unique goes in pieces.  A piece begins with the last
 * key kept of the one before, and writes it again to its place.
 */

#define UNIQUE_PIECE ((uint64_t)1 << 30)

template <typename K> static int interval_scratch(uint64_t n, size_t *bytes)
{
    cub::DoubleBuffer<K> keys;
    const int piece = (int)(n <= UNIQUE_PIECE ? n : UNIQUE_PIECE + 1);
    size_t unique = 0;
    int st;

    *bytes = 0;
    RMAT_TRY_CUDA(ALIAS_GPU_CUB(cub::DeviceRadixSort::SortKeys(NULL, *bytes, keys, n)));
    RMAT_TRY_CUDA(ALIAS_GPU_CUB(cub::DeviceSelect::Unique(NULL, unique, (const K *)NULL, (K *)NULL,
                                                          (unsigned long long *)NULL, piece)));
done:
    *bytes = unique > *bytes ? unique : *bytes;
    return st;
}

static inline void interval_swap(void *keys[2])
{
    void *first = keys[0];

    keys[0] = keys[1];
    keys[1] = first;
}

template <typename K>
static int interval_sort(void *keys[2], uint64_t n, int bits, void *scratch, size_t scratch_bytes,
                         cudaStream_t stream)
{
    cub::DoubleBuffer<K> both((K *)keys[0], (K *)keys[1]);
    int st;

    if (n < 2 || bits == 0) {
        return RMAT_OK;
    }
    st = rmat_gpu_status(ALIAS_GPU_CUB(
        cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, both, n, 0, bits, stream)));
    if (st == RMAT_OK && both.Current() != keys[0]) {
        interval_swap(keys);
    }
    return st;
}

template <typename K>
static int interval_unique(void *keys[2], uint64_t *n, void *scratch, size_t scratch_bytes,
                           unsigned long long *result, cudaStream_t stream)
{
    const K *from = (const K *)keys[0];
    K *to = (K *)keys[1];
    uint64_t kept = 0;

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
    interval_swap(keys);
    return RMAT_OK;
}

/* The sorter of 16-byte keys. */

extern "C" const gpu_interval_sorter *rmat_gpu_sorter16(void)
{
    static const gpu_interval_sorter sorter = {
        interval_scratch<rmat_code>, interval_sort<rmat_code>, interval_unique<rmat_code>};

    return &sorter;
}

/* The sorter of 8-byte keys: by a sample sort where that pays, else by CUB. */
static int scratch8(uint64_t n, size_t *bytes)
{
    const int st = interval_scratch<uint64_t>(n, bytes);

    *bytes += rmat_sample_sort_scratch(n);
    return st;
}

static int sort8(void *keys[2], uint64_t n, int bits, void *scratch, size_t scratch_bytes,
                 cudaStream_t stream)
{
    uint64_t *const both[2] = {(uint64_t *)keys[0], (uint64_t *)keys[1]};
    int sorted = 0, st = RMAT_OK;

    if (rmat_sample_sort_pays(n, bits)) {
        st = rmat_sample_sort(both, n, bits, scratch, scratch_bytes, stream, &sorted);
    }
    return st != RMAT_OK || sorted
               ? st
               : interval_sort<uint64_t>(keys, n, bits, scratch, scratch_bytes, stream);
}

extern "C" const gpu_interval_sorter *rmat_gpu_sorter8(void)
{
    static const gpu_interval_sorter sorter = {scratch8, sort8, interval_unique<uint64_t>};

    return &sorter;
}
